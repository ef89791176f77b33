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


def pair_floor_by_hiding(sentences):
    answers = defaultdict(list)
    for sentence in sentences:
        words = sentence.split()
        for pair in combinations(range(len(words)), 2):
            left = " ".join("_" if i in pair else word for i, word in enumerate(words))
            for i in pair:
                answers[left, i].append(words[i])
    losses = [-math.log(found.count(w) / len(found)) for found in answers.values() for w in found]
    return sum(losses) / len(losses)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_dropout, dropout_with_where),
        (check_unigram_loss, unigram_with_counter),
        (check_masked_loss, masked_loss_with_a_loop),
        (check_pair_floor, pair_floor_by_hiding),
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
