"""Exercise of Chapter 14: the posteriors of all places at once."""

from __future__ import annotations

import numpy as np
import torch

from .exercise import Exercise, Mistake
from .tensors import to_tensor

_RNG = np.random.default_rng(14)


def _telling(*stories):
    """Make the function of a small world: each story has a weight and a word for every place."""

    def probability(fits):
        total = 0.0
        for weight, *words in stories:
            part = weight
            for place, word in enumerate(words):
                part = part * fits[place, word]
            total = total + part
        return total

    return probability


def _slopes(probability, fits):
    """Compute the derivative by each entry: the value with only this entry in its row."""
    found = np.zeros_like(fits)
    for place, word in np.ndindex(*fits.shape):
        alone = fits.copy()
        alone[place] = np.arange(fits.shape[1]) == word
        found[place, word] = probability(alone)
    return found


def _beside(probability, fits):
    """Compute the value with one entry set to 1, and the others of its row as they were."""
    found = np.zeros_like(fits)
    for place, word in np.ndindex(*fits.shape):
        raised = fits.copy()
        raised[place, word] = 1
        found[place, word] = probability(raised)
    return found


def _row_sums(joint, seen):
    return joint.sum(axis=1, keepdims=True)


def _posteriors(probability, fits, *, joint=np.multiply, over=lambda joint, seen: seen,
                slopes=_slopes):  # fmt: skip
    together = joint(fits, slopes(probability, fits))
    return together / over(together, probability(fits))


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
    mistakes=[
        Mistake({"over": lambda joint, seen: 1}, "These are the probabilities of each word "
                "together with what is seen. What makes a posterior of them?"),
        Mistake({"joint": lambda fits, slopes: slopes}, "The derivative is the probability of "
                "everything else. How well does the word itself fit at its place?"),
        Mistake({"joint": lambda fits, slopes: slopes, "over": lambda slopes, seen: _row_sums(
                slopes, seen)}, "Each row adds up to 1; but the derivative is the "
                "probability of everything else. How well does the word itself fit at its place?"),
        Mistake({"joint": lambda fits, slopes: slopes, "over": lambda slopes, seen: 1},
                "These are the derivatives. Two steps are missing."),
        Mistake({"over": lambda joint, seen: joint.sum()}, "You divide by the sum over all places. "
                "Each place has a posterior of its own."),
        Mistake({"over": lambda joint, seen: joint.sum(axis=0)}, "You divide by the sum over the "
                "places. The words of one place add up to 1."),
        Mistake({"joint": lambda fits, slopes: fits, "over": lambda fits, seen: fits.sum(
                axis=1, keepdims=True)}, "You look at each place alone. What do the others say?"),
        *(Mistake({"joint": np.add, "over": over}, "You add. Both must hold at once: which "
                  "operation is that?")
          for over in (lambda joint, seen: seen, lambda joint, seen: 1, _row_sums)),
        Mistake(lambda p, fits: fits * _slopes(p, fits) / _row_sums(_slopes(p, fits), fits), "You "
                "divide by the sum of the derivatives. Each row of products must add up to 1."),
        Mistake({"over": lambda joint, seen: seen**2}, "You divide twice by the chance of what is "
                "seen."),
        *(Mistake(lambda p, fits, told=told: told(_posteriors(p, fits)), hint) for told, hint in (
            (np.log, "These are logarithms. The chances of each row add up to 1."),
            (np.reciprocal, "It is upside down: divide by the chance of what is seen."),
            (lambda rows: (1 - rows) / (rows.shape[1] - 1), "You leave out the word that is asked "
             "for. Leave out all others of its row."),
            (lambda rows: rows.argmax(axis=1), "These are the likeliest words. Return the chances "
             "of all."))),
        Mistake(lambda p, fits: np.log(fits * _slopes(p, fits)), "These are logarithms. The "
                "chances of each row add up to 1."),
        *(Mistake({"joint": way, "over": _row_sums}, "That is a softmax. These numbers are chances "
                  "already, and need no exponential.")
          for way in (lambda fits, slopes: np.exp(slopes), lambda f, slopes: np.exp(f * slopes))),
        Mistake({"joint": lambda fits, slopes: slopes, "slopes": _beside, "over": _row_sums},
                "You raise one entry and leave the others of its row. Only this word may fit at "
                "its place."),
        Mistake({"joint": lambda fits, slopes: fits * fits * slopes}, "You multiply twice by how "
                "well the word fits."),
        Mistake({"joint": lambda fits, slopes: slopes / fits}, "You divide by how well the word "
                "fits, and some do not at all. Both must hold at once: which operation is that?"),
        Mistake(lambda probability, fits: _posteriors(probability, np.ceil(fits)), "You take every "
                "entry above 0 for 1. A word may fit badly."),
        Mistake(lambda p, fits: np.where((fits == 1).all(1)[:, None], _posteriors(p, fits), fits),
                "You leave the rows that are not hidden as they were. They have a posterior, too."),
        *(Mistake(lambda p, fits, other=other: torch.mul(*other(torch.tensor(fits))), "The table "
                  "meets another shape. Have the sums of its rows lost their axis? keepdim=True "
                  "keeps it. Or is something turned that fits already?") for other in (
                  lambda fits: (fits, fits.sum(dim=1)), lambda fits: (fits.T, fits))),
        Mistake(lambda p, fits: p(torch.tensor(fits)).backward(), "The function has seen a table "
                "that requires no gradient. Ask for it, by requires_grad_(), before you call."),
        Mistake(lambda p, fits: torch.autograd.grad(p(torch.tensor(fits, requires_grad=True)),
                torch.tensor(fits, requires_grad=True)), "You take the derivative by another table "
                "than the one that the function has seen. Keep one copy, under a name."),
    ],
)  # fmt: skip
