"""Exercise of Chapter 16: McNemar's exact test."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(161)


def _wins(truth, first, second):
    one, other = first == truth, second == truth
    return int((one & ~other).sum()), int((other & ~one).sum())


def _more_coins(truth, first, second, *, fewer=min, coins=np.not_equal):
    """Throw more coins than those where exactly one is right."""
    only = fewer(_wins(truth, first, second))
    return only, int(coins(first, second).sum()) - only


def _ways(only_first, only_second, *, more=1, sides=2):
    """Count the ways with so few heads, or so few tails."""
    coins = only_first + only_second
    ways = range(min(only_first, only_second) + more)
    return sides * sum(math.comb(coins, heads) for heads in ways) / 2**coins


def _up_to(most, coins):
    return 2 * sum(math.comb(coins, heads) for heads in range(most + 1)) / 2**coins


def _as_if_apart(truth, *both):
    """Compare two shares as if each came from requests of its own."""
    one, other = [(answers == truth).mean() for answers in both]
    error = math.sqrt((one + other) * (2 - one - other) / 2 / len(truth))
    return math.erfc(abs(one - other) / error / math.sqrt(2))


def _mcnemar(truth, first, second, *, count=_wins, chance=_ways, told=lambda p: min(1.0, p)):
    return told(chance(*count(truth, first, second)))


def _mcnemar_case(rows, good, better):
    truth = _RNG.integers(3, size=rows)
    answers = [
        np.where(_RNG.random(rows) < part, truth, (truth + _RNG.integers(1, 3, size=rows)) % 3)
        for part in (good, better)
    ]
    return truth, *answers


check_mcnemar = Exercise(
    "Return the p-value of McNemar's exact test for two classifiers.",
    _mcnemar,
    cases=[_mcnemar_case(*sizes) for sizes in [
        (8, 0.6, 0.9), (30, 0.5, 0.8), (60, 0.6, 0.7), (8, 0.9, 0.6), (30, 0.8, 0.5)]],
    edges=[(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([0, 1, 2])),
           (np.array([0, 1, 2, 0]), np.array([0, 2, 2, 1]), np.array([1, 1, 2, 1]))],
    rtol=1e-7,
    forbidden=["binomtest"],
    mistakes=[
        Mistake({"chance": partial(_ways, sides=1)}, "That is one side. Results as uneven "
                "to the other side count, too."),
        Mistake({"chance": partial(_ways, more=0)}, "You count only what is more "
                "uneven. What is exactly as uneven counts, too."),
        *(Mistake({"chance": lambda a, b, sides=sides: sides * math.comb(a + b, a) / 2 ** (a + b)},
                  f"That is the chance of exactly this result{mirror}. What is more uneven counts, "
                  "too.") for sides, mirror in ((2, " and its mirror image"), (1, ""))),
        *(Mistake(partial(_mcnemar, chance=lambda *only, which=which: _up_to(
                  only[which], sum(only))),
                  f"You count up to the wins of the {name} classifier. It may be the better one: "
                  "up to which of the two numbers must you count?")
          for which, name in enumerate(("first", "second"))),
        Mistake(lambda truth, first, second: 1.0, "Your p is 1 whatever they answer. Do you count "
                "up to the larger number, or never divide by the number of all ways?"),
        Mistake(lambda truth, first, second: 0.0, "Your p is 0 whatever they answer. In "
                "math.comb(n, k) the number of coins comes first."),
        *(Mistake(partial(_mcnemar, chance=lambda a, b, less=less: math.erfc(math.sqrt(
                  (abs(a - b) - less) ** 2 / (a + b) / 2))), "That is the approximation by "
                  "chi-square. The exact test counts the ways.") for less in (0, 1, 0.5)),
        Mistake(partial(_mcnemar, chance=lambda a, b: _ways(a, b) - math.comb(a + b, a) / 2 ** (
                a + b)),
                "That counts half of the ways that are exactly as uneven: the mid-p. The exact "
                "test counts them all."),
        *(Mistake(partial(_mcnemar, chance=lambda *only, of=of: of(only) / sum(only)), "That is "
                  "the share of coins that one of them has won. How probable is one so uneven, by "
                  "chance?")
          for of in (min, max, lambda only: only[0], lambda only: only[1])),
        Mistake(lambda truth, first, second: _ways(*_wins(truth, first, second)) * 2.0 ** (
                sum(_wins(truth, first, second)) - len(truth)), "You divide by the ways of all "
                "requests. How many coins are thrown?"),
        *(Mistake(partial(_mcnemar, count=count), "You count where both are right. There, neither "
                  "has won.")
          for count in (lambda t, a, b: (int(((a == t) & (b == t)).sum()), _wins(t, a, b)[1]),
                        lambda t, a, b: (int(((a == t) & (b == t)).sum()),
                                         int(((a != t) & (b != t)).sum())))),
        *(Mistake(partial(_mcnemar, count=lambda t, a, b, of=of, at=at: [
                  int(of(t, x).sum()) if n == at else won
                  for n, (won, x) in enumerate(zip(_wins(t, a, b), ((a, b), (b, a))))]), "One of "
                  "your two numbers is too large. Each counts where this one is right and the "
                  "other one is wrong.") for at in (0, 1) for of in (
                  lambda t, x: x[0] != x[1], lambda t, x: x[0] == t)),
        Mistake(lambda truth, *both: abs(np.subtract(*[(x == truth).mean() for x in both])), "That "
                "is the difference of the accuracies. How probable is one so large, by chance?"),
        Mistake(_as_if_apart, "That test is for two classifiers with requests of their own. These "
                "two have answered the same ones: count where exactly one is right."),
        *(Mistake({"count": partial(_more_coins, fewer=fewer)}, "You throw a coin wherever the two "
                  "differ. Where both are wrong in different ways, neither has won.")
          for fewer in (min, lambda only: only[0])),
        Mistake({"count": partial(_more_coins, coins=lambda a, b: a == a)}, "You throw a coin for "
                "every request. Only where exactly one of the two is right is there one."),
        Mistake({"count": lambda truth, *both: [int((x == truth).sum()) for x in both]}, "You "
                "count all that each one gets right. Only where exactly one of them is right can a "
                "difference be seen."),
        Mistake({"told": as_it_is}, "A probability is never above 1. If both are equally often "
                "right alone, the middle way is counted on both sides."),
        Mistake({"told": lambda p: 1 - min(1.0, p)}, "That is one minus p. A small p speaks "
                "against chance."),
    ],
)  # fmt: skip
