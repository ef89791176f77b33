"""Exercises of Chapter 23: masks, attention by blocks, packing, eight bits."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import (
    any_scale_of_zeros,
    gradients_flow,
    is_float32,
    no_table,
    to_tensor,
)

_LOWEST = np.finfo(np.float32).min
_RNG = np.random.default_rng(20)


def _mask(lengths):
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    hidden = sentence[:, None] != sentence
    return np.where(hidden, _LOWEST, 0.0)


check_block_mask = Exercise(
    "Hide from every token of a row all sentences but its own.",
    _mask,
    cases=[([2, 1, 3],), ([1, 4],), ([3],)],
    edges=[([2, 2],)], forbidden=["block_mask"], then=is_float32([2, 1, 3]),
    mistakes={
        "!= → ==": "0 stands where a token may look.",
        "_LOWEST → 1.0": "The mask is added to scores. What hides one?",
        "_LOWEST → -1e9 ¦ -1e4 ¦ -_LOWEST": "Is that the most negative number of float32?",
        "_LOWEST → -np.inf ¦ np.finfo(np.float64).min": "Infinite in float32: a hidden row is nan.",
        "!= → < ¦ >": "Both directions have to be hidden.",
    },
)  # fmt: skip


def _by_blocks(query, key, value, block):
    query = query / query.shape[-1] ** 0.5
    largest = np.full_like(query[..., :1], -np.inf)
    total, weighted = np.zeros_like(largest), np.zeros_like(query)
    for at in range(0, key.shape[-2], block):
        here = slice(at, at + block)
        scores = query @ np.swapaxes(key[..., here, :], -1, -2)
        before = largest
        largest = np.maximum(before, scores.max(axis=-1, keepdims=True))
        shrink, weights = np.exp(before - largest), np.exp(scores - largest)
        total = total * shrink + weights.sum(axis=-1, keepdims=True)
        weighted = weighted * shrink + weights @ value[..., here, :]
    return weighted / total


def _qkv(*shape, sizes=1.0):
    return tuple(sizes * _RNG.normal(size=shape) for _ in range(3))


check_online_attention = Exercise(
    "Compute attention block by block, without its table.",
    _by_blocks,
    cases=[(*_qkv(1, 4, 1), 2), (*_qkv(2, 5, 3), 2), (*_qkv(2, 2, 6, 4), 3), (*_qkv(3, 2), 5)],
    edges=[(*_qkv(1, 3, 2, sizes=60.0), 3), (*_qkv(1, 4, 2, sizes=60.0), 1),
           (np.full((1, 2), 30.0), np.full((2, 2), -30.0), np.eye(2), 1)], given=to_tensor,
    forbidden=["softmax", "log_softmax", "scaled_dot_product_attention"],
    then=lambda f: gradients_flow(*_qkv(2, 3, 2), 2, to=3)(f) or no_table(*_qkv(64, 2), 4)(f),
    mistakes={
        "total * shrink → total": "What was added up was made with the old largest score: let it "
            "shrink.",
        "scores - largest → scores": "Weights and old sums are made with one largest score.",
        "** 0.5 → ": "Divide by the square root of the head size.",
        "np.maximum(before, …) → …": "Keep the largest so far, or a factor is infinite.",
        "weights.sum(…) → 1.0": "Add up all weights of the block.",
    },
)  # fmt: skip


def _pack(lengths, width):
    bins, rooms = [], []
    for row in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        fitting = [place for place, room in enumerate(rooms) if room >= lengths[row]]
        place = [*fitting, len(bins)][0]
        if place == len(bins):
            bins.append([])
            rooms.append(width)
        bins[place].append(row)
        rooms[place] -= lengths[row]
    return bins


check_packing = Exercise(
    "Pack rows into bins of one width: the longest first, into the first bin with room.",
    _pack,
    cases=[([5, 7, 5, 2, 4, 2, 5, 1, 6], 10), ([3, 3, 3, 9, 1, 8, 2], 9),
           ([44, 70, 21, 52, 33, 13, 96, 61, 11, 17], 100), ([10, 42, 60, 45], 100)],
    mistakes={
        "-lengths[i] → lengths[i]": "Longest first.",
        "-lengths[i]) → lengths[i])[::-1]": "Of two equal rows you take the last one first.",
        "return bins → return bins[:1]": "What fits nowhere opens a new bin.",
        "room >= → room >": "A row that fills its bin exactly fits as well.",
        "return bins → return len(bins)": "That is the number of bins. Return them.",
    },
)  # fmt: skip


def _in_eight_bits(x):
    scale = np.abs(x).max(axis=1, keepdims=True) / 127
    numbers = np.round(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))
    return numbers, scale


check_quantize = Exercise(
    "Write each row as whole numbers from -127 to 127 and one scale.",
    _in_eight_bits,
    cases=[(np.array([[0.5, -1.27, 0.013], [2.0, 1.0, -0.6]]),), (_RNG.normal(size=(3, 5)),),
           (_RNG.normal(scale=[[1.0], [50.0]], size=(2, 4)),)],
    edges=[(np.array([[0.0, 0.0], [1.0, -2.0]]),)], given=to_tensor, read=any_scale_of_zeros,
    forbidden=["quantize"],
    mistakes={
        "axis=1 → axis=0": "Each row has a scale of its own.",
        "np.abs(x) → x": "The largest entry by size may be negative.",
        "127 → 128": "int8 ends at 127.",
        "np.round → np.trunc ¦ np.floor ¦": "Round to the nearest whole number.",
        "return numbers, scale → return scale, numbers": "Return the whole numbers, and then the "
            "scales.",
    },
)  # fmt: skip
