"""Right answers to the exercises of Chapter 7, written in other ways, pass."""

import math
import re

import numpy as np
import pytest
import torch

from bertbook.checks.embeddings import (
    check_distance_bias,
    check_input_vectors,
    check_position_code,
    check_segments,
)
from minibert.embeddings import sinusoidal_positions
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

TOKENIZER = WordPieceTokenizer([*SPECIAL_TOKENS, "word"])


def segments(first, second):
    """Right, by the package's tokenizer."""
    pair = None if second is None else ["word " * second]
    row = TOKENIZER(["word " * first], pair)["token_type_ids"][0]
    return "".join("AB"[number] for number in row)


def input_vectors(ids, types, words, segment_table, places):
    """Right, by loops."""
    sums = np.zeros((*ids.shape, words.shape[1]))
    for (row, place), token in np.ndenumerate(ids):
        sums[row, place] = words[token] + segment_table[types[row, place]] + places[place]
    return sums


def position_code(position, hidden_size):
    """Right, by the package."""
    return sinusoidal_positions(position + 1, hidden_size, torch.float64)[position].numpy()


def coded(angle, order=(math.sin, math.cos)):
    """Compute a code from the angle of each entry: entry, pair, position and size in."""

    def code(position, hidden_size):
        return np.array([
            order[entry % 2](angle(entry, entry // 2, position, hidden_size))
            for entry in range(hidden_size)
        ])  # fmt: skip

    return code


def angle(entry, pair, position, hidden_size):
    return position / 10000 ** (2 * pair / hidden_size)


def looked_up(ids, types, words, segment_table, places):
    """Right, by one-hot products."""
    here = np.eye(len(words))[ids] @ words + np.eye(len(segment_table))[types] @ segment_table
    return here + np.eye(len(places))[None, : ids.shape[-1]] @ places


def by_where(table, seq):
    """Right, with the ends apart."""
    reach = len(table) // 2
    step = torch.arange(seq).repeat(seq, 1) - torch.arange(seq).unsqueeze(1) + reach
    inside = torch.take(table, step % len(table))
    return torch.where(step < 0, table[0], torch.where(step >= len(table), table[-1], inside))


def unlearned(table, seq):
    return by_where(table.detach(), seq)


def by_numpy(table, seq):
    return torch.from_numpy(by_where(table, seq).numpy())


def distance_bias(table, seq):
    """Right, by loops."""
    reach = len(table) // 2
    rows = [[table[max(0, min(2 * reach, j - i + reach))] for j in range(seq)] for i in range(seq)]
    return torch.stack([torch.stack(row) for row in rows])


def diagonals(table, seq):
    """Right, as sums of diagonals."""
    reach = len(table) // 2
    steps = range(1 - seq, seq)
    rows = (torch.diag(table[[max(0, min(2 * reach, k + reach))]].expand(seq - abs(k)), k)
            for k in steps)  # fmt: skip
    return sum(rows)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_distance_bias, by_where),
        (check_segments, segments),
        (check_input_vectors, looked_up),
        (check_position_code, coded(angle)),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_position_code, position_code, "sinusoidal_positions"),
        (check_distance_bias, distance_bias, "a loop"),
        (check_distance_bias, diagonals, "a loop"),
        (check_input_vectors, input_vectors, "a loop"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize(
    ("answer", "lacks"),
    [(unlearned, "no gradient reaches the table"), (by_numpy, "Can't call numpy")],
)
def test_a_table_that_cannot_learn_is_noticed(answer, lacks):
    verdict = check_distance_bias(answer)
    assert not verdict.passed
    assert lacks in verdict.message
