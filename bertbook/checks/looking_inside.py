"""Exercises of Chapter 18: a paired interval, the order of two lists."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(181)


def _paired_interval(first, second, draws):
    ahead = first - second
    means = ahead[draws].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return low, high


def _interval_case(words, repeats):
    hard = _RNG.normal(0.6, 0.2, size=words)
    scores = [np.round(hard + _RNG.normal(gain, 0.05, size=words), 2) for gain in (0.08, 0)]
    return *scores, _RNG.integers(words, size=(repeats, words))


check_paired_interval = Exercise(
    "Return the ends of the paired bootstrap interval of a mean difference.",
    _paired_interval,
    cases=[_interval_case(*sizes) for sizes in [(4, 9), (6, 40), (10, 200)]],
    mistakes={
        "ahead[draws] → (first[draws] - second[np.roll(draws, 1, axis=0)])":
            "You draw the words of the two methods apart. Both get the same words in every repeat.",
        "→ one, other = first[draws].mean(axis=1), second[draws].mean(axis=1)\nreturn "
            "np.quantile(one, (0.025, 0.975)) - np.quantile(other, (0.975, 0.025))":
            "You subtract the ends of two intervals. Subtract word by word, and draw then.",
        "→ one, other = first[draws].mean(axis=1), second[draws].mean(axis=1)\nreturn "
            "np.quantile(one, (0.025, 0.975)) - np.quantile(other, (0.025, 0.975))":
            "You subtract the quantiles of two methods. Subtract in each repeat, and take the "
            "quantiles then.",
        "ahead[draws].mean(axis=1) → np.median(ahead[draws], axis=1)": "You take the median of "
            "each repeat. Take the mean.",
        "mean → std": "You take the standard deviation of each repeat. Take the mean.",
        "first - second → abs(first - second)": "You take sizes of differences. First minus second "
            "is wanted, with its sign.",
        ("first - second → first / second", "first - second → first / second - 1"):
            "You take ratios. First minus second is wanted, with its sign.",
        ("np.quantile(means, (0.025, 0.975)) → means.mean() + np.array([-1, 1]) * means.std()",
            "np.quantile(means, (0.025, 0.975)) → means.mean() + np.array([-1.96, 1.96]) * "
            "means.std()",
            "np.quantile(means, (0.025, 0.975)) → means.mean() + np.array([-2, 2]) * means.std()"):
            "That is the mean of the repeats, plus and minus a number of their standard "
            "deviations. Take two quantiles of the repeats.",
        "return low, high → return high - low": "That is how wide the interval is. Return its two "
            "ends.",
        "return low, high → return (low + high) / 2": "That is the middle of the interval. Return "
            "its two ends.",
        "return low, high → return (means > 0).mean()": "That is how often the first is ahead. "
            "Return the ends of the interval.",
        "[draws] → [draws - 1]": "The draws are indices already, counted from 0.",
        "ahead[draws] → (ahead * draws)": "You multiply by the draws. They say which words are "
            "taken: index with them.",
        "mean → sum": "These are sums of differences. The mean difference is wanted.",
        "first - second → second - first": "The sign is turned around: first minus second is "
            "wanted.",
        "0.025, 0.975 → 0.05, 0.95": "These ends leave 90 % between them. How much is left out on "
            "each side of 95 %?",
        "0.025, 0.975 → 0.25, 0.75": "These ends leave 50 % between them. How much is left out on "
            "each side of 95 %?",
        ("0.025, 0.975 → 0.025, 0.95", "0.025, 0.975 → 0.05, 0.975"): "These ends leave 92.5 % "
            "between them. How much is left out on each side of 95 %?",
        "0.025, 0.975 → 0.005, 0.995": "These ends leave 99 % between them. How much is left out "
            "on each side of 95 %?",
        "0.025, 0.975 → 2.5, 97.5": "np.quantile takes parts of 1, 0.025 and 0.975. Percentages "
            "are for np.percentile.",
        "0.025, 0.975 → 0.00025, 0.00975": "np.percentile takes percentages, 2.5 and 97.5.",
        "axis=1 → axis=0": "You take the mean over the repeats. Take it over the words of each "
            "repeat.",
        "np.quantile(means, (0.025, 0.975)) → ahead.mean() + np.array([-1.96, 1.96]) * ahead.std() "
            "/ len(ahead) ** 0.5": "That is the formula by the standard error. Take the quantiles "
            "of the means that are drawn.",
        "→ (first - second).mean()": "That is the mean difference. Return the two ends of its "
            "interval.",
        "np.quantile(means, (0.025, 0.975)) → np.sort(means)[[round(0.025 * len(means)), "
            "-round(0.025 * len(means)) - 1]]": "You take two entries of the sorted list. With few "
            "repeats it matters that np.quantile goes between entries.",
        "mean(axis=1) → mean()": "You take one mean of everything, so the two ends are the same. "
            "Which axis are the words of a repeat?",
        "ahead[draws].mean(axis=1) → first[draws].mean(axis=1) - second.mean()":
            "You draw the words of the first method only. Both get the same words in every repeat.",
        "0.025, 0.975 → 0.0, 1.0": "These are the lowest and the highest of all repeats. Leave out "
            "2.5 % on each side.",
        "0.025, 0.975 → 0.975, 0.025": "The ends are in the wrong order: the lower one first.",
        "(means, → (ahead,": "These are quantiles of the words themselves. Take them of the means "
            "that are drawn.",
        ".mean(axis=1) →": "You take the quantiles over all words that were drawn. Take the mean "
            "of each repeat first.",
        "return low, high → return means": "These are the mean differences of all repeats. Return "
            "their two quantiles.",
    },
)  # fmt: skip


def _rank_correlation(first, second):
    a, b = (np.argsort(np.argsort(values)) for values in (first, second))
    return np.corrcoef(a, b)[0, 1]


check_rank_correlation = Exercise(
    "Say how far two lists agree on the order, by the correlation of their ranks.",
    _rank_correlation,
    cases=[(np.exp(2 * _RNG.standard_normal(n)), _RNG.standard_normal(n)) for n in (5, 8, 13)],
    forbidden=["rank_correlation", "spearmanr"],
    mistakes={
        "np.argsort(np.argsort(values)) → values": "You correlate the numbers themselves, so a "
            "single large one decides. Replace each number by its rank first.",
        "np.argsort(np.argsort(values)) → np.argsort(values)": "argsort says which number comes "
            "first, second and so on. Which rank has each one? Sort once more.",
        "np.argsort(np.argsort(values)) → np.sort(values)": "You sort both lists, so that nothing "
            "is left of who belongs to whom. Replace each number by its rank, in its place.",
        "→ -right(first, second)": "The sign is turned around. Do both lists rank in the same "
            "direction?",
        "np.corrcoef(a, b)[0, 1] → (np.sign(a[:, None] - a) * np.sign(b[:, None] - b)).sum() / "
            "len(a) / (len(a) - 1)": "That is Kendall's coefficient, which counts pairs in the "
            "same order. Correlate the ranks themselves.",
        "np.corrcoef(a, b)[0, 1] → (a == b).mean()": "You count equal places. Being off by one "
            "place is less wrong than being off by five.",
        tuple(f"np.corrcoef(a, b)[0, 1] → 1 - {share}" for share in (
            "((a - b) ** 2).sum() / (len(a) ** 3 - len(a))",
            "6 * abs(a - b).sum() / (len(a) ** 3 - len(a))",
            *(f"6 * ((a - b) ** 2).sum() / ({below})" for below in (
                "len(a) ** 2 - len(a)", "len(a) ** 2 - 1", "len(a) ** 3 - 1", "len(a) ** 3",
                "len(a)")))):
            "Nearly the short formula. Two lists in opposite order must give −1.",
        "np.corrcoef(a, b)[0, 1] → 6 * ((a - b) ** 2).sum() / (len(a) ** 3 - len(a))":
            "The short formula is one minus that.",
        ("(a, b)[ → (a, second)[", "(a, b)[ → (first, b)["): "Only one of the two lists becomes "
            "ranks. Rank both.",
        "np.corrcoef(a, b)[0, 1] → abs(np.corrcoef(a, b)[0, 1])": "You take the sign away. It says "
            "whether the order is the same or the opposite.",
        "[0, 1] → [0, 1] ** 2": "That is the square of the correlation. It has lost the sign.",
        ("np.corrcoef(a, b)[0, 1] → a @ b", "np.corrcoef(a, b)[0, 1] → (a * b).mean()"):
            "You multiply ranks. A correlation takes the mean away from both first, and divides by "
            "both standard deviations.",
        "np.corrcoef(a, b)[0, 1] → np.cov(a, b)[0, 1] / a.std() / b.std()":
            "np.cov divides by n − 1, and std by n. ddof=1 lets both do the same.",
        ("np.corrcoef(a, b)[0, 1] → abs(a - b).mean()",
            "np.corrcoef(a, b)[0, 1] → abs(a - b).sum()",
            "np.corrcoef(a, b)[0, 1] → ((a - b) ** 2).mean()",
            "np.corrcoef(a, b)[0, 1] → ((a - b) ** 2).sum()"): "That says how far the ranks are "
            "apart. How do they go together?",
        "np.argsort(np.argsort(values)) → np.argmax(values)": "argmax tells one place alone. Which "
            "rank has each number?",
        ("→ float(first.argmax() == second.argmax())",
            "→ float(first.argmin() == second.argmin())"): "You ask whether one entry is at the "
            "same place. Compare the whole order.",
        "np.corrcoef(a, b)[0, 1] → a @ b / np.sqrt((a @ a) * (b @ b))":
            "That is the cosine of the ranks. A correlation takes the mean away from both lists "
            "first.",
        "np.corrcoef → np.cov": "That is the covariance. A correlation divides by both standard "
            "deviations, and is never above 1.",
        "→ 1.0": "That is 1 for any two lists. On its diagonal the table compares each list with "
            "itself; and differences that are added before they are squared cancel.",
        "[0, 1] →": "That is the table of all correlations. Which entry is that of the two lists?",
        "[0, 1] → .mean()": "That is the mean of the table of all correlations. Which entry is "
            "that of the two lists?",
    },
)  # fmt: skip
