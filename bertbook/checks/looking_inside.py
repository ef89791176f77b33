"""Exercises of Chapter 18: a paired interval, the order of two lists."""

from __future__ import annotations

from functools import partial

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(181)


def _paired_interval(first, second, draws, *, pick=lambda draws: (draws, draws),
                     per=np.mean, ends=(0.025, 0.975), turned=False, told=tuple):  # fmt: skip
    """Draw the words of both methods alike, and leave out the ends of the mean differences."""
    one, other = pick(np.asarray(draws))
    ahead = per(np.asarray(first)[one], axis=-1) - per(np.asarray(second)[other], axis=-1)
    return told(np.quantile(-ahead if turned else ahead, ends))


def _interval_case(words, repeats):
    hard = _RNG.normal(0.6, 0.2, size=words)
    scores = [np.round(hard + _RNG.normal(gain, 0.05, size=words), 2) for gain in (0.08, 0)]
    return *scores, _RNG.integers(words, size=(repeats, words))


def _around(means, number):
    return means.mean() + np.array([-number, number]) * means.std()


def _by_sorting(first, second, draws):
    means = sorted((first - second)[draws].mean(axis=1))
    cut = round(0.025 * len(means))
    return means[cut], means[-cut - 1]


check_paired_interval = Exercise(
    "Return the ends of the paired bootstrap interval of a mean difference.",
    _paired_interval,
    cases=[_interval_case(*sizes) for sizes in [(4, 9), (6, 40), (10, 200)]],
    mistakes=[
        Mistake({"pick": lambda draws: (draws, np.roll(draws, 1, axis=0))}, "You draw the words of "
                "the two methods apart. Both get the same words in every repeat."),
        Mistake(lambda first, second, draws: (
                np.quantile(np.mean(first[draws], axis=1), 0.025)
                - np.quantile(np.mean(second[draws], axis=1), 0.975),
                np.quantile(np.mean(first[draws], axis=1), 0.975)
                - np.quantile(np.mean(second[draws], axis=1), 0.025)),
                "You subtract the ends of two intervals. Subtract word by word, and draw then."),
        Mistake(lambda first, second, draws: tuple(
                np.quantile(np.mean(first[draws], axis=1), q)
                - np.quantile(np.mean(second[draws], axis=1), q) for q in (0.025, 0.975)),
                "You subtract the quantiles of two methods. Subtract in each repeat, and take the "
                "quantiles then."),
        *(Mistake(lambda first, second, draws, of=of: np.quantile(of(
                  (first - second)[draws], axis=1), (0.025, 0.975)), f"You take {what} of each "
                  "repeat. Take the mean.") for what, of in (
                  ("the median", np.median), ("the standard deviation", np.std))),
        *(Mistake(lambda first, second, draws, gain=gain: np.quantile(
                  gain(first, second)[draws].mean(axis=1), (0.025, 0.975)), f"You take {what}. "
                  "First minus second is wanted, with its sign.") for what, gain in (
                  ("sizes of differences", lambda a, b: np.abs(a - b)),
                  ("ratios", np.divide), ("ratios", lambda a, b: a / b - 1))),
        *(Mistake(lambda first, second, draws, k=k: _around(
                  (first - second)[draws].mean(axis=1), k),
                  "That is the mean of the repeats, plus and minus a number of their standard "
                  "deviations. Take two quantiles of the repeats.") for k in (1, 1.96, 2)),
        *(Mistake(lambda *case, told=told: told(*_paired_interval(*case)), hint) for told, hint in (
            (lambda low, high: high - low, "That is how wide the interval is. Return its two "
                    "ends."),
            (lambda low, high: (low + high) / 2, "That is the middle of the interval. Return its "
             "two ends."))),
        Mistake(lambda first, second, draws: ((first - second)[draws].mean(axis=1) > 0).mean(),
                "That is how often the first is ahead. Return the ends of the interval."),
        Mistake(lambda first, second, draws: _paired_interval(first, second, np.array(draws) - 1),
                "The draws are indices already, counted from 0."),
        Mistake(lambda first, second, draws: np.quantile(((first - second) * draws).mean(axis=1),
                (0.025, 0.975)), "You multiply by the draws. They say which words are taken: "
                "index with them."),
        Mistake({"per": np.sum}, "These are sums of differences. The mean difference is wanted."),
        Mistake({"turned": True}, "The sign is turned around: first minus second is wanted."),
        *(Mistake({"ends": ends}, f"These ends leave {between} % between them. How much is left "
                  "out on each side of 95 %?") for ends, between in (
                  ((0.05, 0.95), 90), ((0.25, 0.75), 50), ((0.025, 0.95), 92.5),
                  ((0.05, 0.975), 92.5), ((0.005, 0.995), 99))),
        Mistake(lambda *case: np.quantile(case[0], 2.5), "np.quantile takes parts of 1, 0.025 and "
                "0.975. Percentages are for np.percentile."),
        Mistake({"ends": (0.00025, 0.00975)}, "np.percentile takes percentages, 2.5 and 97.5."),
        Mistake(lambda first, second, draws: np.quantile((first - second)[draws].mean(axis=0),
                (0.025, 0.975)), "You take the mean over the repeats. Take it over the words of "
                "each repeat."),
        Mistake(lambda first, second, draws: (first - second).mean() + np.array([-1.96, 1.96])
                * (first - second).std() / np.sqrt(len(first)), "That is the formula by the "
                "standard error. Take the quantiles of the means that are drawn."),
        Mistake(lambda first, second, draws: (first - second).mean(), "That is the mean "
                "difference. Return the two ends of its interval."),
        Mistake(_by_sorting, "You take two entries of the sorted list. With few repeats it matters "
                "that np.quantile goes between entries."),
        Mistake(lambda first, second, draws: 2 * ((first - second)[draws].mean(),), "You take one "
                "mean of everything, so the two ends are the same. Which axis are the words of a "
                "repeat?"),
        Mistake(lambda first, second, draws: tuple(np.quantile(
                first[draws].mean(axis=1) - second.mean(), (0.025, 0.975))), "You draw the words "
                "of the first method only. Both get the same words in every repeat."),
        Mistake({"ends": (0.0, 1.0)}, "These are the lowest and the highest of all repeats. Leave "
                "out 2.5 % on each side."),
        Mistake({"ends": (0.975, 0.025)}, "The ends are in the wrong order: the lower one first."),
        Mistake(lambda first, second, draws: tuple(np.quantile(first - second, (0.025, 0.975))),
                "These are quantiles of the words themselves. Take them of the means that are "
                "drawn."),
        Mistake(lambda first, second, draws: tuple(
                np.quantile((first - second)[draws], (0.025, 0.975))), "You take the quantiles "
                "over all words that were drawn. Take the mean of each repeat first."),
        Mistake(lambda first, second, draws: (first - second)[draws].mean(axis=1), "These are the "
                "mean differences of all repeats. Return their two quantiles."),
    ],
)  # fmt: skip


def _ranks(values):
    return np.argsort(np.argsort(values))


def _rank_correlation(first, second, *, rank=_ranks,
                      agree=lambda first, second: np.corrcoef(first, second)[0, 1],
                      turned=False):  # fmt: skip
    return (-1 if turned else 1) * agree(rank(first), rank(second))


def _short_formula(first, second, *, times=6, below=lambda n: n**3 - n, gap=np.square):
    return 1 - times * gap(first - second).sum() / below(len(first))


def _kendall(first, second):
    """Count pairs in the same order minus pairs in the other, divided by all pairs."""
    same = np.sign(np.subtract.outer(first, first)) * np.sign(np.subtract.outer(second, second))
    return same.sum() / (len(first) * (len(first) - 1))


check_rank_correlation = Exercise(
    "Say how far two lists agree on the order, by the correlation of their ranks.",
    _rank_correlation,
    cases=[(np.exp(2 * _RNG.standard_normal(n)), _RNG.standard_normal(n)) for n in (5, 8, 13)],
    forbidden=["rank_correlation", "spearmanr"],
    mistakes=[
        Mistake({"rank": as_it_is}, "You correlate the numbers themselves, so a single large one "
                "decides. Replace each number by its rank first."),
        Mistake({"rank": np.argsort}, "argsort says which number comes first, second and so on. "
                "Which rank has each one? Sort once more."),
        Mistake({"rank": np.sort}, "You sort both lists, so that nothing is left of who belongs to "
                "whom. Replace each number by its rank, in its place."),
        Mistake({"turned": True}, "The sign is turned around. Do both lists rank in the same "
                "direction?"),
        Mistake({"agree": _kendall}, "That is Kendall's coefficient, which counts pairs in the "
                "same order. Correlate the ranks themselves."),
        Mistake({"agree": lambda a, b: (a == b).mean()}, "You count equal places. Being off by one "
                "place is less wrong than being off by five."),
        *(Mistake({"agree": partial(_short_formula, **wrong)}, "Nearly the short formula. Two "
                  "lists in opposite order must give −1.")
          for wrong in ({"times": 1}, {"gap": np.abs}, *({"below": below} for below in (
                        lambda n: n**2 - n, lambda n: n**2 - 1, lambda n: n**3 - 1,
                        lambda n: n**3, lambda n: n)))),
        Mistake({"agree": lambda a, b: 1 - _short_formula(a, b)}, "The short formula is one minus "
                "that."),
        *(Mistake(one, "Only one of the two lists becomes ranks. Rank both.") for one in (
                  lambda a, b: np.corrcoef(_ranks(a), b)[0, 1],
                  lambda a, b: np.corrcoef(a, _ranks(b))[0, 1])),
        *(Mistake(lambda a, b, of=of: of(_rank_correlation(a, b)), hint) for of, hint in (
            (abs, "You take the sign away. It says whether the order is the same or the opposite."),
            (np.square, "That is the square of the correlation. It has lost the sign."))),
        *(Mistake({"agree": agree}, "You multiply ranks. A correlation takes the mean away from "
                  "both first, and divides by both standard deviations.")
          for agree in (np.dot, lambda a, b: np.mean(a * b))),
        Mistake({"agree": lambda a, b: np.cov(a, b)[0, 1] / a.std() / b.std()}, "np.cov divides by "
                "n − 1, and std by n. ddof=1 lets both do the same."),
        *(Mistake({"agree": lambda a, b, of=of: of(np.abs(a - b))}, "That says how far the ranks "
                  "are apart. How do they go together?") for of in (
                  np.mean, np.sum, lambda gaps: np.mean(gaps**2), lambda gaps: np.sum(gaps**2))),
        Mistake({"rank": np.argmax}, "argmax tells one place alone. Which rank has each number?"),
        *(Mistake(lambda a, b, top=top: float(top(a) == top(b)), "You ask whether one entry is at "
                  "the same place. Compare the whole order.") for top in (np.argmax, np.argmin)),
        Mistake({"agree": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b))}, "That is the cosine of "
                "the ranks. A correlation takes the mean away from both lists first."),
        Mistake({"agree": lambda a, b: np.cov(a, b)[0, 1]}, "That is the covariance. A correlation "
                "divides by both standard deviations, and is never above 1."),
        Mistake({"agree": lambda a, b: 1.0}, "That is 1 for any two lists. On its diagonal the "
                "table compares each list with itself; and differences that are added before they "
                "are squared cancel."),
        *(Mistake({"agree": lambda a, b, of=of: of(np.corrcoef(a, b))}, f"That is {what}table of "
                  "all correlations. Which entry is that of the two lists?")
          for what, of in (("the ", as_it_is), ("the mean of the ", np.mean))),
    ],
)  # fmt: skip
