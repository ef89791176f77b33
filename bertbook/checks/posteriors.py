"""Exercise of Chapter 14: the posteriors of all places at once."""

from __future__ import annotations

import math

import numpy as np
import torch

from .exercise import Exercise
from .tensors import to_tensor

_RNG = np.random.default_rng(14)


def _telling(*stories):
    """Make the function of a small world: each story has a weight and a word for every place."""
    return lambda fits: sum(
        weight * math.prod([fits[place, word] for place, word in enumerate(words)])
        for weight, *words in stories
    )


def _slopes(probability, fits, others=0.0):
    """Compute the derivative by each entry: the value with only this entry in its row."""
    slopes = np.zeros_like(fits)
    for place, word in np.ndindex(*fits.shape):
        alone = fits.copy()
        alone[place] *= others
        alone[place, word] = 1
        slopes[place, word] = probability(alone)
    return slopes


def _posteriors(probability, fits):
    seen, slopes = probability(fits), _slopes(probability, fits)
    joint = fits * slopes
    return joint / seen


def _leaf(fits):
    return torch.tensor(fits, requires_grad=True)


_TINY = _telling((0.25, 0, 1), (0.25, 1, 2), (0.5, 2, 0))
_LONG = _telling((0.4, 0, 1, 2), (0.3, 0, 2, 2), (0.2, 1, 1, 3), (0.1, 3, 1, 0))

check_posteriors = Exercise(
    "Compute the posteriors of all places at once.",
    _posteriors,
    cases=[
        (_TINY, np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])),
        (_LONG, np.array([[1.0, 1, 1, 1], [0.0, 1, 0, 0], [0.2, 0.1, 0.5, 0.2]])),
        (_LONG, _RNG.uniform(0.1, 1, size=(3, 4))),
    ],
    given=to_tensor,
    mistakes={
        "/ seen →": "These are the probabilities of each word together with what is seen. What "
            "makes a posterior of them?",
        "fits * →": "The derivative is the probability of everything else. How well does the word "
            "itself fit at its place?",
        "fits * →||/ seen → / joint.sum(axis=1, keepdims=True)": "Each row adds up to 1; but the "
            "derivative is the probability of everything else. How well does the word itself fit "
            "at its place?",
        "fits * →||/ seen →": "These are the derivatives. Two steps are missing.",
        "/ seen → / joint.sum()": "You divide by the sum over all places. Each place has a "
            "posterior of its own.",
        "/ seen → / joint.sum(axis=0)": "You divide by the sum over the places. The words of one "
            "place add up to 1.",
        "→ fits / fits.sum(axis=1, keepdims=True)": "You look at each place alone. What do the "
            "others say?",
        ("* → +", "* → +||/ seen →", "* → +||/ seen → / joint.sum(axis=1, keepdims=True)"):
            "You add. Both must hold at once: which operation is that?",
        "/ seen → / slopes.sum(axis=1, keepdims=True)": "You divide by the sum of the derivatives. "
            "Each row of products must add up to 1.",
        "/ seen → / seen**2": "You divide twice by the chance of what is seen.",
        "joint / seen → np.log(joint / seen)": "These are logarithms. The chances of each row add "
            "up to 1.",
        "joint / seen → seen / joint": "It is upside down: divide by the chance of what is seen.",
        "joint / seen → (1 - joint / seen) / (fits.shape[1] - 1)": "You leave out the word that is "
            "asked for. Leave out all others of its row.",
        "joint / seen → joint.argmax(axis=1)": "These are the likeliest words. Return the chances "
            "of all.",
        "joint / seen → np.log(joint)": "These are logarithms. The chances of each row add up to "
            "1.",
        ("fits * slopes → np.exp(slopes)||/ seen → / joint.sum(axis=1, keepdims=True)",
            "fits * slopes → np.exp(fits * slopes)||/ seen → / joint.sum(axis=1, keepdims=True)"):
            "That is a softmax. These numbers are chances already, and need no exponential.",
        "→ joint = _slopes(probability, fits, others=1)\nreturn joint / joint.sum(axis=1, "
            "keepdims=True)": "You raise one entry and leave the others of its row. Only this word "
            "may fit at its place.",
        "fits * → fits * fits *": "You multiply twice by how well the word fits.",
        "fits * slopes → slopes / fits": "You divide by how well the word fits, and some do not at "
            "all. Both must hold at once: which operation is that?",
        "seen, slopes = → fits = np.ceil(fits)\n    seen, slopes =": "You take every entry above 0 "
            "for 1. A word may fit badly.",
        "joint / seen → np.where((fits == 1).all(1)[:, None], joint / seen, fits)":
            "You leave the rows that are not hidden as they were. They have a posterior, too.",
        (lambda p, fits: torch.tensor(fits) * torch.tensor(fits).sum(dim=1),
            lambda p, fits: torch.tensor(fits).T * torch.tensor(fits)):
            "The table meets another shape. Have the sums of its rows lost their axis? "
            "keepdim=True keeps it. Or is something turned that fits already?",
        lambda p, fits: p(torch.tensor(fits)).backward(): "The function has seen a table that "
            "requires no gradient. Ask for it, by requires_grad_(), before you call.",
        lambda p, fits: torch.autograd.grad(p(_leaf(fits)), _leaf(fits)):
            "You take the derivative by another table than the one that the function has seen. "
            "Keep one copy, under a name.",
    },
)  # fmt: skip
