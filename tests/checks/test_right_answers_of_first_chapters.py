"""Right answers to the exercises of Chapters 1 to 6, written in other ways; and masks by trace."""

import math
from collections import defaultdict
from functools import cache
from itertools import combinations

import numpy as np
import pytest
import torch
from torch.nn import functional

from bertbook.topics.gradients.checks import check_cross_entropy_backward
from bertbook.topics.gradients.layers import check_layer_norm_backward, check_linear_backward
from bertbook.topics.gradients.softmax import check_softmax_backward
from bertbook.topics.masks.checks import (
    check_additive_mask,
    check_causal_mask,
    check_mean_loss,
    check_padding_and_causal,
    check_promises,
)
from bertbook.topics.neighbors.checks import check_neighbor_averages
from bertbook.topics.self_attention.checks import (
    check_attention,
    check_softmax,
    check_streamed_attention,
)
from bertbook.topics.toy.checks import check_masked_loss
from bertbook.topics.toy.corpus import check_pair_floor
from bertbook.topics.word_pieces.checks import check_gain, check_merge
from bertbook.topics.word_pieces.cuts import check_fewest_pieces, check_longest_match
from minibert.wordpiece import merge_gain

LOWEST = np.finfo(np.float64).min


def softmax(x):
    """Go through logarithms."""
    shifted = x - np.max(x, -1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(-1))[..., None])


def attention(query, key, value):
    scores = np.einsum("...qd,...kd->...qk", query, key) / key.shape[-1] ** 0.5
    return np.einsum("...qk,...kd->...qd", softmax(scores), value)


def streamed(query, blocks):
    """Go query by query."""
    top, total = np.full(len(query), -np.inf), np.zeros(len(query))
    mixed = None
    for key, value in blocks:
        mixed = np.zeros((len(query), value.shape[1])) if mixed is None else mixed
        for i, q in enumerate(query):
            scores = key @ q / key.shape[1] ** 0.5
            new = max(top[i], scores.max())
            e = np.exp(scores - new)
            total[i] = total[i] * np.exp(top[i] - new) + e.sum()
            mixed[i] = mixed[i] * np.exp(top[i] - new) + e @ value
            top[i] = new
    return mixed / total[:, None]


def hide(attention_mask, number):
    return np.where(attention_mask[..., None, :] == 1, 0.0, number)


def both_masks(attention_mask):
    return np.where(np.tri(attention_mask.shape[-1]) * attention_mask[..., None, :], -0.0, LOWEST)


def mean_in_a_loop(losses, labels):
    chosen = []
    for row, asked in zip(losses, labels, strict=True):
        chosen += [loss for loss, label in zip(row, asked, strict=True) if label != -100]
    return sum(chosen) / len(chosen)


def promises(attend):
    """Try a mask with random vectors and enormous padding, and a text that is all padding."""
    x, mask = np.abs(np.random.default_rng(1).standard_normal((5, 5))), np.array([1, 0, 1, 1, 0])
    words = mask == 1
    x[~words] = 500
    padded, _ = attend(x, x, x, mask)
    alone, _ = attend(x[words], x[words], x[words], np.ones(words.sum()))
    finite = bool(np.isfinite(attend(x, x, x, np.zeros(len(x)))[0]).all())
    return np.allclose(padded[words], alone) and finite


def by_autograd(function, arrays, grad_output):
    """Let autograd answer: right, and written by nobody here."""
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    grads = torch.autograd.grad(function(*tensors), tensors, torch.as_tensor(grad_output))
    return tuple(grad.numpy() for grad in grads)


def linear_backward(g, x, w):
    rows, inputs = g.reshape(-1, 2), x.reshape(-1, 3)
    return g @ w, np.einsum("to,ti->oi", rows, inputs), np.einsum("to->o", rows)


def norm_backward(g, x, w):
    def norm(x, w, b):
        return functional.layer_norm(x, x.shape[-1:], w, b, 1e-12)

    return by_autograd(norm, [x, w, np.zeros(w.shape)], g)


def cross_entropy_backward(logits, labels):
    function = functional.cross_entropy
    return by_autograd(lambda x: function(x, torch.tensor(labels)), [logits], 1.0)[0]


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


def gain(n, a, b, total):
    return n * (-math.log(a / total) - math.log(b / total) + math.log(n / total))


def merge(spelled, counts):
    """Take lists in place of counters, and indices."""
    places = [(a, b, n) for word, n in zip(spelled, counts) for a, b in zip(word, word[1:])]
    pieces = [(piece, n) for word, n in zip(spelled, counts) for piece in word]

    def gain(pair):
        n = sum(m for a, b, m in places if (a, b) == pair)
        left, right = (sum(m for p, m in pieces if p == one) for one in pair)
        return round(float(merge_gain(n, left, right, sum(m for _, m in pieces))), 9)

    pair = max(sorted({(a, b) for a, b, _ in places}), key=gain)
    for word in spelled:
        done, i = [], 0
        while i < len(word):
            both = tuple(word[i : i + 2]) == pair
            done.append(word[i] + word[i + 1].removeprefix("##") if both else word[i])
            i += 1 + both
        yield done


def fewest(word, pieces):
    """Take recursion from the front, and count no rest twice."""

    @cache
    def rest(start):
        mark = "##" if start else ""
        ends = [e for e in range(start + 1, len(word) + 1) if mark + word[start:e] in pieces]
        return 0 if start == len(word) else min([1 + rest(e) for e in ends], default=99)

    return rest(0) if rest(0) < 99 else 0


def longest(word, pieces):
    def rest(text, mark):
        if not text:
            return []
        for size in range(len(text), 0, -1):
            if mark + text[:size] in pieces:
                after = rest(text[size:], "##")
                return None if after is None else [mark + text[:size], *after]
        return None

    return rest(word, "") or ["[UNK]"]


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_neighbor_averages, lambda v: (v.sum(0) - v) / (len(v) - 1)),
        (check_softmax, softmax),
        (check_attention, attention),
        (check_streamed_attention, streamed),
        (check_additive_mask, lambda mask: (1.0 - mask[..., None, :]) * LOWEST),
        (check_causal_mask, lambda seq: (1 - np.tri(seq)) * LOWEST),
        (check_padding_and_causal, both_masks),
        (check_mean_loss, mean_in_a_loop),
        (check_promises, promises),
        (check_softmax_backward, lambda g, p: p * g - p * (p * g).sum(-1, keepdims=True)),
        (check_cross_entropy_backward, cross_entropy_backward),
        (check_layer_norm_backward, norm_backward),
        (check_linear_backward, linear_backward),
        (check_masked_loss, masked_loss_with_a_loop),
        (check_pair_floor, pair_floor_by_hiding),
        (check_gain, gain),
        (check_merge, merge),
        (check_longest_match, longest),
        (check_fewest_pieces, fewest),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_additive_mask, lambda mask: hide(mask, -500), "Does np.finfo know a"),
        (check_additive_mask, lambda mask: hide(mask, -1e-9), "Which entry of"),
        (
            check_causal_mask,
            lambda seq: np.triu(np.full((seq, seq), -1e30), 1),
            "Does a float64 go",
        ),
        (check_padding_and_causal, lambda mask: both_masks(mask) / 2, "Does a float64 go lower?"),
    ],
)
def test_a_mistake_with_many_faces_is_known_by_its_trace(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message
