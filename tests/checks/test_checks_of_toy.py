"""Right answers to the exercises of Chapter 5, written in other ways, pass."""

import math
import re
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from bertbook.checks.toy import check_dropout, check_masked_loss
from bertbook.checks.toy_corpus import check_pair_floor, check_unigram_loss
from bertbook.corpus import masked_word_loss


def dropout_with_where(x, kept, rate):
    return np.where(kept, x / (1 - rate), 0.0)


def unigram_with_counter(sentences):
    counts = Counter(" ".join(sentences).split())
    total = sum(counts.values())
    return math.fsum(n / total * math.log(total / n) for n in counts.values())


def masked_loss_with_a_loop(logits, labels):
    losses = []
    for scores, label in zip(logits, labels, strict=True):
        if label != -100:
            top = max(scores)
            losses.append(top + math.log(sum(np.exp(scores - top))) - scores[label])
    return sum(losses) / len(losses)


def own_mask(x, kept, rate, scale=1.0):
    return x * (np.random.default_rng(1).random(x.shape) >= rate) * scale


def in_base(log):
    """Write the loss with another logarithm of the sum."""

    def loss(logits, labels):
        scores, truth = logits[labels != -100], labels[labels != -100]
        scores = scores - scores.max(axis=-1, keepdims=True)
        return (log(np.exp(scores).sum(-1)) - scores[np.arange(len(truth)), truth]).mean()

    return loss


def answers_by_hole(sentences):
    answers = defaultdict(list)
    for sentence in sentences:
        words = sentence.split()
        for pair in combinations(range(len(words)), 2):
            left = " ".join("_" if i in pair else word for i, word in enumerate(words))
            for i in pair:
                answers[left, i].append(words[i])
    return answers


def pair_floor_by_choices(sentences):
    """Let all words that are possible be equally probable."""
    found = answers_by_hole(sentences).values()
    return sum(len(words) * math.log(len({*words})) for words in found) / sum(map(len, found))


def pair_floor_by_hiding(sentences):
    answers = answers_by_hole(sentences)
    losses = [-math.log(found.count(w) / len(found)) for found in answers.values() for w in found]
    return sum(losses) / len(losses)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_dropout, dropout_with_where),
        (check_unigram_loss, unigram_with_counter),
        (check_masked_loss, masked_loss_with_a_loop),
        (check_pair_floor, pair_floor_by_hiding),
        (check_masked_loss, in_base(np.log)),
        (check_masked_loss, lambda *case: np.float32(masked_loss_with_a_loop(*case))),
        (check_dropout, lambda x, kept, rate: dropout_with_where(x, kept, rate).astype(np.float32)),
        (check_dropout, lambda x, kept, rate: dropout_with_where(x, kept, rate).tolist()),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (
            check_unigram_loss,
            lambda s: masked_word_loss(s, lambda words, i: None),
            "masked_word_loss",
        ),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_dropout, own_mask, "You draw a mask of your own"),
        (check_dropout, lambda *case: own_mask(*case, scale=1 / (1 - case[-1])), "of your own"),
        (check_dropout, lambda x, kept, rate: x * kept / 1 - rate, "put brackets around 1 - rate"),
        (check_masked_loss, in_base(np.log2), "The logarithm that undoes np.exp is np.log"),
        (check_masked_loss, in_base(np.log10), "The logarithm that undoes np.exp is np.log"),
        (check_masked_loss, lambda *case: in_base(np.log)(*case) / math.log(10), "the base 10"),
        (check_masked_loss, lambda *case: np.exp(in_base(np.log)(*case)), "the perplexity"),
        (check_unigram_loss, lambda s: unigram_with_counter(["".join(s)]), "Joined without"),
        (check_pair_floor, pair_floor_by_choices, "the logarithm of how many words are possible"),
        (check_pair_floor, lambda s: pair_floor_by_hiding(s) / math.log(10), "the base 10"),
    ],
)  # fmt: skip
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message
