"""Exercises of Chapter 20: an interval, ablation, ranks, a rival."""

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise

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
        "ahead[draws] → (first[draws] - second[np.roll(draws, 1, axis=0)]) ¦ (first[draws] - "
            "second[draws[::-1]]) ¦ (first[draws] - second.mean())": "Both methods get the same "
            "things in every repeat.",
        ("→ one, other = first[draws].mean(axis=1), second[draws].mean(axis=1)\nreturn "
            "np.quantile(one, (0.025, 0.975)) - np.quantile(other, (0.975, 0.025))", "→ one, other "
            "= first[draws].mean(axis=1), second[draws].mean(axis=1)\nreturn np.quantile(one, "
            "(0.025, 0.975)) - np.quantile(other, (0.025, 0.975))"): "First subtract.",
        ("ahead[draws].mean(…) → np.median(ahead[draws], axis=1)", "mean → std ¦ sum"): "Take the "
            "mean of each repeat.",
        ("first - second → abs(first - second) ¦ first / second ¦ first / second - 1 ¦ second - "
            "first", "ahead[draws].mean(axis=1) → first[draws].mean(axis=1) / "
            "second[draws].mean(axis=1)"): "The difference is first minus second, with its sign.",
        "np.quantile(means, (0.025, 0.975)) → means.mean() + np.array([-1, 1]) * means.std() ¦ "
            "means.mean() + np.array([-1.96, 1.96]) * means.std() ¦ means.mean() + np.array([-2, "
            "2]) * means.std() ¦ ahead.mean() + np.array([-1.96, 1.96]) * ahead.std() / len(ahead) "
            "** 0.5 ¦ ahead.mean() + np.array([-1.96, 1.96]) * ahead.std(ddof=1) / len(ahead) ** "
            "0.5": "Take two quantiles of the means that are drawn.",
        ("return low, high → return high - low ¦ return (low + high) / 2 ¦ return (means > "
            "0).mean() ¦ return means ¦ return means.mean(), (high - low) / 2", "→ (first - "
            "second).mean()"): "Return the two ends.",
        "[draws] → [draws - 1]": "The draws are indices already, counted from 0.",
        "ahead[draws] → (ahead * draws)": "The draws say which things are taken: index with them.",
        "0.025, 0.975 → 0.05, 0.95 ¦ 0.25, 0.75 ¦ 0.025, 0.95 ¦ 0.05, 0.975 ¦ 0.005, 0.995 ¦ 0.0, "
            "1.0": "How much is left out on each side of 95 %?",
        "0.025, 0.975 → 2.5, 97.5 ¦ 0.00025, 0.00975": "The middle 95 % end at 0.025 and 0.975.",
        ("axis=1 → axis=0", "mean(axis=1) → mean()"): "Each repeat has a mean of its own.",
        "quantile(…) → sort(means)[[round(0.025 * len(means)), -round(0.025 * len(means)) - 1]]":
            "np.quantile interpolates between entries. With few repeats it matters.",
        "0.025, 0.975 → 0.975, 0.025": "The lower end comes first.",
        "first - second → first > second": "You count how often the first is ahead. By how much?",
        ("(means, → (ahead,", ".mean(axis=1) →", "→ np.quantile((first - second)[draws], (0.025, "
            "0.975), axis=1).mean(axis=1)"): "Take the quantiles of the means of all repeats.",
    },
)  # fmt: skip


def _rank_correlation(first, second):
    a, b = (np.argsort(np.argsort(values)) for values in (first, second))
    return np.corrcoef(a, b)[0, 1]


check_rank_correlation = Exercise(
    "Say how far two lists agree on the order, by the correlation of their ranks.",
    _rank_correlation,
    forbidden=["rank_correlation", "spearmanr"],
    cases=[(np.exp(2 * _RNG.standard_normal(n)), _RNG.standard_normal(n)) for n in (5, 8, 13)],
    mistakes={
        "np.argsort(…) → values": "Replace each number by its rank first.",
        "np.argsort(…) → np.argsort(values)": "That says which comes first. Sort once more.",
        "np.argsort(…) → np.sort(values)": "Sorted, who belongs to whom? Rank each number.",
        "→ -right(first, second)": "Do both lists rank in the same direction?",
        "np.corrcoef(…)[0, 1] → (np.sign(a[:, None] - a) * np.sign(b[:, None] - b)).sum() / len(a) "
            "/ (len(a) - 1)": "Correlate the ranks themselves.",
        "np.corrcoef(…)[0, 1] → (a == b).mean()": "Off by one rank is less wrong than off by five.",
        tuple(f"np.corrcoef(…)[0, 1] → 1 - {share}" for share in (
            "((a - b) ** 2).sum() / (len(a) ** 3 - len(a))",
            "6 * abs(a - b).sum() / (len(a) ** 3 - len(a))",
            *(f"6 * ((a - b) ** 2).sum() / ({below})" for below in ("len(a) ** 2 - len(a)",
            "len(a) ** 2 - 1", "len(a) ** 3 - 1", "len(a) ** 3", "len(a)")))): "Nearly the short "
            "formula. Two lists in opposite order must give −1.",
        "np.corrcoef(…)[0, 1] → 6 * ((a - b) ** 2).sum() / (len(a) ** 3 - len(a))": "The short "
            "formula is one minus that.",
        "(a, b)[ → (a, second)[ ¦ (first, b)[": "Rank both.",
        ("np.corrcoef(…)[0, 1] → abs(np.corrcoef(a, b)[0, 1])", "[0, 1] → [0, 1] ** 2"): "The sign "
            "says whether the order is the same or the opposite.",
        "np.corrcoef(…)[0, 1] → a @ b ¦ (a * b).mean() ¦ a @ b / np.sqrt((a @ a) * (b @ b))": "A "
            "correlation takes the mean away from both lists first.",
        "np.corrcoef(…)[0, 1] → np.cov(a, b)[0, 1] / a.std() / b.std()": "np.cov divides by n − 1.",
        "np.corrcoef(…)[0, 1] → abs(a - b).mean() ¦ abs(a - b).sum() ¦ ((a - b) ** 2).mean() ¦ ((a "
            "- b) ** 2).sum()": "That is how far the ranks are apart. How do they go together?",
        "np.argsort(…) → np.argmax(values)": "Which rank has each number?",
        "→ float(first.argmax() == second.argmax()) ¦ float(first.argmin() == second.argmin())":
            "Compare the whole order, not whether one entry is at the same place.",
        "np.corrcoef → np.cov": "A correlation divides by both standard deviations.",
        "→ 1.0": "On its diagonal the table compares each list with itself.",
        "[0, 1] → ¦ .mean()": "Which entry of the table is that of the two lists?",
    },
)  # fmt: skip


_RNG_OF_HEADS = np.random.default_rng(182)


def _mean_ablation(contexts, head, size):
    changed = np.array(contexts)
    own = slice(head * size, (head + 1) * size)
    changed[..., own] = changed[..., own].mean(axis=(0, 1))
    return changed


def _ablation_case(texts, tokens, heads, size, head):
    shape = texts, tokens, heads * size
    return _RNG_OF_HEADS.integers(-9, 9, size=shape).astype(float), head, size


check_mean_ablation = Exercise(
    "Let one head say what it says on average over all texts and tokens.",
    _mean_ablation,
    cases=[_ablation_case(*sizes) for sizes in [(2, 3, 2, 2, 1), (2, 4, 3, 2, 1), (3, 5, 4, 3, 2)]],
    mistakes={
        "→ contexts": "Nothing has changed.",
        ("changed[..., own].mean(…) → 0.0", "mean → sum ¦ max ¦ std", "changed[..., own].mean(axis "
            "→ np.median(changed[..., own], axis"): "What is its average?",
        "np.array(contexts) → np.tile(contexts.mean(axis=(0, 1)), (*contexts.shape[:2], "
            "1))||changed[..., own].mean(…) → contexts[..., own]": "Replace this head alone.",
        "changed[..., own].mean(…) → changed.reshape(*changed.shape[:2], -1, size).mean(axis=2) ¦ "
            "np.delete(changed.reshape(*changed.shape[:2], -1, size), head, axis=2).mean(axis=2)":
            "That is a mean over heads. Average this one.",
        "changed[..., own].mean(…) → changed[..., own].mean() ¦ changed.mean()": "Each of its "
            "columns has its own mean.",
        "axis=(0, 1) → axis=0": "Take the mean over tokens, too.",
        "axis=(0, 1) → axis=1, keepdims=True ¦ axis=1": "You take the mean over tokens only.",
        "axis=(0, 1) → axis=-1 ¦ axis=(1, 2) ¦ axis=(0, 2) ¦ axis=-1, keepdims=True ¦ axis=(1, 2), "
            "keepdims=True ¦ axis=(0, 2), keepdims=True": "Average over texts and tokens.",
        "changed[..., own].mean(…) → changed[0, :, own].mean(axis=0)": "Take all texts.",
        "own] = → own] += ¦ own] -=": "Put the average in the place of what was said.",
        "changed[..., own].mean → changed.mean": "Take this head's columns: [..., own].",
        ("changed[..., own] = → changed[own] = ¦ changed[:, own] =", "[..., own] → [:, own]"):
            "The columns are the last axis: [..., own].",
        ("np.array(contexts) → np.zeros_like(contexts)||changed[..., own].mean → contexts[..., "
            "own].mean", "[..., own] → [...]"): "The other heads stay as they are.",
        "(head + 1) * size → head + size": "In (head + 1) * size the brackets matter.",
        ("head * size, (…) * size → (head + 1) * size, (head + 2) * size ¦ head, head + 1 ¦ head, "
            "head + size ¦ (head - 1) * size, head * size", "(head + 1) * size → head * size + 1 ¦ "
            "(head + 1) * size - 1 ¦ (head + 1) * size + 1"): "Head 0 has the first `size` "
            "columns. Which has this head?",
        ("head * size, (…) * size → head, None, contexts.shape[-1] // size", "head * size, (…) * "
            "size → head, None, size"): "A head has columns side by side.",
        "return changed → return contexts[..., own].mean(axis=(0, 1))": "Put the mean into a copy.",
        "return changed → return changed[..., own] ¦ return contexts[..., own]": "Return all "
            "heads, with this one replaced.",
        "changed[..., own].mean(…) → np.roll(changed, 1, axis=0)[..., own]": "The head says that "
            "about another text. What is its average?",
    },
)  # fmt: skip


_RNG_OF_NAMES = np.random.default_rng(180)


def _rival(pronoun, names):
    cosines = names @ pronoun / norm(names, axis=1)
    return cosines.argmax()  # the pronoun's length is the same for all


def _rival_case(names):
    rows = _RNG_OF_NAMES.normal(size=(names, 3))
    rows *= _RNG_OF_NAMES.choice([0.5, 1, 4], size=(names, 1))
    return np.round(_RNG_OF_NAMES.normal(size=3), 2), np.round(rows, 2)


check_rival = Exercise(
    "Return the number of the name whose row is most like the pronoun's.",
    _rival,
    cases=[*(_rival_case(names) for names in (2, 3, 4, 5, 5, 6, 7, 8)),
           (np.array([3.0, 1, -2]), np.array([[-3.0, 0, -2], [0, 0, 2], [-3, 1, -1], [-2, 1, 1]])),
           (np.array([3.0, 2, 2]), np.array([[2.0, 4, 1], [2, 0, 4], [0, 4, -4], [4, -1, 4]]))],
    mistakes={
        "/ norm(names, axis=1) →": "The cosine divides by both lengths.",
        "names @ pronoun / norm(names, → -norm(names - pronoun, ¦ -norm(names - pronoun, 1, ¦ "
            "norm(names - pronoun,": "That is a distance. Take the cosine.",
        ("names @ pronoun / norm(…) → names / norm(names, axis=0) @ pronoun", "axis=1 → axis=0"):
            "You divide by the lengths of columns. A name is a row: axis=1.",
        "axis=1) → axis=1) ** 2": "Where is the root?",
        "names @ pronoun / norm(…) → np.corrcoef(pronoun, names)[0, 1:]": "The cosine takes no "
            "mean away.",
        ("names @ pronoun / →", "names @ pronoun / norm(…) → names.sum(axis=1)"): "Where is the "
            "pronoun?",
        "names @ pronoun / norm(…) → names.T @ pronoun": "Which axis does .T put last?",
        ("cosines.argmax() → names[cosines.argmax()]", "argmax() → max() ¦ max() / norm(pronoun)",
            ".argmax() → ¦ / norm(pronoun)"): "Which name is it?",
        "names @ pronoun / norm(…) → (names - names.mean(axis=0)) @ pronoun / norm(names - "
            "names.mean(axis=0), axis=1) ¦ (names - names.mean(axis=0)) @ (pronoun - "
            "names.mean(axis=0)) / norm(names - names.mean(axis=0), axis=1)": "Take the rows as "
            "they are: no mean is subtracted.",
        "argmax() → argsort() ¦ argsort().argmax()": "Which name comes last in this order?",
        "cosines.argmax → abs(cosines).argmax": "A cosine near −1 is as unlike as can be.",
        "argmax → argmin": "That is the name which is least like the pronoun.",
        "names, axis → names, 1, axis ¦ names, np.inf, axis": "That is another length.",
        "argmax() → argmax() + 1": "Names are counted from 0.",
        "→ 0 ¦ len(names) - 1": "Always the same name? What does the pronoun say?",
    },
)  # fmt: skip
