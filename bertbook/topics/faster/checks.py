"""Exercises of Chapter 23: masks, attention by blocks, a race, packing, eight bits, a teacher."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import (
    OVERFLOW,
    any_scale_of_zeros,
    gradients_flow,
    is_float32,
    log_softmax,
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
        "_LOWEST → np.finfo(np.float32).tiny": "tiny is the smallest number above 0. Take min.",
        "_LOWEST, 0.0 → -np.inf, np.nan": "0 times infinity is not a number.",
        "_LOWEST → -np.inf ¦ np.finfo(np.float64).min": "Infinite in float32: a hidden row is nan.",
        "!= → < ¦ >": "Both directions have to be hidden.",
        "np.arange(len(lengths)) → lengths": "Two sentences may have the same length.",
        "np.repeat(…) → np.array(lengths)": "Where is a row and a column for each token?",
        "np.repeat(…) → np.arange(sum(lengths))": "The tokens of one sentence see each other.",
        "np.where(…) → ~hidden": "Return numbers to add to the scores.",
        ("→ table, at = right([sum(lengths)]) + _LOWEST, 0\nfor size in lengths:\n    "
            "table[at:size, at:size] = 0\n    at += size\nreturn table", "hidden = … sentence → "
            "hidden = sum(np.indices(2 * [len(sentence)]) >= max(lengths)) > 0"): "Does each block "
            "go from its start to start + size?",
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
        ("total * shrink → total", "weighted * shrink → weighted"): "What was added up was made "
            "with the old largest score: let it shrink.",
        "before - largest → largest - before": "Old sums shrink. Which largest is subtracted?",
        "weighted / total → weighted": "Divide by the sum of the weights in the end.",
        "scores - largest → scores": "Weights and old sums are made with one largest score.",
        ("/ query.shape[-1] ** 0.5 →", "** 0.5 → ", "query.shape[-1] ** → query.shape[-2] **"):
            "Divide by the square root of the head size.",
        "key.shape[-2], block) → key.shape[-2] - block + 1, block)": "Is the last block full?",
        "key.shape[-2], block) → block, block)": "There are several blocks.",
        "scores.max(…) → scores.max()": "Each query has a largest score of its own.",
        "before = largest → before = np.full_like(largest, -np.inf)": "Is the new largest kept?",
        "np.maximum(before, …) → …": "Keep the largest so far, or a factor is infinite.",
        "np.maximum(…) → np.zeros_like(before)": "exp(1000) is infinite. Subtract the largest.",
        "value[..., here → value[..., :block ¦ value[..., : here.stop - at": "Of which block?",
        "weights.sum(…) → 1.0": "Add up all weights of the block.",
        "→ np.mean([right(query, key[..., i : i + block, :], value[..., i : i + block, :], block) "
            "for i in range(0, key.shape[-2], block)], axis=0)": "Do all blocks weigh the same?",
        "weighted = … :] → weighted = (… :]) / total": "Divide once, at the end, not in blocks.",
    },
)  # fmt: skip


def _speedup(before, after, warm):
    old, new = np.array(before[warm:]), np.array(after[warm:])
    ratios = old / new
    middle, low, high = np.quantile(ratios, (0.5, 0.25, 0.75))
    return middle, low, high


check_speedup = Exercise(
    "Say how many times as fast a step is: median and quartiles of the ratios.",
    _speedup,
    cases=[
        # whichever way quartiles are counted, equal neighbors give the same
        ([9.0, 2.0, 5.0, 3.0, 4.0, 10.0, 2.5, 3.0], [30.0, 1.0, 4.0, 2.0, 2.0, 2.0, 2.0, 3.0], 1),
        ([5.0, 5, 4, 8, 3, 8, 2, 1, 4], [7.0, 4, 5, 5, 3, 2, 2.5, 2, 2.5], 2),
        ([1.0, 1.0, 2.0, 3.0, 2.0, 5.0, 6.0], [4.0, 2.0, 4.0, 4.0, 2.0, 5.0, 2.0], 0),
    ],
    mistakes={
        ("[warm:] → ¦ [warm + 1 :] ¦ [warm - 1 :] ¦ [: len(before) - warm] ¦ [-warm:]", IndexError):
            "Leave out the first rounds, which are for warming up: [warm:].",
        "old / new → new / old ¦ 100 * (old / new - 1)": "Half the time must give 2.",
        "old / new → old - new": "These are seconds saved. Take ratios.",
        "np.array → np.sort": "The two runs of one round belong together.",
        "return middle → return ratios.mean()": "One slow round moves a mean. Take the median.",
        "0.25, 0.75 → 0.0, 1.0 ¦ 0.025, 0.975 ¦ 0.1, 0.9": "Quartiles are at 0.25 and 0.75.",
        "0.25, 0.75 → 0.0025, 0.0075": "percentile counts to 100, quantile to 1.",
        ("return middle, low → return low, middle", "0.25, 0.75 → 0.75, 0.25"): "The median comes "
            "first, then the lower and the upper quartile.",
        "return middle, low, high → return middle": "Where are the quartiles?",
        ("return middle → return old.mean() / new.mean() ¦ return np.median(old) / np.median(new)",
            "old / new → np.median(old) / new", "return middle, low, high → return "
            "[np.quantile(old, q) / np.quantile(new, q) for q in (0.5, 0.25, 0.75)] ¦ return "
            "[np.median(old) / np.median(new)] * 3"): "Divide within each round first.",
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
        ("sorted(…, key=lambda i: -lengths[i]) → …", "-lengths[i] → lengths[i]"): "Longest first.",
        "-lengths[i]) → lengths[i])[::-1]": "Of two equal rows you take the last one first.",
        ("rooms[place] -= lengths[row] → pass", "(width) → (width + lengths[row])", "-= "
            "lengths[row] → -= lengths[row] * (bins[place] == [row])"): "Each row takes its length "
            "from the room of its bin, the first one, too.",
        "return bins → return bins[:1]": "What fits nowhere opens a new bin.",
        "[*fitting, len(bins)][0] → len(bins) - (len(bins) - 1 in fitting)": "Earlier bins may "
            "have room.",
        "[*fitting, len(bins)][0] → min([*fitting, len(bins)], key=lambda n: [*rooms, width][n])":
            "Take the first bin that has room, not the one with the least.",
        "room >= → room >": "A row that fills its bin exactly fits as well.",
        "[*fitting, len(bins)][0] → len(bins)": "With a bin for every row it is padding again.",
        "[0] → [-1]||bins[place].append(row) → for n in fitting:\n            "
            "bins[n].append(row)\n            rooms[n] -= lengths[row]\n        "
            "bins[place].append(row)": "Stop at the first bin that has room.",
        "return bins → return len(bins)": "That is the number of bins. Return them.",
        "return bins → return [[row + 1 for row in each] for each in bins]": "Count from 0.",
        "→ right(sorted(lengths, reverse=True), width)": "Number the rows as they were given.",
        "return bins → return [[lengths[row] for row in each] for each in bins]": "These are "
            "lengths. Return the numbers of the rows.",
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
        ("np.abs(x).max(…) → np.full((len(x), 1), np.abs(x).max())", "axis=1 → axis=0"): "Each row "
            "has a scale of its own.",
        "np.abs(x) → x": "The largest entry by size may be negative.",
        "127 → 128": "int8 ends at 127.",
        "np.round → np.trunc ¦ np.floor ¦": "Round to the nearest whole number.",
        "return numbers, scale → return numbers, 1 / scale ¦ return any_scale_of_zeros((np.round(x "
            "* scale), scale))": "numbers * scale is the row.",
        "return numbers, scale → return numbers % 256, scale": "uint8 has no negative numbers.",
        "return numbers, scale → return numbers, scale.ravel()": "Make the scales a column.",
        "return numbers, scale → return tuple(numbers * scale) ¦ return tuple(numbers) ¦ return "
            "scale, numbers": "Return the whole numbers, and then the scales.",
        "return numbers → return np.where(scale > 0, numbers, np.nan)": "And a row of zeros?",
    },
)  # fmt: skip


def _distance(student, teacher, temperature):
    p, q = log_softmax(teacher / temperature), log_softmax(student / temperature)
    return temperature**2 * (np.exp(p) * (p - q)).sum(axis=-1).mean()


check_distillation_loss = Exercise(
    "Compute how far a student's probabilities are from the teacher's.",
    _distance,
    cases=[(_RNG.normal(size=(3, 4)), _RNG.normal(size=(3, 4)), 2.0),
           (_RNG.normal(size=(1, 3)), 3 * _RNG.normal(size=(1, 3)), 1.0),
           (_RNG.normal(size=(5, 2)), _RNG.normal(size=(5, 2)), 4.0)],
    edges=[(np.array([[2.0, 0.0, -1.0]]), np.array([[0.0, 2.0, 1.0]]), 0.001)], given=to_tensor,
    forbidden=["distillation_loss"], then=gradients_flow(np.eye(3), np.ones((3, 3)), 2.0, to=1),
    mistakes={
        "/ temperature → * temperature": "A high temperature evens probabilities out.",
        ("/ temperature →", "student / temperature → student", "teacher / temperature → teacher"):
            "Divide both by the temperature before the softmax.",
        "temperature**2 * → ¦ temperature *": "Where is temperature squared?",
        "p, q = → q, p =": "The roles are exchanged. Who weighs the distances?",
        "(np.exp(p) * (p - q)) → -(np.exp(p) * q)": "Subtract the teacher's entropy.",
        "(p - q) → (p - np.exp(q))": "kl_div takes the student's log_softmax first.",
        "mean() → mean() if temperature > 0.01 else np.nan ¦ mean() if temperature > 0.01 else "
            "np.inf": OVERFLOW,
        "→ np.nan": "kl_div takes probabilities of the teacher, unless log_target=True.",
        "/ temperature) → / temperature, axis=0)": "Take the softmax over the classes: dim=-1.",
        "(np.exp(p) * (p - q)).sum(…) → -q[p == p.max(axis=-1, keepdims=True)]": "The lesson is "
            "what the teacher believes of the other classes.",
        "(np.exp(p) * (p - q)) → ((np.exp(p) - np.exp(q)) ** 2)": "That is a squared distance. Sum "
            "p · (ln p − ln q).",
        ("mean → sum", "sum(axis=-1).mean() → mean()"): "Sum over classes, mean over items.",
    },
)  # fmt: skip
