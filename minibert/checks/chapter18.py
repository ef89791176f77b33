"""Checkers of Chapter 18: a head's share, the order of two lists, a sense, a control task."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from minibert.looking import rank_correlation
from minibert.probing import nearest_mean

from .verdict import Mistake, Verdict, check


def check_previous_share(function: Callable) -> Verdict:
    """Check how much of its attention a head spends on the previous token.

    Parameters
    ----------
    function : callable
        Takes an array (seq, seq) of attention weights; returns the mean share on the previous
        token, over all tokens that have one.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 18.
    """
    mistakes = [
        Mistake(lambda probs: np.diag(probs, 1).mean(), "That is the next token. Rows look, "
                "columns are looked at: which column does row 5 need?"),
        Mistake(lambda probs: np.diag(probs).mean(), "That is the token itself. Which column "
                "stands one place before the diagonal?"),
        Mistake(lambda probs: np.diag(probs, -1).sum() / len(probs), "You divide by all tokens. "
                "The first one has no previous token, so it cannot be asked."),
        Mistake(lambda probs: np.diag(probs, -2).mean(), "That is the token before the previous "
                "one. How far to the left do you go?"),
        Mistake(lambda probs: np.diag(probs, -1).sum(), "That is a sum. A share lies between 0 "
                "and 1: how many tokens were asked?"),
        Mistake(lambda probs: (np.argmax(probs[1:], axis=1) == np.arange(len(probs) - 1)).mean(),
                "You count how often the previous token gets most. The question is how much it "
                "gets."),
    ]  # fmt: skip
    rng = np.random.default_rng(181)
    cases = [(_shares(rng.standard_normal((seq, seq))),) for seq in (3, 4, 7)]
    return check(function, right=lambda p: np.diag(p, -1).mean(), cases=cases, mistakes=mistakes)


def check_rank_correlation(function: Callable) -> Verdict:
    """Check how far two lists without equal numbers agree on the order.

    Parameters
    ----------
    function : callable
        Takes two arrays of one length; returns Spearman's coefficient.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 18.
    """
    mistakes = [
        Mistake(lambda a, b: np.corrcoef(a, b)[0, 1], "You correlate the numbers themselves, so a "
                "single large one decides. Replace each number by its rank first."),
        Mistake(lambda a, b: np.corrcoef(np.argsort(a), np.argsort(b))[0, 1], "argsort says which "
                "number comes first, second and so on. Which rank has each one? Sort once more."),
        Mistake(lambda a, b: -rank_correlation(a, b), "The sign is turned around. Do both lists "
                "rank in the same direction?"),
        Mistake(lambda a, b: (np.argsort(a) == np.argsort(b)).mean(), "You count equal places. "
                "Being off by one place is less wrong than being off by five."),
    ]  # fmt: skip
    rng = np.random.default_rng(182)
    cases = [(np.exp(2 * rng.standard_normal(n)), rng.standard_normal(n)) for n in (5, 8, 13)]
    return check(function, right=rank_correlation, cases=cases, mistakes=mistakes)


def check_sense_of(function: Callable) -> Verdict:
    """Check the share of vectors that go to the mean of their own sense.

    Parameters
    ----------
    function : callable
        Takes vectors (rows, dim), their senses and their groups; returns the share of vectors
        that are nearest to the mean of their own sense, each mean taken over the other groups.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 18.
    """
    mistakes = [
        Mistake(_with_itself, "The means hold the very vectors that are asked. Leave out their "
                "group before you take the means."),
        Mistake(lambda x, senses, groups: _right(x, senses, range(len(x))), "You leave out one "
                "vector at a time. The others of its group know the answer, too."),
        Mistake(_nearest_vector, "You look for the nearest vector. The question is about the "
                "nearest mean."),
        Mistake(lambda x, senses, groups: 1 - _right(x, senses, groups), "That is the share of "
                "wrong ones."),
        Mistake(lambda x, senses, groups: _right(x, senses, groups) * len(x), "That is a number "
                "of vectors. How many were asked?"),
    ]  # fmt: skip
    rng, cases = np.random.default_rng(183), []
    for rows, dim in [(12, 3), (20, 5), (32, 4)]:
        senses = ["money", "river"] * (rows // 2)
        groups = [number // 4 for number in range(rows)]
        stories = 2.5 * rng.standard_normal((rows // 4, dim))
        apart = 1.2 * np.array([sense == "river" for sense in senses])[:, None]
        cases.append((stories[groups] + apart + rng.standard_normal((rows, dim)), senses, groups))
    return check(function, right=_right, cases=cases, mistakes=mistakes)


def check_control_task(function: Callable) -> Verdict:
    """Check the labels of a control task.

    Parameters
    ----------
    function : callable
        Takes the words of a text, the class of each of them, and an order: a list of the numbers
        of all different words. The different words are counted in the order in which they first
        appear. Word number i gets the class of word number order[i], wherever it stands; returns
        the list of the new classes, one for each word of the text.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 18.
    """
    mistakes = [
        Mistake(lambda words, classes, order: list(classes), "These are the true classes. A "
                "control task must have nothing in it but memory."),
        Mistake(lambda words, classes, order: [classes[0]] * len(words), "Every word gets the "
                "same class, so a probe needs to remember nothing at all."),
        Mistake(_dealt_in_place, "A word that stands twice gets two classes. Deal one class to "
                "each different word."),
        Mistake(lambda words, classes, order: _dealt(sorted(set(words)), words, classes, order),
                "You count the words by the alphabet. Count them as they first appear."),
        Mistake(lambda words, classes, order: _dealt_back(words, classes, order), "You hand each "
                "class on to word number order[i]. Word number i should receive the class of word "
                "number order[i]."),
    ]  # fmt: skip
    text = "the old cat sees the dog and the dog sees the cat".split()
    kinds = {"the": "other", "old": "adjective", "cat": "noun", "sees": "verb", "dog": "noun"}
    song = "she sings and she laughs and sings".split()
    kinds |= {"and": "other", "she": "other", "sings": "verb", "laughs": "verb"}
    cases = [
        (text, [kinds[word] for word in text], [3, 4, 1, 5, 0, 2]),
        (song, [kinds[word] for word in song], [2, 0, 3, 1]),
    ]
    return check(function, right=_control, cases=cases, mistakes=mistakes)


def _shares(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def _right(x: np.ndarray, senses: Sequence[str], groups: Sequence[Hashable]) -> float:
    return float(np.nanmean(nearest_mean(x, list(senses), list(groups))))


def _with_itself(x: np.ndarray, senses: Sequence[str], groups: Sequence) -> float:
    kinds = sorted(set(senses))
    means = np.stack([x[np.array(senses) == kind].mean(axis=0) for kind in kinds])
    nearest = ((x[:, None] - means) ** 2).sum(axis=-1).argmin(axis=1)
    return float(np.mean([kinds[n] == sense for n, sense in zip(nearest, senses)]))


def _nearest_vector(x: np.ndarray, senses: Sequence[str], groups: Sequence) -> float:
    distances = ((x[:, None] - x) ** 2).sum(axis=-1)
    distances[np.equal.outer(groups, groups)] = np.inf
    return float(np.mean([senses[n] == sense for n, sense in zip(distances.argmin(1), senses)]))


def _dealt(distinct: list, words: Sequence, classes: Sequence, order: Sequence[int]) -> list:
    class_of = dict(zip(words, classes))
    dealt = {word: class_of[distinct[i]] for word, i in zip(distinct, order)}
    return [dealt[word] for word in words]


def _control(words: Sequence[str], classes: Sequence, order: Sequence[int]) -> list:
    return _dealt(list(dict.fromkeys(words)), words, classes, order)


def _dealt_in_place(words: Sequence[str], classes: Sequence, order: Sequence[int]) -> list:
    return [classes[order[i % len(order)]] for i in range(len(words))]


def _dealt_back(words: Sequence[str], classes: Sequence, order: Sequence[int]) -> list:
    distinct, class_of = list(dict.fromkeys(words)), dict(zip(words, classes))
    dealt = {distinct[i]: class_of[word] for word, i in zip(distinct, order)}
    return [dealt[word] for word in words]
