"""The page on a real book: its guessers by hand, and its record in part."""

import json

import numpy as np
import pytest
import torch

from benchmarks import english
from benchmarks.english_measures.counts import Contexts, CountingGuesser, training_windows
from benchmarks.english_measures.guessing import counted_answers, pair_losses, piece_losses
from benchmarks.english_measures.questions import make_questions, places_of
from benchmarks.english_measures.senses import SENSES
from benchmarks.english_measures.sharing import SharedWords
from bertbook.corpus import Chapter, kjv_parts
from bertbook.records import HERE, record_of
from bertbook.topics.english.checks import check_back_off
from bertbook.topics.english.forms import form_questions
from minibert.config import BertConfig
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


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer([*SPECIAL_TOKENS, *WORDS])


@pytest.fixture(scope="module")
def rows(tokenizer):
    return [tokenizer.encode(verse)[1:-1] for verse in VERSES]


@pytest.fixture(scope="module")
def asked(tokenizer):
    return make_questions(CHAPTERS, tokenizer)


@pytest.fixture(scope="module")
def counts(tokenizer, rows):
    return CountingGuesser(
        rows,
        vocab_size=tokenizer.vocab_size,
        edge=tokenizer.sep_token_id,
        mask_token_id=tokenizer.mask_token_id,
    )


@pytest.fixture(scope="module")
def model(tokenizer):
    torch.manual_seed(0)
    return BertForPreTraining(BertConfig.tiny(vocab_size=tokenizer.vocab_size)).eval()


def test_questions_are_the_same_again_and_stay_in_their_verse(asked, tokenizer):
    assert make_questions(CHAPTERS, tokenizer) == asked
    places = places_of(asked, tokenizer)
    assert len(places.truth) == sum(label != -100 for q in asked for label in q.labels)
    assert (places.window[:, 3] == places.shown).all()
    for number, window in zip(places.question, places.window):
        row = asked[number]
        verses = row.input_ids[1:].copy()
        cut = verses.index(tokenizer.sep_token_id)
        edges = [tokenizer.sep_token_id] * 4
        lines = [[*edges, *verse, *edges] for verse in (verses[:cut], verses[cut + 1 : -1])]
        assert any(
            window.tolist() == line[i : i + 7] for line in lines for i in range(len(line) - 6)
        )


def test_counts_back_off_as_the_exercise_does(rows, tokenizer):
    edge, size = tokenizer.sep_token_id, tokenizer.vocab_size
    windows = training_windows(rows, edge)
    assert len(windows) == sum(map(len, rows))
    contexts = Contexts(windows, (-1,), size)
    shorter = np.random.default_rng(0).dirichlet(np.ones(size), size=len(windows))
    longer = contexts.mix(shorter, windows, tokenizer.mask_token_id)
    for window, before, after in zip(windows, shorter, longer):
        found = [w[3] for w in windows if w[2] == window[2]]
        expected = check_back_off.right(np.bincount(found, minlength=size), before)
        assert np.allclose(after, expected)
    unseen = windows.copy()
    unseen[:, 2] = tokenizer.mask_token_id
    assert (contexts.mix(shorter, unseen, tokenizer.mask_token_id) == shorter).all()
    assert (contexts.seen(windows) >= 1).all() and not contexts.seen(unseen).any()


def test_the_counts_know_what_they_have_read(counts, tokenizer, asked):
    assert counted_answers(tokenizer("thou [MASK] rest"), counts, tokenizer)[0][0] == "shalt"
    assert counted_answers(tokenizer("ye [MASK] go"), counts, tokenizer)[0][0] == "shall"
    places = places_of(asked, tokenizer)
    chances = counts.guesses(places.window)
    assert torch.allclose(chances.sum(-1), torch.ones(len(chances), dtype=torch.float64))
    before = counts.losses(places)
    counts.tune(places)
    assert counts.losses(places).mean() < before.mean()
    shown = (places.shown == places.truth) | (places.shown == tokenizer.mask_token_id)
    assert counts.losses(places)[shown].mean() < counts.losses(places)[~shown].mean()


def test_the_losses_of_a_model_are_those_of_training(model, asked, tokenizer):
    paid = piece_losses(model, asked)
    (question,) = asked[:1]
    ids, types = torch.tensor([question.input_ids]), torch.tensor([question.token_type_ids])
    scores = model(ids, token_type_ids=types).prediction_logits
    labels = torch.tensor([question.labels])
    count = int((labels != -100).sum())
    assert paid[:count].mean() == pytest.approx(masked_lm_loss(scores, labels).item(), abs=1e-5)
    assert len(paid) == len(places_of(asked, tokenizer).truth)
    assert pair_losses(model, asked).mean() == pytest.approx(np.log(2), abs=0.1)


def test_shared_words_tell_pairs_that_share_from_pairs_that_do_not(rows, asked, tokenizer):
    shared = SharedWords(rows, tokenizer.vocab_size, asked)
    coin = SharedWords(rows, tokenizer.vocab_size, asked)
    coin.slope = coin.bias = 0.0
    assert shared.losses(asked).mean() <= coin.losses(asked).mean() == pytest.approx(np.log(2))


def test_pronouns_are_near_or_far_from_what_tells():
    words = "thou ye thee you thy your a b c d e f shalt".split()
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, *words])
    near, also = form_questions(["a thou b thee"], tokenizer)
    assert not near.is_far and not also.is_far and near.is_one
    far, _ = form_questions(["ye a b c d you"], tokenizer)
    assert far.is_far and not far.is_one and far.other == tokenizer.vocab["thou"]
    assert form_questions(["a ye b c d"], tokenizer) == []


def test_each_word_stands_once_in_its_verses_and_they_are_of_the_book():
    book = {verse for part in kjv_parts() for chapter in part for verse in chapter.verses}
    for word, senses in SENSES.items():
        verses = [verse for group in senses.values() for verse in group]
        assert len({*verses}) == len(verses)
        for verse in verses:
            assert verse in book, verse
            split = "".join(c if c.isalpha() else " " for c in verse.lower()).split()
            assert split.count(word) == 1, verse


def test_the_record_is_of_these_questions():
    record, parts = record_of("english"), kjv_parts()
    tokenizer = WordPieceTokenizer.load(HERE / "english" / "vocab.txt", True)
    assert record["pieces"] == tokenizer.vocab_size == 6000
    assert record["changed"] == {
        kind: {"rate": rate, **sizes} for kind, (sizes, rate) in english.CHANGED.items()
    }
    for name, part in parts._asdict().items():
        assert record["text"][name] == english.described(part)
    for name in english.TESTS:
        test = record["tests"][name]
        asked = make_questions(getattr(parts, name)[:2], tokenizer)  # pairs of two chapters alone
        assert len(test["places"]["all"]) == len(getattr(parts, name))
        firsts = [len(chapter.verses) - 1 for chapter in getattr(parts, name)]
        assert test["pairs"]["count"] == firsts
        assert [q.chapter for q in asked].count(0) == firsts[0]
        uniform = np.array(test["losses"]["uniform"]["all"])
        assert np.allclose(uniform, np.log(6000) * np.array(test["places"]["all"]), atol=2e-3)
        assert {*test["losses"]} == {"uniform", "frequencies", "counts", *record["runs"]}


def test_a_run_is_told_with_its_curve(tmp_path):
    run = english.Run("as it is", 20, 0, tmp_path / "run")
    run.folder.mkdir()
    lines = [{"step": n, "masked_lm_loss": 9.0 - n / 100} for n in range(1, 101)]
    text = "\n".join(map(json.dumps, lines))
    (run.folder / "history.jsonl").write_text(text, encoding="utf-8")
    run.seconds.write_text("40\n2\n", encoding="utf-8")
    told = run.told()
    assert told["seconds"] == 42 and len(told["curve"]) == english.POINTS
    assert told["curve"][-1][0] == 100 and told["curve"][0][1] > told["curve"][-1][1]
