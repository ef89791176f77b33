"""Right answers to the exercises of Chapter 11, written in other ways, pass."""

import numpy as np
import pytest
import torch
from torch import nn

from minibert.checks.chapter11 import check_expected, check_head, check_labels, check_replacement
from minibert.config import BertConfig
from minibert.heads import BertLMPredictionHead


def expected(tokens, share):
    """Right, and counted in hundredths of the chosen."""
    return tuple(tokens * share * part / 100 for part in (80, 10, 10))


def labels(ids, chosen):
    """Right, and written with a copy."""
    answers = np.full_like(ids, -100)
    answers[chosen] = ids[chosen]
    return answers


def replace(ids, chosen, draws, words, mask_id):
    """Right, and written with a loop."""
    new = ids.copy()
    for place in np.argwhere(chosen):
        place = tuple(place)
        if draws[place] < 0.8:
            new[place] = mask_id
        elif draws[place] < 0.9:
            new[place] = words[place]
    return new


def head_loss(vector, weight, dense_bias, table, bias, word):
    """Right, and computed by the package."""
    vocab, hidden = table.shape
    config = BertConfig(vocab_size=vocab, hidden_size=hidden, num_attention_heads=1)
    head = BertLMPredictionHead(config, nn.Embedding(vocab, hidden)).double()
    values = (weight, dense_bias, table, bias)
    places = (
        head.transform.dense.weight,
        head.transform.dense.bias,
        head.decoder.weight,
        head.bias,
    )
    with torch.no_grad():
        for place, value in zip(places, values):
            place.copy_(torch.tensor(value))
        scores = head(torch.tensor(vector))
    return nn.functional.cross_entropy(scores, torch.tensor(word)).item()


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_expected, expected),
        (check_labels, labels),
        (check_replacement, replace),
        (check_head, head_loss),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict
