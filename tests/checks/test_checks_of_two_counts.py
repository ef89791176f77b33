"""Proofs that no matrices do it pass however they are written; others are told what they lack."""

import numpy as np
import pytest

from bertbook.topics.self_attention.two_counts import _COUNTS, _SENTENCES, check_no_matrices

PROOF = [("pie", "a", 1), ("pie", "light", 1), ("signal", "brings", 2)]


@pytest.mark.parametrize(
    "answer",
    [
        PROOF,
        [["pie", "a", 0.5], ["pie", "light", 0.5], ["signal", "brings", 1.0]],
        {("pie", "a"): 3, ("pie", "light"): 3, ("signal", "brings"): 6},
        iter(PROOF),
        [(winner, loser, np.float64(times)) for winner, loser, times in PROOF],
    ],
)
def test_a_proof_passes(answer):
    verdict = check_no_matrices(lambda: answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "returns nothing yet"),
        ([], "compares nothing"),
        ("pie", "A comparison is (winner, loser, times)"),
        ([("pie", "a"), ("pie", "light")], "How often is ('pie', 'a') taken?"),
        ([("pie", "a", np.inf)], "is no number"),
        ([("pie", "a", -1), ("pie", "light", 1)], "Does a positive difference stay so"),
        ([("a", "pie", 1)], "Did you write the loser first?"),
        ([("cream", "with", 1)], "'cream' is not supposed to win. The winners are"),
        ([("pie", "signal", 1)], "'pie' never meets it"),
        ([("pie", "pie", 1)], "is compared with itself"),
        (PROOF[:2], "There pie can win, with g = [1, −1]"),
        (("signal", "brings", 1), "There signal can win, with g = [−1, 1]"),
        ([*PROOF[:2], ("signal", "brings", 1)], "You are close: pie's add up to [0, −4]"),
        ([("pie", "light", 1), ("signal", "light", 1)], "With which two of pie's rivals"),
        ([*PROOF[:2], ("signal", "a", 1)], "With which of signal's rivals"),
    ],
)
def test_what_is_no_proof(answer, told):
    verdict = check_no_matrices(lambda: answer)
    assert not verdict.passed
    assert told in verdict.message
    assert len(verdict.message) <= 600


def wins(word, sentence, g):
    scores = {other: np.dot(g, _COUNTS[other]) for other in sentence.split()}
    return all(scores[word] > scores[other] for other in scores if other != word)


def test_the_hints_name_directions_in_which_one_wins():
    assert wins("pie", _SENTENCES["pie"], [1, -1])
    assert wins("signal", _SENTENCES["signal"], [-1, 1])


def test_no_direction_lets_both_win():
    angles = np.linspace(0, 2 * np.pi, 3601)
    directions = list(zip(np.cos(angles), np.sin(angles)))
    pie, signal = ([wins(*pair, g) for g in directions]
                   for pair in _SENTENCES.items())  # fmt: skip
    assert any(pie) and any(signal)
    assert not any(a and b for a, b in zip(pie, signal))
