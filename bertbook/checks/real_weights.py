"""Exercises of Chapter 15: what does not fit, sentence vectors."""

from __future__ import annotations

import math
from functools import partial
from operator import eq

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(15)


def _misfits(ours, theirs, *, same=eq, turned=False, unknown=lambda a, b: b - a,
             missing=lambda a, b: a - b):  # fmt: skip
    """Name what is missing, what is unknown, and what has another shape."""
    ours, theirs = (theirs, ours) if turned else (ours, theirs)
    both = {name for name in ours if name in theirs}
    others = {name for name in both if not same(ours[name], theirs[name])}
    return missing({*ours}, {*theirs}), unknown({*ours}, {*theirs}), others


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
    mistakes=[
        Mistake({"turned": True}, "Turned around: missing is what the model has and the file does "
                "not."),
        Mistake({"same": lambda a, b: math.prod(a) == math.prod(b)}, "You compare how many numbers "
                "there are. A transposed matrix has as many, and is another one."),
        Mistake({"same": lambda a, b: len(a) == len(b)}, "You compare how many sides there are, "
                "not how long they are."),
        *(Mistake({"same": lambda a, b, form=form: form(a) == form(b)}, "You compare the sides "
                  "without their order. A transposed matrix is another one.")
          for form in (sorted, set)),
        *(Mistake({"same": lambda a, b, end=end: a[end] == b[end]}, "You compare one side of the "
                  "shape. All sides count.") for end in (0, -1)),
        Mistake({"same": lambda a, b: a != b}, "Names are right; but you name the shapes that "
                "agree."),
        Mistake({"same": lambda a, b: a is b}, "Names are right. “is” asks whether it is one and "
                "the same object; two equal shapes may be two objects. Compare by !=."),
        Mistake(lambda a, b: (*_misfits(a, b)[:2], {name for one, name in zip(a, b) if a[one] !=
                b[name]}), "You compare pairs by their place. Look a shape up by its name."),
        *(Mistake(lambda a, b, of=of: (*_misfits(a, b)[:2], {n for n in of(a, b) if a.get(n) !=
                  b.get(n)}), "A name that is missing, or unknown, has no other shape. Count it "
                  "once.") for of in (lambda a, b: a, lambda a, b: b, lambda a, b: {*a, *b})),
        Mistake(lambda a, b: (*_misfits(a, b)[:2], {n for n in {*a} & {*b} if a[n] not in
                b.values()}), "You ask whether any tensor of the file has this shape. Look it up "
                "by its name."),
        Mistake(lambda a, b: (*_misfits(a, b)[:2], {(n, b[n]) for n in _misfits(a, b)[2]}), "The "
                "third set holds names alone, without their shapes."),
        Mistake(lambda a, b: ({n for n, _ in a.items() - b.items()},
                {n for n, _ in b.items() - a.items()}, _misfits(a, b)[2]), "You look for name and "
                "shape together. A name with another shape is neither missing nor unknown."),
        *(Mistake({which: lambda a, b, all=all: (a, b)[all]}, f"You return all names of {whose}. "
                  "Which of them has the other one not?") for which, all, whose in (
                  ("missing", 0, "the model"), ("unknown", 1, "the file"))),
        *(Mistake(lambda *case, turn=turn: [_misfits(*case)[i] for i in turn], "The three sets are "
                  "right, in another order: missing, unknown, of another shape.")
          for turn in ((2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 2, 0))),
        Mistake({"same": lambda a, b: True}, "Names are right. Nobody looks at the shapes."),
        Mistake({"unknown": lambda a, b: set()}, "What the model does not know is not harmless: it "
                "may be a weight under another name."),
        Mistake({"unknown": lambda a, b: a ^ b, "missing": lambda a, b: a ^ b}, "You name what "
                "only one of the two has. In which one is it?"),
        Mistake(KeyError, "You look up the shape of a name that only one of the two has."),
        Mistake(lambda *case: _misfits(*case)[:2], "Missing and unknown names are there. The third "
                "set holds those of another shape."),
    ],
)  # fmt: skip


def _over_each_row(means):
    return np.linalg.norm(means, axis=-1, keepdims=True)


def _unit(vectors):
    return vectors / _over_each_row(vectors)


def _sentence_vectors(states, mask, *, counted=as_it_is, length=_over_each_row, before=as_it_is,
                      over=lambda weights: weights.sum(axis=1)):  # fmt: skip
    weights = counted(mask)[..., None]
    means = (before(states) * weights).sum(axis=1) / over(weights)
    return means / length(means)


def _first_only(mask):
    return mask * (np.arange(mask.shape[1]) == 0)


def _last_only(mask):
    return mask * (mask.cumsum(axis=1) == mask.sum(axis=1)[:, None])


def _without_ends(mask):
    return mask - np.maximum(_first_only(mask), _last_only(mask))


_SHORT = np.array([[[3.0, 0, 0], [0, 4, 0]], [[1, 2, 2], [9, -9, 9]]]), np.array([[1, 1], [1, 0]])

check_sentence_vectors = Exercise(
    "Average the tokens of each row, padding left out, and scale to length 1.",
    _sentence_vectors,
    cases=[
        _SHORT,
        (_RNG.normal(size=(3, 4, 5)), np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 0, 0]])),
    ],
    mistakes=[
        Mistake({"counted": np.ones_like}, "Padding is averaged, too. Which argument tells what is "
                "padding?"),
        Mistake({"counted": _first_only}, "That is the vector of [CLS] alone. Take the mean over "
                "all tokens of a row."),
        Mistake({"counted": lambda mask: mask - _first_only(mask)}, "You leave out [CLS]. It is a "
                "token like the others, and a row may have no other one."),
        Mistake({"counted": lambda mask: mask - _last_only(mask)}, "You leave out [SEP]. It is a "
                "token like the others, and a row may have no other one."),
        *(Mistake(way, "You leave out [CLS] and [SEP]. They are tokens like the others, and a row "
                  "may have no other ones.") for way in (
                  lambda *case: _sentence_vectors(*(x[:, 1:-1] for x in case)),
                  partial(_sentence_vectors, counted=_without_ends))),
        *(Mistake(lambda states, mask, form=form: states * form(mask), "The mask lacks an axis for "
                  "the numbers of each vector, at its end: attention_mask[:, :, None].")
          for form in (as_it_is, lambda mask: mask[:, None])),
        Mistake({"length": lambda means: np.linalg.norm(means, axis=-1)}, "The lengths have lost "
                "their axis. keepdims=True keeps it."),
        Mistake({"length": lambda means: 1}, "The means are right. Their length is not 1 yet."),
        Mistake({"counted": np.ones_like, "length": lambda means: 1}, "Padding is averaged, too, "
                "and the length is not 1."),
        *(Mistake({"length": length}, "The means are right; but divide each of them by its length, "
                  "the root of the sum of its squares.")
          for length in (lambda means: means.sum(axis=-1, keepdims=True),
                         lambda means: means.max(axis=-1, keepdims=True))),
        Mistake({"counted": _last_only}, "That is the vector of the last token. Take the mean over "
                "all tokens of a row."),
        Mistake(lambda states, mask: (states * mask[..., None]).mean(axis=1), "You divide by all "
                "places, padding included, and the length is not 1 yet."),
        *(Mistake(lambda states, mask, low=low: _unit(np.where(mask[..., None] == 1, states, low)
                  .max(axis=1)), "You take the largest numbers. Take the mean.")
          for low in (-np.inf, 0)),
        *(Mistake(partial(_sentence_vectors, over=over, length=np.linalg.norm), "You divide by the "
                  "length of all vectors together. Each row has a length of its own.")
          for over in (lambda weights: weights.sum(axis=1), lambda weights: 1)),
        *(Mistake(partial(_sentence_vectors, over=over, length=partial(np.linalg.norm, axis=0)),
                  "You measure the columns. A vector is a row.")
          for over in (lambda weights: weights.sum(axis=1), lambda weights: 1)),
        *(Mistake(partial(_sentence_vectors, over=over, length=lambda means: 1), "The tokens are "
                  "added up as they should be. The length is not 1 yet.")
          for over in (lambda weights: 1, np.sum)),
        Mistake({"length": lambda means: math.sqrt(means.shape[-1])}, "You divide by the root of "
                "how many numbers there are. The length is the root of the sum of their squares."),
        *(Mistake(lambda states, mask, scaled=scaled: scaled(states[mask == 1].mean(axis=0)), "You "
                  "take one mean over all rows. Each has a vector of its own.")
          for scaled in (as_it_is, _unit)),
        *(Mistake(lambda states, mask, axis=axis: _unit((states * mask[..., None]).sum(axis)),
                  "You add up along another axis. Which of (batch, seq, hidden) counts the tokens?")
          for axis in (0, 2)),
        Mistake(lambda *case: _sentence_vectors(*case) @ _sentence_vectors(*case).T, "These are "
                "the cosines of all pairs. Return the vectors."),
        Mistake({"before": _unit, "length": lambda means: 1},
                "You scale the tokens and then take the mean. Scale the mean."),
        Mistake({"before": _unit}, "You scale the tokens before you take "
                "the mean. Only the mean is to be scaled."),
        Mistake({"length": lambda means: np.abs(means).sum(axis=-1, keepdims=True)},
                "You measure the length by adding up sizes. Add up squares, then take the root."),
        *(Mistake(partial(_sentence_vectors, over=over, length=lambda means: _over_each_row(
                  means) ** 2), "You divide by the square of the length. Where is the root?")
          for over in (lambda weights: weights.sum(axis=1), lambda weights: 1)),
        Mistake({"counted": lambda mask: 1 - mask + (mask.min(axis=1, keepdims=True) > 0)},
                "That is the mean over the padding. A 1 in the mask is a token."),
        Mistake({"counted": lambda mask: 1 - mask}, "That is the mean over the padding. A 1 in the "
                "mask is a token."),
    ],
)  # fmt: skip
