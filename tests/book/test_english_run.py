"""The page on a real book: its guessers by hand, and its record in part."""

import numpy as np
import pytest
import torch

from benchmarks import english
from benchmarks.english_measures.counts import Contexts, CountingGuesser, training_windows
from benchmarks.english_measures.guessing import counted_answers, pair_losses, piece_losses
from benchmarks.english_measures.questions import make_questions, places_of
from bertbook.corpus import Chapter, kjv_parts
from bertbook.records import HERE, record_of
from bertbook.topics.english.checks import check_back_off
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


def test_counts_back_off_as_the_exercise_does(rows, asked, tokenizer):
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
    (question,) = asked[:1]
    ids, types = torch.tensor([question.input_ids]), torch.tensor([question.token_type_ids])
    scores = model(ids, token_type_ids=types).prediction_logits
    labels = torch.tensor([question.labels])
    count = int((labels != -100).sum())
    assert paid[:count].mean() == pytest.approx(masked_lm_loss(scores, labels).item(), abs=1e-5)
    assert len(paid) == len(places_of(asked, tokenizer).truth)
    assert pair_losses(model, asked).mean() == pytest.approx(np.log(2), abs=0.1)


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
