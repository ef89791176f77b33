"""Exercises of Chapter 18: a head's share, the order of two lists, a sense, a control task."""

from __future__ import annotations

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(181)


def _mean(shares, probs):
    return shares.mean()


def _previous_share(probs, *, offset=-1, reduce=_mean):
    return reduce(np.diagonal(probs, offset), probs)


check_previous_share = Exercise(
    "Say how much of its attention a head spends on the previous token.",
    _previous_share,
    cases=[(softmax(_RNG.standard_normal((seq, seq))),) for seq in (3, 4, 7)],
    mistakes=[
        Mistake({"offset": 1}, "That is the next token. Rows look, columns are looked at: which "
                "column does row 5 need?"),
        Mistake({"offset": 0}, "That is the token itself. Which column stands one place before the "
                "diagonal?"),
        Mistake({"offset": -2}, "That is the token before the previous one. How far to the left do "
                "you go?"),
        Mistake({"reduce": lambda shares, probs: shares.sum() / len(probs)}, "You divide by all "
                "tokens. The first one has no previous token, so it does not count."),
        Mistake(lambda probs: np.mean([probs[i, i - 1] for i in range(len(probs))]),
                "Your first row looks at column −1, which is the last token. The first token has "
                "none before it: leave its row out."),
        Mistake({"reduce": lambda shares, probs: shares.sum()}, "That is a sum. A share lies "
                "between 0 and 1: how many tokens have a previous one?"),
        Mistake({"reduce": lambda shares, probs: np.median(shares)}, "That is the median. The mean "
                "is wanted."),
        Mistake(lambda probs: (probs[1:].argmax(axis=1) == np.arange(len(probs) - 1)).mean(),
                "You count how often the previous token gets most. The question is how much it "
                "gets."),
        Mistake({"reduce": lambda shares, probs: shares}, "These are the shares of all tokens. "
                "Take their mean."),
    ],
)  # fmt: skip


def _ranks(values):
    return np.argsort(np.argsort(values))


def _pearson(first, second):
    return np.corrcoef(first, second)[0, 1]


def _rank_correlation(first, second, *, rank=_ranks, agree=_pearson, turned=False):
    return (-1 if turned else 1) * agree(rank(first), rank(second))


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
        Mistake({"rank": np.argsort, "agree": lambda a, b: (a == b).mean()}, "You count equal "
                "places. Being off by one place is less wrong than being off by five."),
        Mistake({"agree": np.corrcoef}, "That is the table of all correlations. Which entry is "
                "that of the two lists?"),
    ],
)  # fmt: skip


def _others(groups, row):
    return np.array(groups) != groups[row]


def _distance(vector, means):
    return ((means - vector) ** 2).sum(axis=-1)


def _share(hits):
    return float(np.mean(hits))


def _sense_of(x, senses, groups, *, among=_others, far=_distance, by_means=True, told=_share):
    """Ask for each vector which sense is nearest, over the vectors of some groups."""
    names, hits = np.array(senses), []
    for row, vector in enumerate(x):
        seen = among(groups, row)
        if by_means:
            kinds = np.unique(names)
            targets = np.stack([x[seen & (names == kind)].mean(axis=0) for kind in kinds])
        else:
            kinds, targets = names[seen], x[seen]
        hits.append(kinds[np.argmin(far(vector, targets))] == senses[row])
    return told(hits)


def _cosine_distance(vector, means):
    return -(means @ vector) / np.linalg.norm(means, axis=-1)


def _sense_case(rng, rows, dim):
    senses = ["money", "river"] * (rows // 2)
    groups = [number // 4 for number in range(rows)]
    stories = 2.5 * rng.standard_normal((rows // 4, dim))
    apart = 1.2 * np.array([sense == "river" for sense in senses])[:, None]
    return stories[groups] + apart + rng.standard_normal((rows, dim)), senses, groups


_STORIES = np.random.default_rng(183)

check_sense_of = Exercise(
    "Say which share of the vectors goes to the mean of its own sense, over other groups.",
    _sense_of,
    cases=[_sense_case(_STORIES, *size) for size in [(12, 3), (20, 5), (32, 4)]],
    forbidden=["nearest_mean"],
    mistakes=[
        Mistake({"among": lambda groups, row: np.full(len(groups), True)}, "The means hold the "
                "very vectors that are asked. Leave out their group before you take the means."),
        Mistake({"among": lambda groups, row: np.arange(len(groups)) != row}, "You leave out one "
                "vector at a time. The others of its group know the answer, too."),
        Mistake({"among": lambda groups, row: np.array(groups) == groups[row]}, "You take the "
                "means over the vector's own group. Take them over the others."),
        Mistake({"by_means": False}, "You look for the nearest vector. The question is about the "
                "nearest mean."),
        Mistake({"far": lambda vector, means: -(means @ vector)}, "You compare dot products. A "
                "long mean wins them: take the distance."),
        Mistake({"far": _cosine_distance}, "You compare by cosine. Nearest means the smallest "
                "distance here."),
        Mistake({"told": lambda hits: 1 - _share(hits)}, "That is the share of wrong ones: of "
                "those that go to the other mean."),
        Mistake({"told": sum}, "That is a number of vectors. How many were there?"),
        Mistake({"told": np.array}, "That says for each vector whether it is right. Which share "
                "is?"),
    ],
)  # fmt: skip


def _as_they_appear(words):
    return list(dict.fromkeys(words))


def _control_task(words, classes, order, *, different=_as_they_appear, back=False, told=list):
    """Deal the class of one word to another, wherever it stands."""
    distinct, class_of = different(words), dict(zip(words, classes))
    pairs = [(word, distinct[i]) for word, i in zip(distinct, order)]
    dealt = {(b if back else a): class_of[a if back else b] for a, b in pairs}
    return told(dealt[word] for word in words)


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
    mistakes=[
        Mistake(lambda words, classes, order: classes, "These are the true classes. A control task "
                "must have nothing in it but memory."),
        *(Mistake(lambda words, classes, order, kind=kind: [kind] * len(words), "Every word gets "
                  "the same class, so a probe needs to remember nothing at all.")
          for kind in sorted({*_KINDS.values()})),
        Mistake(lambda words, classes, order: [classes[order[i % len(order)]] for i in
                range(len(words))], "A word that stands twice gets two classes. Deal one class to "
                "each different word."),
        Mistake({"different": lambda words: sorted({*words})}, "You count the words by the "
                "alphabet. Count them as they first appear."),
        Mistake({"back": True}, "You hand each class on to word number order[i]. Word number i "
                "should receive the class of word number order[i]."),
        Mistake(lambda words, classes, order: [classes[words.index(_as_they_appear(words)[i])] for
                i in order], "You deal one class for each different word. Return one for each word "
                "of the text."),
    ],
)  # fmt: skip
