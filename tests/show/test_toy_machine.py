"""The drawing of the toy: the probability becomes a loss, and the loss has its step."""

import re

import pytest

from bertbook.corpus import hundred_sentences, masked_word_ladder
from bertbook.show.toy_machine import toy_machine

RUNGS = ("uniform", "unigram", "neighbors", "bag", "floor")
LADDER = dict(zip(RUNGS, masked_word_ladder(hundred_sentences())))


def test_the_loss_is_that_of_the_probability():
    drawn = toy_machine(1 / 89, LADDER)
    assert "p(sits) = 0.0112" in drawn and "= 4.49 nats" in drawn
    assert "bag 0.106" in drawn and "floor 0.076" in drawn


@pytest.mark.parametrize("probability", [1 / 89, 0.5])
def test_the_steps_stand_in_their_order_and_the_line_ends_at_its_loss(probability):
    drawn = toy_machine(probability, LADDER)
    steps = [float(x) for x in re.findall(r'circle cx="(\d+)"', drawn)]
    assert steps == sorted(steps, reverse=True) and 14 < min(steps) < max(steps) < 350
    (end,) = (float(x) for x in re.findall(r" 366 (\d+) 366", drawn))
    assert (end > steps[1]) == (probability < 0.02)
