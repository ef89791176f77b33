"""Exercises of Chapter 18: an interval, ranks, ablation, a control task, a rival."""

from __future__ import annotations

import numpy as np
from numpy.linalg import norm

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


_RNG_OF_HEADS = np.random.default_rng(182)


def _mean_ablation(contexts, head, size):
    changed = np.array(contexts)
    own = slice(head * size, (head + 1) * size)
    changed[..., own] = changed[..., own].mean(axis=(0, 1))
    return changed


def _ablation_case(texts, tokens, heads, size, head):
    return (
        _RNG_OF_HEADS.integers(-9, 9, size=(texts, tokens, heads * size)).astype(float),
        head,
        size,
    )


check_mean_ablation = Exercise(
    "Let one head say what it says on average over all texts and tokens.",
    _mean_ablation,
    cases=[_ablation_case(*sizes) for sizes in [(2, 3, 2, 2, 1), (2, 4, 3, 2, 1), (3, 5, 4, 3, 2)]],
    mistakes={
        "→ contexts": "Nothing has changed: that is what the heads bring home already.",
        "changed[..., own].mean(axis=(0, 1)) → 0.0": "That silences the head. What does it say on "
            "average?",
        "mean(axis=(0, 1)) → mean()": "You take one mean of all its numbers. Each of its columns "
            "has a mean of its own.",
        "changed[..., own].mean(axis=(0, 1)) → changed.mean()": "You take one mean of all heads' "
            "numbers. Each of its columns has a mean of its own.",
        "axis=(0, 1) → axis=0": "You take the mean over texts only, so each token keeps one of its "
            "own. Take it over tokens, too.",
        ("axis=(0, 1) → axis=1, keepdims=True", "axis=(0, 1) → axis=1"):
            "You take the mean over tokens only, so the head still tells the texts apart. Take it "
            "over texts, too.",
        ("axis=(0, 1) → axis=-1", "axis=(0, 1) → axis=(1, 2)", "axis=(0, 1) → axis=(0, 2)",
            "axis=(0, 1) → axis=-1, keepdims=True", "axis=(0, 1) → axis=(1, 2), keepdims=True",
            "axis=(0, 1) → axis=(0, 2), keepdims=True"): "You take the mean over the head's own "
            "columns. Take it over texts and tokens, the first two axes.",
        "mean → sum": "You take the sum. What does the head say on average?",
        "changed[..., own].mean(axis → np.median(changed[..., own], axis":
            "You take the median. What does the head say on average?",
        "mean → max": "You take the largest number. What does the head say on average?",
        "mean → std": "You take the standard deviation. What does the head say on average?",
        "changed[..., own].mean(axis=(0, 1)) → changed[0, :, own].mean(axis=0)":
            "You take the mean over the first text. Take it over all.",
        "own] = → own] +=": "You add the average. Put it in the place of what was said.",
        "changed[..., own].mean → changed.mean": "That is the mean of all heads' columns. Take "
            "those of this head: [..., own].",
        "changed[..., own] = → changed[own] =": "[own] takes texts. The columns are the last axis: "
            "[..., own].",
        "changed[..., own] = → changed[:, own] =": "[:, own] takes tokens. The columns are the "
            "last axis: [..., own].",
        "np.array(contexts) → np.zeros_like(contexts)||changed[..., own].mean → contexts[..., "
            "own].mean": "The other heads are silent now. They stay as they are.",
        "(head + 1) * size → head + size": "Where does your slice end? In (head + 1) * size the "
            "brackets matter.",
        "[..., own] → [...]": "You replace all heads. The others stay as they are.",
        "head * size, (head + 1) * size → head, head + 1": "You replace one column. A head has as "
            "many columns as its size.",
        "head * size, (head + 1) * size → head, head + size": "You begin at column `head`. The "
            "heads before it have `size` columns each.",
        ("(head + 1) * size → (head + 1) * size - 1", "(head + 1) * size → (head + 1) * size + 1"):
            "A slice ends before the number behind its colon. How many columns has yours?",
        "head * size, (head + 1) * size → head, None, contexts.shape[-1] // size":
            "You take columns that lie apart. Those of one head stand side by side.",
        "[..., own] → [:, own]": "You replace tokens. The columns are the last axis: [..., own].",
        "own] = → own] -=": "You take the average away and keep the rest. The other way around is "
            "wanted.",
        "head * size, (head + 1) * size → (head - 1) * size, head * size":
            "That is the head before it. Heads are counted from 0.",
        "return changed → return contexts[..., own].mean(axis=(0, 1))":
            "That is the head's mean. Put it into a copy of all contexts.",
        ("return changed → return changed[..., own]", "return changed → return contexts[..., own]"):
            "These are the head's own numbers. Return all heads, with this one replaced.",
    },
)  # fmt: skip


def _control_task(words, classes, order):
    class_of = dict(zip(words, classes))
    distinct = list(dict.fromkeys(words))
    dealt = {word: class_of[distinct[i]] for word, i in zip(distinct, order)}
    return [dealt[word] for word in words]


_KINDS = {"the": "other", "old": "adjective", "cat": "noun", "sees": "verb", "dog": "noun",
          "and": "other", "she": "other", "sings": "verb", "laughs": "verb"}  # fmt: skip


def _control_case(text, order):
    return text.split(), [_KINDS[word] for word in text.split()], order


check_control_task = Exercise(
    "Deal the classes of a control task: one class for each different word.",
    _control_task,
    cases=[
        _control_case("she sings and she laughs and sings", [2, 0, 3, 1]),
        _control_case("the old cat sees the dog and the dog sees the cat", [3, 4, 1, 5, 0, 2]),
    ],
    forbidden=["control_labels"],
    mistakes={
        "→ classes": "These are the true classes. A control task must have nothing in it but "
            "memory.",
        tuple(f"→ [{kind!r}] * len(words)" for kind in sorted({*_KINDS.values()})):
            "Every word gets the same class, so a probe needs to remember nothing at all.",
        "→ [classes[order[i % len(order)]] for i in range(len(words))]":
            "A word that stands twice gets two classes. Deal one class to each different word.",
        "list(dict.fromkeys(words)) → sorted({*words})": "You count the words by the alphabet. "
            "Count them as they first appear.",
        ("fromkeys(words)) → fromkeys(words))[::-1]", "fromkeys(words) → fromkeys(words[::-1])"):
            "You count the words from the end of the text. Count them as they first appear.",
        "(distinct, order) → (distinct, order[::-1])": "You read the order from its end. Word "
            "number i goes with order[i].",
        "in words] → in words][::-1]": "Your list is turned around: its first class is that of the "
            "last word.",
        ("distinct[i] → distinct[i - 1]", "distinct[i] → distinct[(i + 1) % len(order)]"):
            "You are off by one. The different words are counted from 0.",
        "distinct[i] → distinct[order[i]]": "You look up the order twice. Word number i goes with "
            "order[i].",
        "list(dict.fromkeys(words)) → words": "You count words that stand twice two times. Count "
            "the different ones, as they first appear.",
        "dealt[word] → order[distinct.index(word)]": "These are numbers of words. Which class has "
            "each of them?",
        "dict.fromkeys(words) → {*words}": "A set keeps no order. Count the words as they first "
            "appear.",
        "class_of[distinct[i]] → distinct[i]": "These are words. Which class has each of them?",
        "class_of[distinct[i]] → classes[i]": "`order` counts different words. You look it up in "
            "the list of all words, where some stand twice.",
        "word: class_of[distinct[i]] → distinct[i]: class_of[word]": "You hand each class on to "
            "word number order[i]. Word number i should receive the class of word number order[i].",
        ("[dealt[word] for word in words] → [class_of[distinct[i]] for i in order]",
            "→ [classes[i] for i in order]", "[dealt[word] for word in words] → dealt"):
            "You deal one class for each different word. Return one for each word of the text, in "
            "a list.",
    },
)  # fmt: skip


_RNG_OF_NAMES = np.random.default_rng(180)


def _rival(pronoun, names):
    cosines = names @ pronoun / norm(names, axis=1)
    return cosines.argmax()  # the pronoun's length is the same for all


def _rival_case(names):
    rows = _RNG_OF_NAMES.normal(size=(names, 3)) * _RNG_OF_NAMES.choice(
        [0.5, 1, 4], size=(names, 1)
    )
    return np.round(_RNG_OF_NAMES.normal(size=3), 2), np.round(rows, 2)


check_rival = Exercise(
    "Return the number of the name whose row is most like the pronoun's.",
    _rival,
    cases=[*(_rival_case(names) for names in (2, 3, 4, 5, 5, 6, 7, 8)),
           (np.array([3.0, 1, -2]), np.array([[-3.0, 0, -2], [0, 0, 2], [-3, 1, -1], [-2, 1, 1]])),
           (np.array([3.0, 2, 2]), np.array([[2.0, 4, 1], [2, 0, 4], [0, 4, -4], [4, -1, 4]]))],
    mistakes={
        "/ norm(names, axis=1) →": "Then a long row is like everybody. The cosine divides by both "
            "lengths.",
        ("names @ pronoun / norm(names, → -norm(names - pronoun,",
            "names @ pronoun / norm(names, → -norm(names - pronoun, 1,"):
            "That is the name at the smallest distance. A short row is near everybody: take the "
            "cosine.",
        "names @ pronoun / norm(names, → norm(names - pronoun,": "That is the name at the largest "
            "distance. Take the cosine, which is large where two rows are alike.",
        ("names @ pronoun / norm(names, axis=1) → names / norm(names, axis=0) @ pronoun",
            "axis=1 → axis=0"): "You divide by the lengths of columns. A name is a row: axis=1.",
        "axis=1) → axis=1) ** 2": "You divide by the square of the length. Where is the root?",
        "names @ pronoun / norm(names, axis=1) → np.corrcoef(pronoun, names)[0, 1:]":
            "That is a correlation, which takes the mean away first. The cosine does not.",
        ("names @ pronoun / →", "names @ pronoun / norm(names, axis=1) → names.sum(axis=1)"):
            "You look at the names alone. Where is the pronoun?",
        "names @ pronoun / norm(names, axis=1) → names.T @ pronoun": "Each row of names is "
            "multiplied by the pronoun. Which axis does .T put last?",
        "cosines.argmax() → names[cosines.argmax()]": "That is the row. Which name has it?",
        "argmax → argsort": "That is the order of all names, from the least alike. Which one comes "
            "last?",
        "cosines.argmax → abs(cosines).argmax": "A cosine near −1 is as unlike as can be. Leave "
            "its sign.",
        "argmax → argmin": "That is the name which is least like the pronoun.",
        ("argmax() → max()", "argmax() → max() / norm(pronoun)"): "That is the largest likeness. "
            "Which name has it?",
        ("names, axis → names, 1, axis", "names, axis → names, np.inf, axis"):
            "That is another length of a row. The length is the root of the sum of all squares.",
        (".argmax() →", ".argmax() → / norm(pronoun)"): "These are the likenesses. Which name has "
            "the largest?",
        "argmax() → argmax() + 1": "Names are counted from 0.",
    },
)  # fmt: skip
