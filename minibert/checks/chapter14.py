"""Checkers of Chapter 14: Bayes' rule, a step of the ladder, the gap, stories never told."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from .verdict import Mistake, Verdict, check

Observations = Sequence[tuple[Hashable, Hashable]]
Documents = Sequence[tuple[str, ...]]


def check_posterior(function: Callable) -> Verdict:
    """Check Bayes' rule for a list of answers.

    Parameters
    ----------
    function : callable
        Takes how likely each answer is before, and how likely each would make what is seen; returns
        how likely each is then.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 14.
    """
    mistakes = [
        Mistake(lambda before, seen: np.multiply(before, seen), "These are the chances of the "
                "answer together with what is seen. Do they add up to 1?"),
        Mistake(lambda before, seen: _shares(np.array(seen)), "Every answer counts the same "
                "here, even one that was unlikely from the start. Where is the first list?"),
        Mistake(lambda before, seen: np.array(before), "Nothing was learned from what is seen. "
                "Where is the second list?"),
        Mistake(lambda before, seen: _shares(np.add(before, seen)), "You add the two numbers of "
                "each answer. Both must hold at once: is that a sum?"),
        Mistake(lambda before, seen: np.multiply(before, seen) / np.sum(seen), "You divide by the "
                "sum of the second list. What is the chance of what is seen, over all answers?"),
        Mistake(lambda before, seen: np.exp(np.multiply(before, seen))
                / np.exp(np.multiply(before, seen)).sum(), "That is a softmax. These numbers are "
                "chances already, and need no exponential."),
    ]  # fmt: skip
    cases = [
        ([0.5, 0.25, 0.25], [0.2, 0.8, 0.0]),
        ([1 / 3, 2 / 3], [1.0, 0.25]),
        ([0.1, 0.2, 0.3, 0.4], [0.05, 0.0, 0.01, 0.002]),
    ]
    return check(function, right=_posterior, cases=cases, mistakes=mistakes)


def check_best_loss(function: Callable) -> Verdict:
    """Check the best loss of a guesser that sees a part of what is around a word.

    Parameters
    ----------
    function : callable
        Takes a list of pairs, of what is seen and the hidden word; returns the best mean loss.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 14.
    """
    mistakes = [
        Mistake(lambda seen: _best_loss([("", word) for _, word in seen]), "That is the unigram "
                "step. What is seen does not change the guess here."),
        Mistake(lambda seen: _best_loss([("", pair) for pair in seen]), "You take the chance of "
                "sight and word together. The guesser sees the one, and guesses the other."),
        Mistake(lambda seen: _best_loss(seen) / math.log(2), "These are bits. Nats are counted "
                "with the natural logarithm."),
        Mistake(lambda seen: _best_loss(seen) * len(seen), "That is the sum over all riddles. A "
                "mean is wanted."),
        Mistake(_mean_over_sights, "You take the mean over the different sights. One that comes "
                "up often counts more often."),
        Mistake(_mean_over_choices, "You take the mean over the different pairs. One that comes "
                "up twice counts twice."),
        Mistake(lambda seen: -_best_loss(seen), "Right up to the sign. A loss is minus the "
                "logarithm of a chance."),
        Mistake(_equal_choices, "Each answer that fits counts the same here. One that comes up "
                "more often deserves a larger share."),
    ]  # fmt: skip
    cases = [
        (
            [
                ("the _ reads", "man"),
                ("the _ reads", "man"),
                ("the _ reads", "girl"),
                ("a _", "dog"),
            ],
        ),
        ([("a _ dog", "red"), ("a _ dog", "old"), ("one _", "cat")] * 2,),
        ([("", word) for word in "a b a c a b d".split()],),
        ([("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("y", "a"), ("z", "b"), ("z", "c")],),
    ]
    return check(function, right=_best_loss, cases=cases, mistakes=mistakes)


def check_gap_closed(function: Callable) -> Verdict:
    """Check the share of the way from the unigram loss to the floor.

    Parameters
    ----------
    function : callable
        Takes the loss of a model, the unigram loss and the floor; returns the share.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 14.
    """
    mistakes = [
        Mistake(lambda loss, unigram, floor: (loss - floor) / (unigram - floor), "That is the "
                "share of the way that is left. How much has been gone?"),
        Mistake(lambda loss, unigram, floor: (unigram - loss) / unigram, "Your way ends at 0. "
                "Nobody gets there: where does it end?"),
        Mistake(lambda loss, unigram, floor: floor / loss, "A model at the floor gets 1, but one "
                "at the unigram loss should get 0."),
        Mistake(lambda loss, unigram, floor: 1 - loss / unigram + floor / unigram, "You divide by "
                "the unigram loss. How long is the way from there to the floor?"),
        Mistake(lambda loss, unigram, floor: unigram - loss, "These are the nats that were gained. "
                "Which share of all that can be gained are they?"),
        Mistake(lambda loss, unigram, floor: 100 * _gap(loss, unigram, floor), "Right, in percent. "
                "A share of 1 is wanted at the floor."),
        Mistake(lambda loss, unigram, floor: min(1.0, _gap(loss, unigram, floor)), "A share above "
                "1 is cut off. It is the alarm that something was measured wrongly: let it be "
                "seen."),
        Mistake(lambda loss, unigram, floor: max(0.0, _gap(loss, unigram, floor)), "A share below "
                "0 is cut off. A model that is worse than the unigram guesser should show it."),
        Mistake(lambda loss, unigram, floor: min(1.0, max(0.0, _gap(loss, unigram, floor))),
                "Shares below 0 and above 1 are cut off. Both say something: let them be seen."),
    ]  # fmt: skip
    cases = [(2.0, 5.0, 1.0), (0.5, 4.9, 0.35), (5.0, 5.0, 1.0), (0.2, 3.0, 0.4), (6.0, 5.0, 1.0)]
    return check(function, right=_gap, cases=cases, mistakes=mistakes)


def check_never_told(function: Callable) -> Verdict:
    """Check which documents of a test were never told in the training.

    Parameters
    ----------
    function : callable
        Takes the documents of the training and of the test; returns the new ones of the test.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 14.
    """
    mistakes = [
        Mistake(lambda learned, test: _listed([d for d in test if d in learned]), "Turned around: "
                "these are the documents that were told."),
        Mistake(lambda learned, test: _listed(d for d in test if d not in learned), "Each of "
                "these is new, but one of them stands there twice."),
        Mistake(lambda learned, test: _without(learned, test, any), "A document counts as told "
                "here as soon as one of its sentences was. All of them must agree, in one "
                "document."),
        Mistake(lambda learned, test: _without(learned, test, all), "All sentences of a document "
                "may have been told, but in different documents. Compare whole documents."),
        Mistake(lambda learned, test: _listed(sorted({*test} - {*learned})), "The right documents "
                "in another order. Keep that of the test."),
        Mistake(lambda learned, test: _listed(dict.fromkeys(test)), "Nothing is left out but what "
                "stands there twice. What was told in the training?"),
    ]  # fmt: skip
    learned = [("it rains", "she reads"), ("he sings", "it snows"), ("a cat", "it eats")]
    cases = [
        (learned, [("she runs", "it rains"), ("a cat", "it eats"), ("he sings", "she reads")]),
        (learned, [("we go", "he sings"), ("a dog", "it eats"), ("we go", "he sings")]),
        ([("one",)], [("two",), ("one",), ("four",), ("two",)]),
    ]
    return check(
        functools.wraps(function)(lambda *given: _listed(function(*given))),
        right=_never_told,
        cases=cases,
        mistakes=mistakes,
    )


def _posterior(before: Sequence[float], likelihoods: Sequence[float]) -> np.ndarray:
    """Apply Bayes' rule."""
    return _shares(np.multiply(before, likelihoods))


def _shares(values: np.ndarray) -> np.ndarray:
    """Divide by the sum."""
    return values / values.sum()


def _best_loss(observations: Observations) -> float:
    """Compute the mean surprise of one who knows how often each word goes with each sight."""
    return float(np.mean([surprise for *_, surprise in _surprises(observations)]))


def _surprises(observations: Observations) -> list[tuple[Hashable, Hashable, float]]:
    """List sight, word and surprise of every riddle."""
    together, sights = Counter(observations), Counter(sight for sight, _ in observations)
    return [(s, word, math.log(sights[s] / together[s, word])) for s, word in observations]


def _mean_over_sights(observations: Observations) -> float:
    """Give every sight the same weight: a mistake."""
    found = _surprises(observations)
    parts = {sight: [x for s, _, x in found if s == sight] for sight, *_ in found}
    return float(np.mean([np.mean(part) for part in parts.values()]))


def _mean_over_choices(observations: Observations) -> float:
    """Give every pair of sight and word the same weight: a mistake."""
    return float(np.mean([surprise for *_, surprise in {*_surprises(observations)}]))


def _equal_choices(observations: Observations) -> float:
    """Take all words that go with a sight as equally likely: a mistake."""
    fitting = Counter(sight for sight, _ in {*observations})
    return float(np.mean([math.log(fitting[sight]) for sight, _ in observations]))


def _gap(loss: float, unigram: float, floor: float) -> float:
    """Compute the share of the way that a model has gone."""
    return (unigram - loss) / (unigram - floor)


def _never_told(learned: Documents, test: Documents) -> object:
    """Keep the new documents."""
    return _listed(document for document in dict.fromkeys(test) if document not in learned)


def _without(learned: Documents, test: Documents, share: Callable) -> object:
    """Leave out documents by their sentences: a mistake."""
    told = {sentence for document in learned for sentence in document}
    return _listed(d for d in dict.fromkeys(test) if not share(s in told for s in d))


def _listed(documents: object) -> object:
    """Write documents as one text, so that they are compared as a whole and in their order."""
    if documents is None or documents is Ellipsis:
        return documents
    return "; ".join(". ".join(document) for document in documents)
