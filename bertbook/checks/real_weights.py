"""Exercises of Chapter 15: what does not fit, sentence vectors."""

from __future__ import annotations

import numpy as np
from numpy.linalg import norm

from .exercise import Exercise

_RNG = np.random.default_rng(15)


def _misfits(ours, theirs):
    missing = {name for name in ours if name not in theirs}
    unknown = {name for name in theirs if name not in ours}
    both = {name for name in ours if name in theirs}
    others = {name for name in both if ours[name] != theirs[name]}
    return missing, unknown, others


_PLAIN = {"dense.weight": (3, 2), "dense.bias": (3,), "query.weight": (4, 4)}

check_misfits = Exercise(
    "Name everything in which a model and a file do not agree: three sets of names.",
    _misfits,
    cases=[
        (_PLAIN, _PLAIN),
        (_PLAIN, {"dense.weight": (2, 3), "dense.bias": (3,), "query.weight": (4, 4)}),
        (_PLAIN, {"dense.weight": (3, 2), "dense.beta": (3,), "query.weight": (4, 4, 1)}),
        (_PLAIN, {"dense.weight": (6, 1), "dense.bias": (4,), "pooler": (2,)}),
        (_PLAIN, {name: (*shape,) for name, shape in _PLAIN.items()}),
        ({"a": (3, 2), "b": (3, 2)}, {"a": (5, 2), "b": (3, 5)}),
        ({"a": (1,), "b": (2,), "c": (3,)}, {"c": (3,)}),
        ({"a": (2,), "b": (3,)}, {"a": (3,), "b": (2,)}),
    ],
    mistakes={
        "return missing, unknown → return unknown, missing": "Turned around: missing is what the "
            "model has and the file does not.",
        "ours[name] != theirs[name] → np.prod(ours[name]) != np.prod(theirs[name])":
            "You compare how many numbers there are. A transposed matrix has as many, and is "
            "another one.",
        "ours[name] != theirs[name] → len(ours[name]) != len(theirs[name])":
            "You compare how many sides there are, not how long they are.",
        ("ours[name] != theirs[name] → sorted(ours[name]) != sorted(theirs[name])",
            "ours[name] != theirs[name] → {*ours[name]} != {*theirs[name]}"):
            "You compare the sides without their order. A transposed matrix is another one.",
        ("ours[name] != theirs[name] → ours[name][0] != theirs[name][0]",
            "ours[name] != theirs[name] → ours[name][-1] != theirs[name][-1]"):
            "You compare one side of the shape. All sides count.",
        "!= → ==": "Names are right; but you name the shapes that agree.",
        "!= → is not": "Names are right. “is” asks whether it is one and the same object; two "
            "equal shapes may be two objects. Compare by !=.",
        "name in both if ours[name] → one, name in zip(ours, theirs) if ours[one]":
            "You compare pairs by their place. Look a shape up by its name.",
        ("in both if ours[name] != theirs[name] → in ours if ours[name] != theirs.get(name)",
            "in both if ours[name] → in theirs if ours.get(name)",
            "in both if ours[name] != theirs[name] → in {*ours, *theirs} if ours.get(name) != "
            "theirs.get(name)"): "A name that is missing, or unknown, has no other shape. Count it "
            "once.",
        "!= theirs[name] → not in theirs.values()": "You ask whether any tensor of the file has "
            "this shape. Look it up by its name.",
        "{name for name in both → {(name, theirs[name]) for name in both":
            "The third set holds names alone, without their shapes.",
        "name not in theirs → ours[name] != theirs.get(name)||name not in ours → theirs[name] != "
            "ours.get(name)": "You look for name and shape together. A name with another shape is "
            "neither missing nor unknown.",
        "if name not in theirs →": "You return all names of the model. Which of them has the other "
            "one not?",
        "if name not in ours →": "You return all names of the file. Which of them has the other "
            "one not?",
        ("missing, unknown, others → others, missing, unknown", "unknown, others → others, unknown",
            "missing, unknown, others → others, unknown, missing",
            "missing, unknown, others → unknown, others, missing"): "The three sets are right, in "
            "another order: missing, unknown, of another shape.",
        "ours[name] != theirs[name] → False": "Names are right. Nobody looks at the shapes.",
        "if name not in ours → if False": "What the model does not know is not harmless: it may be "
            "a weight under another name.",
        "missing, unknown, → {*ours} ^ {*theirs}, {*ours} ^ {*theirs},":
            "You name what only one of the two has. In which one is it?",
        KeyError: "You look up the shape of a name that only one of the two has.",
        "unknown, others → unknown": "Missing and unknown names are there. The third set holds "
            "those of another shape.",
    },
)  # fmt: skip


def _sentence_vectors(states, mask):
    weights = mask[:, :, None]
    sums, counts = (states * weights).sum(axis=1), weights.sum(axis=1)
    means = sums / counts
    lengths = norm(means, axis=1, keepdims=True)
    return means / lengths


_SHORT = np.array([[[3.0, 0, 0], [0, 4, 0]], [[1, 2, 2], [9, -9, 9]]]), np.array([[1, 1], [1, 0]])

check_sentence_vectors = Exercise(
    "Average the tokens of each row, padding left out, and scale to length 1.",
    _sentence_vectors,
    cases=[
        _SHORT,
        (_RNG.normal(size=(3, 4, 5)), np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]])),
    ],
    mistakes={
        "mask[ → np.ones_like(mask)[": "Padding is averaged, too. Which argument tells what is "
            "padding?",
        "sums / counts → states[:, 0]": "That is the vector of [CLS] alone. Take the mean over all "
            "tokens of a row.",
        ".sum(axis=1) → [:, 1:].sum(axis=1)": "You leave out [CLS]. It is a token like the others, "
            "and a row may have no other one.",
        "mask[ → np.pad(mask[:, 1:], ((0, 0), (0, 1)))[": "You leave out [SEP]. It is a token like "
            "the others, and a row may have no other one.",
        (".sum(axis=1) → [:, 1:-1].sum(axis=1)", "mask[ → np.pad(mask[:, 2:], ((0, 0), (1, 1)))["):
            "You leave out [CLS] and [SEP]. They are tokens like the others, and a row may have no "
            "other ones.",
        ("mask[:, :, None] → mask", "[:, :, None] → [:, None]"): "The mask lacks an axis for the "
            "numbers of each vector, at its end: attention_mask[:, :, None].",
        ", keepdims=True →": "The lengths have lost their axis. keepdims=True keeps it.",
        "/ lengths →": "The means are right. Their length is not 1 yet.",
        "mask[ → np.ones_like(mask)[||/ lengths →": "Padding is averaged, too, and the length is "
            "not 1.",
        ("norm(means, → np.sum(means,", "norm(means, → np.max(means,"):
            "The means are right; but divide each of them by its length, the root of the sum of "
            "its squares.",
        "sums / counts → states[range(len(mask)), mask.sum(axis=1) - 1]":
            "That is the vector of the last token. Take the mean over all tokens of a row.",
        "return means / lengths → return sums / mask.shape[1]": "You divide by all places, padding "
            "included, and the length is not 1 yet.",
        ("sums / counts → np.where(weights, states, -np.inf).max(axis=1)",
            "sums / counts → np.where(weights, states, 0).max(axis=1)"):
            "You take the largest numbers. Take the mean.",
        ("means, axis=1, keepdims=True → means",
            "/ counts →||means, axis=1, keepdims=True → means"): "You divide by the length of all "
            "vectors together. Each row has a length of its own.",
        ("axis=1, keepdims → axis=0, keepdims", "/ counts →||axis=1, keepdims → axis=0, keepdims"):
            "You measure the columns. A vector is a row.",
        ("means / lengths → sums", "means / lengths → sums / weights.sum()"):
            "The tokens are added up as they should be. The length is not 1 yet.",
        "/ lengths → / np.sqrt(means.shape[1])": "You divide by the root of how many numbers there "
            "are. The length is the root of the sum of their squares.",
        ("→ states[mask == 1].mean(axis=0)",
            "→ means = states[mask == 1].mean(axis=0)\nreturn means / norm(means)"):
            "You take one mean over all rows. Each has a vector of its own.",
        ("sums / counts → (states * weights).sum(axis=0)",
            "sums / counts → (states * weights).sum(axis=2)"): "You add up along another axis. "
            "Which of (batch, seq, hidden) counts the tokens?",
        "return means / lengths → return means / lengths @ (means / lengths).T":
            "These are the cosines of all pairs. Return the vectors.",
        "weights = → states = states / norm(states, axis=2, keepdims=True)\n    weights =||/ "
            "lengths →": "You scale the tokens and then take the mean. Scale the mean.",
        "weights = → states = states / norm(states, axis=2, keepdims=True)\n    weights =":
            "You scale the tokens before you take the mean. Only the mean is to be scaled.",
        "norm(means, → np.sum(np.abs(means),": "You measure the length by adding up sizes. Add up "
            "squares, then take the root.",
        ("/ lengths → / lengths**2", "/ counts →||/ lengths → / lengths**2"):
            "You divide by the square of the length. Where is the root?",
        "mask[ → np.where(mask.min(axis=1, keepdims=True), mask, 1 - mask)[":
            "That is the mean over the padding. A 1 in the mask is a token.",
        "mask[ → (1 - mask)[": "That is the mean over the padding. A 1 in the mask is a token.",
    },
)  # fmt: skip
