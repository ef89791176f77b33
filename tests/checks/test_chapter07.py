"""Planted wrong answers to the exercises of Chapter 7 get the right hint."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from minibert.checks.chapter07 import (
    check_input_vectors,
    check_position_code,
    check_segments,
    check_table_gradient,
)
from minibert.embeddings import sinusoidal_positions
from minibert.reference import layer_norm
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


def table_gradient(grad_output, ids, vocab_size, pad_token_id):
    """Right, by autograd."""
    hidden = grad_output.shape[-1]
    table = nn.Embedding(vocab_size, hidden, padding_idx=pad_token_id, dtype=torch.float64)
    table(torch.tensor(ids)).backward(torch.tensor(grad_output))
    return table.weight.grad.numpy()


def test_right_answers_pass():
    assert check_segments(segments).passed
    assert check_input_vectors(input_vectors).passed
    assert check_position_code(position_code).passed
    assert check_table_gradient(table_gradient).passed


def spelled(before, after_first, after_second):
    """Write segments from the special tokens before, between and after."""

    def write(first, second):
        row = before + "A" * first + after_first
        return row if second is None else row + "B" * second + after_second

    return write


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (spelled("", "", ""), "Which special tokens"),
        (spelled("A", "", ""), "One special token of the first"),
        (spelled("A", "A", ""), "The last [SEP] is missing"),
        (lambda a, b: "A" * (a + 1) + ("" if b is None else "B" * (b + 2)), "so it has the segm"),
        (lambda a, b: "A" * (a + 3) + ("" if b is None else "B" * b), "ends the second text"),
        (spelled("A", "A", "BB"), "one special token too many"),
        (lambda a, b: segments(a, b).replace("B", "A"), "could not tell the texts apart"),
        (lambda a, b: segments(a, b or 0), "None means"),
        (lambda a, b: segments(a, b or None), "0 pieces is there"),
        (lambda a, b: segments(a, b).replace("A", "0").replace("B", "1"), "Write A for 0"),
        (lambda a, b: " ".join(segments(a, b)), "without spaces"),
        (lambda a, b: list(segments(a, b)), "shape"),
        (lambda a, b: "A" * (a + 2) + "B" * (b + 1), "stopped with TypeError"),
        (lambda a, b: None, "nothing yet"),
        (lambda a, b: "C", "expected"),
    ],
)
def test_wrong_segments(wrong, hint):
    verdict = check_segments(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def with_places(choose):
    """Look up and add, with places chosen otherwise."""

    def vectors(ids, types, words, segment_table, places):
        bag = input_vectors(ids, types, words, segment_table, np.zeros_like(places))
        return bag + choose(ids, places)

    return vectors


def normalized(*given):
    sums = input_vectors(*given)
    hidden = sums.shape[-1]
    return layer_norm(sums, np.ones(hidden), np.zeros(hidden))


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (with_places(lambda ids, places: 0), "would be a bag"),
        (lambda i, s, w, t, p: input_vectors(i, s, w, 0 * t, p), "would be one text"),
        (lambda i, s, w, t, p: input_vectors(i, 0 * s, w, t, p), "the row of segment A"),
        (with_places(lambda ids, places: places[0]), "row of place 0"),
        (with_places(lambda ids, places: places[1 : 1 + ids.shape[1]]), "from 1"),
        (with_places(lambda ids, places: places[ids % len(places)]), "by the id"),
        (lambda i, s, w, t, p: w[i] * t[s] * p[: i.shape[1]], "multiply"),
        (lambda *given: input_vectors(*given) / 3, "the mean"),
        (normalized, "after LayerNorm"),
        (lambda i, s, w, t, p: input_vectors(i, s, w, t, p)[0], "shape"),
        (lambda i, s, w, t, p: w[i] + p[i], "stopped with IndexError"),
        (lambda i, s, w, t, p: np.multiply(w, 0, out=w)[i], "changes its input"),
        (lambda *given: input_vectors(*given) + 1, "expected"),
        (lambda *given: ..., "nothing yet"),
    ],
)
def test_wrong_input_vectors(wrong, hint):
    verdict = check_input_vectors(wrong)
    assert not verdict.passed
    assert hint in verdict.message


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


def test_the_planted_code_is_right_as_it_stands():
    assert check_position_code(coded(angle)).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda p, h: position_code(p, h).reshape(-1, 2).T.flatten(), "All sines come first"),
        (coded(angle, (math.cos, math.sin)), "changed places"),
        (coded(lambda e, i, p, h: p / 10000 ** (i / h)), "exponent is i / H"),
        (coded(lambda e, i, p, h: p / 10000 ** (e / h)), "different angles"),
        (coded(lambda e, i, p, h: p * 10000 ** (2 * i / h)), "faster and faster"),
        (coded(lambda e, i, p, h: p / 1000 ** (2 * i / h)), "base is 1000"),
        (coded(lambda e, i, p, h: angle(e, i, p + 1, h)), "from 1"),
        (coded(lambda *given: math.radians(angle(*given))), "degrees"),
        (lambda p, h: position_code(p, h)[: h // 2], "shape"),
        (lambda p, h: position_code(p, h) + 0.5, "expected"),
        (lambda p, h: np.full(h, math.nan), "not finite"),
        (lambda p, h: None, "nothing yet"),
    ],
)
def test_wrong_position_code(wrong, hint):
    verdict = check_position_code(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def gradient_without_padding(grad_output, ids, vocab_size, pad_token_id):
    one_hot = np.eye(vocab_size)[ids]
    return np.einsum("bsv,bsh->vh", one_hot, grad_output)


def gradient_that_overwrites(grad_output, ids, vocab_size, pad_token_id):
    grad = np.zeros((vocab_size, grad_output.shape[-1]))
    grad[ids] += grad_output
    return grad


def mended(gradient, pad):
    """Set one row to 0: that of the padding token, or a fixed one."""

    def function(grad_output, ids, vocab_size, pad_token_id):
        grad = gradient(grad_output, ids, vocab_size, pad_token_id)
        grad[pad_token_id if pad is None else pad] = 0
        return grad

    return function


def gradient_of_means(grad_output, ids, vocab_size, pad_token_id):
    grad = table_gradient(grad_output, ids, vocab_size, pad_token_id)
    for token in range(vocab_size):
        grad[token] /= max(1, (ids == token).sum())
    return grad


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (gradient_without_padding, "padding token learns. Its"),
        (mended(gradient_without_padding, 0), "always 0"),
        (mended(gradient_that_overwrites, None), "np.add.at"),
        (gradient_that_overwrites, "last gradient, and the row"),
        (gradient_of_means, "Paths that meet"),
        (lambda g, i, v, p: table_gradient(g[:1], i[:1], v, p), "first text only"),
        (lambda g, i, v, p: table_gradient(g, i, v, p)[i], "shape"),
        (lambda g, i, v, p: -table_gradient(g, i, v, p), "expected"),
        (lambda g, i, v, p: ..., "nothing yet"),
    ],
)
def test_wrong_table_gradient(wrong, hint):
    verdict = check_table_gradient(wrong)
    assert not verdict.passed
    assert hint in verdict.message
