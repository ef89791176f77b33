"""Right answers to the exercises of Chapter 1, written in other ways, pass."""

import re

import numpy as np
import pytest

from bertbook.checks.neighbors import (
    check_cosines,
    check_neighbor_averages,
    check_sentence,
)


def norm(vectors):
    return np.linalg.norm(vectors, axis=1)


def cosines(vectors):
    units = vectors / norm(vectors)[:, None]
    return units @ units.T


def cosines_differently(vectors):
    """Right, pair by pair, as a list."""
    return [[float(a @ b / (a @ a * (b @ b)) ** 0.5) for b in vectors] for a in vectors]


def averages(vectors):
    """Right, word by word."""
    words = range(len(vectors))
    return np.array([np.delete(vectors, i, axis=0).mean(axis=0) for i in words])


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_cosines, cosines),
        (check_neighbor_averages, lambda v: (v.sum(0) - v) / (len(v) - 1)),
        (check_neighbor_averages, lambda v: (v.sum(0) - v).astype(np.float32) / (len(v) - 1)),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_cosines, cosines_differently, "a loop"),
        (check_neighbor_averages, averages, "a loop"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_cosines, lambda v: np.abs(cosines(v)), "You drop the signs"),
        (check_cosines, lambda v: np.linalg.norm(v[:, None] - v, axis=-1), "That is a"),
        (
            check_cosines,
            lambda v: v @ v.T / np.sqrt(np.outer(norm(v), norm(v))),
            "How many roots has a length",
        ),
        (check_neighbor_averages, lambda v: (v.sum(0) - v) / v.shape[1], "How many other words"),
        (check_neighbor_averages, lambda v: v.sum(0) / (len(v) - 1) - v, "What is divided"),
        (check_neighbor_averages, lambda v: 0 * v + v.sum(0) / (len(v) - 1), "Take each word"),
    ],
)
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message


STATIC = {
    "a": [4, 4], "light": [2, 2], "pie": [3, 1], "with": [1, 0], "two": [0, 1], "rooms": [0, 1],
    "between": [0, 1], "cherry": [5, 1], "digital": [1, 5], "signal": [0, 3],
}  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        "A light pie between two rooms, two rooms.",
        "light pie two two two".split(),
        ["a light pie – two rooms, two rooms"],
        np.array(["“Light”", "pie", "two", "two", "two"]),
    ],
)
def test_a_sentence_that_turns_light_passes(answer):
    verdict = check_sentence(lambda: answer, STATIC)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (None, "returns nothing yet"),
        ("a light pie with cherry", "cosine 0.97 with cherry and 0.59 with digital"),
        ("a light pie with a signal", "'signal' is not allowed"),
        ("a pie between two rooms", "has light 0 times"),
        ("light light pie", "has light 2 times"),
        ("light between two rooms", "should be about a pie"),
        ("a light pie upstairs", "'upstairs' does not stand in the tiny corpus"),
        (3, "'3' does not stand"),
        ("", "has light 0 times"),
    ],
)
def test_a_sentence_that_does_not(answer, hint):
    verdict = check_sentence(lambda: answer, STATIC)
    assert not verdict.passed
    assert hint in verdict.message
