"""What programs behind records compute: counts of verses, rungs of speed, a floor."""

from itertools import chain

import numpy as np
import pytest
import torch

from benchmarks import english, ladder, shoot_out
from benchmarks.english_measures.counts import Contexts, CountingGuesser, training_windows
from benchmarks.english_measures.guessing import counted_answers
from benchmarks.english_measures.questions import make_questions, places_of
from benchmarks.ladder_steps import (
    batches,
    ragged_rows,
    rungs,
    some_buckets,
    useful_products,
)
from benchmarks.shoot_out_members import MEMBERS
from bertbook.corpus import Chapter, kjv_parts
from bertbook.records import HERE, record_of
from bertbook.topics.english.checks import check_back_off
from minibert.data import padding_share
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

VERSES = [
    "the king shall rest",
    "the king shall go",
    "thou shalt rest",
    "ye shall go up to the king",
]
WORDS = sorted({word for verse in VERSES for word in verse.split()})
CHAPTERS = [Chapter("One", n, VERSES[n:] + VERSES[:n]) for n in range(4)]
SHORT = ladder.SIZES["short"]

# --- A real book ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer([*SPECIAL_TOKENS, *WORDS])


@pytest.fixture(scope="module")
def asked(tokenizer):
    return make_questions(CHAPTERS, tokenizer)


def test_counts_back_off_as_the_exercise_does(asked, tokenizer):
    edge, size = tokenizer.sep_token_id, tokenizer.vocab_size
    rows = [tokenizer.encode(verse)[1:-1] for verse in VERSES]
    windows = training_windows(rows, edge)
    assert len(windows) == sum(map(len, rows))
    contexts = Contexts(windows, (-1,), size)
    shorter = np.random.default_rng(0).dirichlet(np.ones(size), size=len(windows))
    longer = contexts.mix(shorter, windows, tokenizer.mask_token_id)
    for window, before, after in zip(windows, shorter, longer):
        found = [w[3] for w in windows if w[2] == window[2]]
        expected = check_back_off.right(np.bincount(found, minlength=size), before)
        assert np.allclose(after, expected)
    guesser = CountingGuesser(
        rows, vocab_size=size, edge=edge, mask_token_id=tokenizer.mask_token_id
    )
    assert counted_answers(tokenizer("thou [MASK] rest"), guesser, tokenizer)[0][0] == "shalt"
    places = places_of(asked, tokenizer)
    chances = guesser.guesses(places.window)
    assert torch.allclose(chances.sum(-1), torch.ones(len(chances), dtype=torch.float64))
    before = guesser.losses(places).mean()
    guesser.tune(places)
    assert guesser.losses(places).mean() < before


def test_the_record_of_the_book_is_of_these_questions():
    record, parts = record_of("english"), kjv_parts()
    tokenizer = WordPieceTokenizer.load(HERE / "english" / "vocab.txt", True)
    assert record["pieces"] == tokenizer.vocab_size == 6000
    for name, part in parts._asdict().items():
        assert record["text"][name] == english.described(part)
    for name in english.TESTS:
        test, chapters = record["tests"][name], getattr(parts, name)
        assert test["pairs"]["count"] == [len(chapter.verses) - 1 for chapter in chapters]
        uniform = np.array(test["losses"]["uniform"]["all"])
        assert np.allclose(uniform, np.log(6000) * np.array(test["places"]["all"]), atol=2e-3)


# --- Chapter 23: the ladder ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def short():
    """Make the texts of the short race, and its model's sizes."""
    rows, vocab = ragged_rows(SHORT.rows * SHORT.pool, SHORT.longest, SHORT.paragraphs)
    return some_buckets(rows, SHORT.rows, SHORT.batches), SHORT.model(vocab_size=vocab)


@pytest.mark.usefixtures("unchecked")
def test_the_texts_of_the_ladder_are_padded_as_recorded(short):
    buckets, config = short
    rows, told = list(chain.from_iterable(buckets)), record_of("ladder")["short"]
    if sum(len(row["labels"]) for row in rows) != told["tokens"]:  # texts of Python's own pages
        pytest.skip(f"recorded with Python {told['origin']['python']}")
    for name, step in told["steps"].items():
        share = padding_share(batches(buckets, SHORT.longest, rungs()[name]))
        assert share == pytest.approx(step["padding"], abs=1e-4), name
        exact = name not in {"bfloat16", "compiled"}
        assert (step["gradient_difference"] < 1e-5) == exact, name
    assert useful_products(config, rows) == told["useful_products"]


# --- Chapter 25: the shoot-out -------------------------------------------------------------------


def test_the_floor_repeats_and_every_member_has_five_seeds_at_its_best_rate(monkeypatch):
    record = record_of("shoot_out")
    monkeypatch.setattr(shoot_out, "FLOOR_PAIRS", 1000)
    again = shoot_out.limits.__wrapped__()
    assert again["ladder"] == record["ladder"]
    error = again["floor"]["error"] + record["floor"]["error"]
    assert again["floor"]["value"] == pytest.approx(record["floor"]["value"], abs=3 * error)
    for name in MEMBERS | shoot_out.ALONE:
        part = "apart" if name in shoot_out.ALONE else "updates"
        runs = [run for run in record["runs"] if (run["member"], run["part"]) == (name, part)]
        assert [run["seed"] for run in runs] == [*shoot_out.SEEDS], name
        told = {(run["learning_rate"], run["updates"]) for run in runs}
        assert told == {(shoot_out.best_rate(record["runs"], name), record["updates"])}
