"""Exercises of Chapter 21: a control task, cosines without their mean, the price of labels."""

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise


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
    cases=[_control_case("she sings and she laughs and sings", [2, 0, 3, 1]),
           _control_case("the old cat sees the dog and the dog sees the cat", [3, 4, 1, 5, 0, 2]),
           ([*"igbdhafceba"], [*"IGBDHAFCEBA"], [3, 6, 0, 8, 5, 1, 7, 4, 2])],
    forbidden=["control_labels"],
    mistakes={
        "→ classes": "These are the true classes. Deal them out again.",
        tuple(f"→ [{kind!r}] * len(words)" for kind in sorted({*_KINDS.values()})): "With one "
            "class for all, a probe needs to remember nothing.",
        ("→ [classes[order[i % len(order)]] for i in range(len(words))] ¦ [classes[order[i] if i < "
            "len(order) else i] for i in range(len(words))]", "→ "
            "[classes[words.index([*dict.fromkeys(words)][order[i % len(order)]])] for i in "
            "range(len(words))]"): "A word that comes twice has one class.",
        ("list(dict.fromkeys(words)) → sorted({*words}) ¦ sorted(dict.fromkeys(words), "
            "key=words.count, reverse=True)", "dict.fromkeys(words) → {*words}"):
            "Count the words as they first appear.",
        ("fromkeys(words)) → fromkeys(words))[::-1]", "fromkeys(words) → fromkeys(words[::-1])",
            "fromkeys(words) → fromkeys(sorted(words, key=lambda word: -words[::-1].index(word)))"):
            "You count from the end. Where does a word come first?",
        "(distinct, order) → (distinct, order[::-1])": "You read the order from its end.",
        "in words] → in words][::-1]": "Your list is turned around.",
        "[i] → [i - 1] ¦ [(i + 1) % len(order)]": "The different words are counted from 0.",
        "distinct[i] → distinct[(distinct.index(word) + 1) % len(distinct)]": "Which word is it?",
        "distinct[i] → distinct[order[i]]": "You look up the order twice.",
        ("list(…) → words", "class_of[distinct[i]] → classes[i]", "→ dealt = dict(zip(words, "
            "[classes[order[n % len(order)]] for n in range(len(words))]))\nreturn [dealt[word] "
            "for word in words]"): "`order` counts different words, as they first appear.",
        ("dealt[word] → order[distinct.index(word)]", "class_of[distinct[i]] → distinct[i]"):
            "Which class has each word?",
        "word: class_of[distinct[i]] → distinct[i]: class_of[word]": "The other way around: word "
            "number i receives the class of order[i].",
        ("[dealt[word] for word in words] → [class_of[distinct[i]] for i in order] ¦ dealt", "→ "
            "[classes[i] for i in order]"): "Return a class for each word of the text, in a list.",
        "class_of[distinct[i]] → [*dict.fromkeys(classes)][i % len({*classes})] ¦ "
            "sorted(map(class_of.get, distinct))[i]": "`order` numbers words. Which class is it?",
        "[dealt[word] → [(word, dealt[word])": "Return the classes alone.",
    },
)  # fmt: skip


_RNG = np.random.default_rng(210)


def _centered_gap(vectors, labels):
    moved = vectors - vectors.mean(axis=0)
    unit = moved / norm(moved, axis=1, keepdims=True)
    cosines = unit @ unit.T
    first, second = np.triu_indices(len(vectors), k=1)
    same = (labels[:, None] == labels)[first, second]
    cosines = cosines[first, second]
    return cosines[same].mean() - cosines[~same].mean()


def _gap_case(labels, dim):
    labels = np.array(labels)
    shared, own = 3 * _RNG.normal(size=dim), _RNG.normal(size=(labels.max() + 1, dim))
    return shared + own[labels] + _RNG.normal(size=(len(labels), dim)), labels


check_centered_gap = Exercise(
    "Take the mean vector away, then compare cosines within labels and between them.",
    _centered_gap,
    forbidden=["cosine_gap"],
    cases=[_gap_case([0, 1, 0, 1], 2), _gap_case([0, 0, 1, 1, 1], 3),
           _gap_case([2, 0, 1, 1, 0, 2, 0, 0], 4)],
    mistakes={
        "vectors - vectors.mean(axis=0) → vectors": "What do all of them share?",
        "vectors - vectors.mean(axis=0) → vectors - vectors.mean(axis=1, keepdims=True) ¦ vectors "
            "- vectors.mean()": "Take away one vector: the mean over the rows, axis=0.",
        "vectors - vectors.mean(axis=0) → (vectors - vectors.mean(axis=0)) / vectors.std(axis=0)":
            "Take the mean away, and nothing else: no column is scaled.",
        "vectors.mean(axis=0) → np.median(vectors, axis=0)": "Take the mean away, not the median.",
        "vectors.mean(axis=0) → np.mean([vectors[labels == k].mean(axis=0) for k in {*labels}], "
            "axis=0)": "Every text counts once in the mean, not every label.",
        "cosines[same].mean() - → np.mean([cosines[same & (labels[first] == k)].mean() for k in "
            "{*labels} if sum(labels == k) > 1]) -": "Every pair counts once, not every label.",
        "triu_indices(len(vectors), k=1) → arange(len(vectors) - 1), np.arange(1, len(vectors))":
            "Every vector forms a pair with every other, not with its neighbor alone.",
        ("unit.T → unit.T - np.eye(len(unit))||np.triu_indices(len(vectors), k=1) → "
            "np.indices(cosines.shape).reshape(2, -1)", "cosines[same].mean() - "
            "cosines[~same].mean() → (cosines * same).mean() - (cosines * ~same).mean()"): "The "
            "zeros count in your mean. Take only the pairs.",
        "vectors - vectors.mean(axis=0) → np.stack([v - vectors[labels == k].mean(axis=0) for v, k "
            "in zip(vectors, labels)])": "There is one mean, that of all rows.",
        "moved / norm(…) → moved": "A cosine divides by both lengths.",
        ("norm(moved, …) → norm(moved)", "norm(moved, …) → norm(moved, axis=0)"): "Each row has a "
            "length of its own: axis=1, keepdims=True.",
        ("vectors - vectors.mean(axis=0) → vectors / norm(vectors, axis=1, keepdims=True)||moved / "
            "norm(…) → moved - moved.mean(axis=0)", "→ right(vectors / norm(vectors, axis=1, "
            "keepdims=True), labels)"): "First take the mean away, then divide by lengths.",
        "moved, → vectors,": "Which lengths? Those of the vectors after the mean has gone.",
        (", k=1 →", "triu_indices(len(vectors), k=1) → indices(cosines.shape).reshape(2, -1)"):
            "A vector with itself is no pair; its cosine is always 1.",
        "→ -right(vectors, labels)": "Within labels minus between them.",
        "[same].mean() - cosines[~same].mean() → [same].mean() ¦ [~same].mean() ¦ [same].mean() - "
            "cosines.mean()": "From the mean cosine within labels, subtract that between them.",
        "mean() - → mean() /": "Subtract; a mean cosine may be 0.",
        ("mean()…mean → sum() - cosines[~same].sum", "[same].mean()…mean() → [same].sum() * 2 - "
            "cosines[~same].sum() * 2"): "Take means: there are more pairs of one kind.",
        "return …~same].mean() → return np.median(cosines[same]) - np.median(cosines[~same])":
            "Take means, not medians.",
        "labels[:, None] == labels → labels[:, None] == 0 ¦ labels[:, None] * labels > 0":
            "Two labels are the same if they are equal, whichever they are.",
        "→ means = np.stack([(vectors - vectors.mean(axis=0))[labels == k].mean(axis=0) for k in "
            "np.unique(labels)])\nunit = means / norm(means, axis=1, keepdims=True)\nreturn (unit "
            "@ unit.T)[0, 1]": "Average cosines of pairs of vectors, not those of means.",
        "unit @ unit.T → -norm(vectors[:, None] - vectors, axis=-1)": "Those are distances.",
        "unit @ unit.T → abs(unit @ unit.T)": "A cosine keeps its sign.",
        "unit @ unit.T → np.corrcoef(moved)": "A correlation takes each row's mean away, too.",
        "moved, axis=1, keepdims=True) → moved, axis=1, keepdims=True) ** 2": "Where is the root?",
        "vectors - → vectors +": "Take the mean away. You add it.",
        "mean() - → mean(),": "One number is asked for: the first minus the second.",
    },
)  # fmt: skip


def _code_length(vectors, labels, ends, classes, fit):
    bits = ends[0] * np.log2(classes)
    for start, end in zip(ends, ends[1:]):
        probe = fit(vectors[:start], labels[:start])
        chances = probe(vectors[start:end])
        told = chances[np.arange(end - start), labels[start:end]]
        bits = bits - np.log2(told).sum()
    return bits


def _near(vectors, labels):
    """Return chances of three classes: of each one labeled row as much as it is near, and a bit."""
    own = np.eye(3)[labels]
    return lambda rows: (
        (votes := np.exp(-((rows[:, None] - vectors) ** 2).sum(axis=-1)) @ own + 0.1)
        / votes.sum(axis=1, keepdims=True)
    )


def _code_case(ends, dim):
    labels = _RNG.integers(3, size=ends[-1] + 2)  # two are never sent
    return 2 * np.eye(3, dim)[labels] + _RNG.normal(size=(len(labels), dim)), labels, ends, 3, _near


check_code_length = Exercise(
    "Say how many bits labels cost, block by block, if a probe learns from what was told.",
    _code_length,
    cases=[_code_case(*sizes) for sizes in [([2, 4, 7], 2), ([3, 6, 9], 3), ([4, 6, 9, 14], 3)]],
    mistakes={
        "ends[0] * np.log2(…) → 0": "The first block costs, too: what is known there?",
        "ends[0] * np.log2(…) → np.log2(classes)": "How many labels has the first block?",
        "ends[0] * np.log2(…) → ends[0] * classes ¦ ends[0] * np.log(classes)": "One of k equally "
            "likely labels costs log2(k) bits.",
        ("ends[0] → ends[-1]", "bits - → bits + np.log2(classes) -"): "Who needs no probe?",
        "np.log2(told) → np.log(told) ¦ np.log10(told)": "Bits are logarithms to the base 2.",
        "ends[0] * np.log2(…) → ends[0] * np.log(classes)||np.log2(told) → np.log(told)": "These "
            "are nats. Bits are logarithms to the base 2.",
        ("bits - np.log2(told).sum() → bits + np.log2(told).sum()", "→ -right(vectors, labels, "
            "ends, classes, fit)"): "A label costs something: mind the sign.",
        "np.log2(told).sum() → (chances * np.log2(chances)).sum()": "That is an entropy. Which "
            "probability did the true label get?",
        "sum → mean": "Every label of the block costs: take the sum.",
        "np.log2(told).sum() → np.log2(told.sum()) ¦ np.log2(told.mean()) ¦ len(told) * "
            "np.log2(told.mean())": "Take the logarithm of each probability, then the sum.",
        "bits - np.log2(told).sum() → bits + (1 - told).sum() ¦ bits + (chances.argmax(axis=1) != "
            "labels[start:end]).sum() ¦ bits + np.log2(classes) * (chances.argmax(axis=1) != "
            "labels[start:end]).sum()": "A label costs −log2 of the probability that it was given.",
        "fit(…) → fit(vectors[:end], labels[:end]) ¦ fit(vectors, labels) ¦ "
            "fit(vectors[start:end], labels[start:end])": "Learn from the earlier blocks only.",
        "fit(…) → fit(vectors[: ends[0]], labels[: ends[0]]) ¦ fit(vectors[[0, "
            "*ends][ends.index(start)]:start], labels[[0, *ends][ends.index(start)]:start])": "The "
            "probe learns from all earlier blocks.",
        "labels[start:end] → chances.argmax(axis=1)": "What was the true label's probability?",
        ("vectors[start:end] → vectors[:end]||(end - start), labels[start:end] → (end), "
            "labels[:end]", "vectors[start:end] → vectors[start:]||(end - start), "
            "labels[start:end] → (len(labels) - start), labels[start:]"): "Each label is sent "
            "once. Which rows has this block?",
        "→ right(vectors, labels, ends, classes, fit) / ends[-1]": "Return all the bits.",
        "→ right(vectors, labels, ends, classes, fit) / 8": "Bits, not bytes.",
        "zip(ends, ends[1:]) → zip(ends[:-1], ends[1:-1])": "Every block "
            "between two ends has its turn, with a new probe.",
        "return bits → return -np.log2(told).sum()": "Add up all blocks.",
        "ends[1:] → [*ends[1:], len(labels)]": "Nothing is sent behind the last end.",
        "[:start], labels[:start] → [: start - 1], labels[: start - 1]": "Where does a slice end?",
        "→ ends[-1] * np.log2(classes) ¦ len(labels) * np.log2(classes)": "Where is the probe?",
        "labels[start:end] → labels[: end - start]": "These rows begin at `start`.",
        "np.log2(told) → (told * np.log2(told))": "Each label is told once: why weight it?",
        "np.arange(end - start), labels → :, labels": "Which row goes with each label?",
    },
)  # fmt: skip
