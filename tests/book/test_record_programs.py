"""What programs behind records compute, by hand: counts of verses, rungs of speed, other ideas."""

from itertools import chain

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import english, ladder, shoot_out
from benchmarks.english_measures.counts import Contexts, CountingGuesser, training_windows
from benchmarks.english_measures.guessing import counted_answers, pair_losses, piece_losses
from benchmarks.english_measures.questions import make_questions, places_of
from benchmarks.ladder_steps import (
    batches,
    build,
    ragged_rows,
    rungs,
    some_buckets,
    useful_products,
)
from benchmarks.shoot_out_ideas import IDEAS, InAWindow
from benchmarks.shoot_out_members import BERT, HIDDEN, MEMBERS, WINDOW, encode
from bertbook.corpus import Chapter, kjv_parts
from bertbook.records import HERE, record_of
from bertbook.topics.english.checks import check_back_off
from minibert.config import BertConfig
from minibert.data import padding_share
from minibert.losses import masked_lm_loss
from minibert.pretraining import BertForPreTraining
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


def test_the_losses_of_a_model_are_those_of_training(asked, tokenizer):
    torch.manual_seed(0)
    model = BertForPreTraining(BertConfig.tiny(vocab_size=tokenizer.vocab_size)).eval()
    paid = piece_losses(model, asked)
    ids, types, labels = (
        torch.tensor([getattr(asked[0], name)])
        for name in ("input_ids", "token_type_ids", "labels")
    )
    scores = model(ids, token_type_ids=types).prediction_logits
    right = masked_lm_loss(scores, labels).item()
    assert paid[: int((labels != -100).sum())].mean() == pytest.approx(right, abs=1e-5)
    assert len(paid) == len(places_of(asked, tokenizer).truth)
    assert pair_losses(model, asked).mean() == pytest.approx(np.log(2), abs=0.1)


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


def test_what_is_useful_is_what_a_step_without_padding_computes(short):
    buckets, config = short
    rung = rungs()["no padding"]
    some = [bucket for bucket in buckets if len({len(row["labels"]) for row in bucket}) > 1][:2]
    model = build(config, rung, "cpu").train()  # dropout keeps attention written out
    with FlopCounterMode(display=False) as counter:
        for batch in batches(some, SHORT.longest, rung):
            model(**batch).loss.backward()
    rows = list(chain.from_iterable(some))
    assert counter.get_total_flops() == 2 * useful_products(config, rows)


# --- Chapter 25: the shoot-out -------------------------------------------------------------------


@pytest.fixture
def batch():
    return shoot_out.batches(7, 0.15, 40)[0]


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


def test_a_taught_model_begins_as_every_second_layer_of_its_teacher(batch):
    teacher = MEMBERS["RoBERTa"].build(None)
    student = MEMBERS["DistilBERT, taught"].build(teacher).eval()
    with torch.no_grad():
        teacher.encoder.encoder.layer = teacher.encoder.encoder.layer[::2]
        teacher.encoder.embeddings.token_type_embeddings.weight.zero_()  # it has no segments
        a, b = (
            encode(m.encoder, batch)[batch["attention_mask"].bool()] for m in (student, teacher)
        )
    torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


def test_with_rope_alone_only_distances_count(batch):
    model = IDEAS["RoPE alone"].build(None).encoder.eval()
    ids = batch["input_ids"][:1, :6]
    behind = torch.cat([torch.zeros(1, 3, dtype=torch.long), ids], dim=1)
    with torch.no_grad():
        alone = model(ids).last_hidden_state
        shifted = model(behind, (behind != 0).long()).last_hidden_state[:, 3:]
    torch.testing.assert_close(alone, shifted, atol=1e-5, rtol=1e-5)


def test_a_window_hides_what_is_further_away_and_nothing_else():
    attention = InAWindow(BertConfig(**BERT)).eval()
    x = torch.randn(1, WINDOW + 2, HIDDEN)
    probs = attention(x, None, True)[1]
    assert (probs[:, :, 0, -1] == 0).all() and (probs[:, :, 0, :-1] > 0).all()
    near = x[:, : WINDOW + 1]
    plain = type(attention).__base__.forward(attention, near)[0]
    torch.testing.assert_close(attention(near)[0], plain)


def test_with_pre_norm_a_layer_that_says_nothing_changes_nothing():
    layers = IDEAS["pre-norm alone"].build(None).encoder.encoder.layer
    x = torch.randn(1, 4, HIDDEN)
    for layer in layers:
        for dense in (layer.layer.attention.output.dense, layer.layer.output.dense):
            dense.weight.data.zero_()
            dense.bias.data.zero_()
    assert torch.equal(layers[0](x)[0], x)
    torch.testing.assert_close(layers[1](x)[0], layers[1].final_norm(x))
