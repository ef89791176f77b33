"""Right answers to the exercises of Chapter 12, written in other ways, pass."""

import numpy as np
import pytest
import torch

from minibert.checks.chapter12 import check_negatives, check_total_loss
from minibert.data import NOT_NEXT, draw_pairs
from minibert.losses import masked_lm_loss, next_sentence_loss


def negatives(documents, number, place):
    """Right, and written with loops."""
    found = []
    following = " ".join(documents[number][place + 1].lower().split())
    for other in range(len(documents)):
        if other == number:
            continue
        for sentence in documents[other]:
            if " ".join(sentence.lower().split()) != following:
                found.append(sentence)
    return found


def total_loss(word_scores, word_labels, pair_scores, pair_labels):
    """Right, by the package."""
    words = masked_lm_loss(torch.tensor(word_scores), torch.tensor(word_labels))
    pairs = next_sentence_loss(torch.tensor(pair_scores), torch.tensor(pair_labels))
    return (words + pairs).item()


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_negatives, negatives),
        (check_total_loss, total_loss),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


def test_the_negatives_are_those_that_the_package_draws():
    stories = check_negatives.cases[0][0]
    drawn = {
        pair.second
        for seed in range(300)
        for pair in draw_pairs(stories, 0, rng=np.random.default_rng(seed), start=0, stop=1)
        if pair.next_sentence_label == NOT_NEXT
    }
    assert drawn == set(negatives(stories, 0, 0))
