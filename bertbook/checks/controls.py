"""Exercises of Chapter 18: a head that says its average, the control task of a probe."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(182)


def _mean_ablation(contexts, head, size):
    changed, own = np.array(contexts), slice(head * size, (head + 1) * size)
    changed[..., own] = changed[..., own].mean(axis=(0, 1))
    return changed


def _ablation_case(texts, tokens, heads, size, head):
    return _RNG.integers(-9, 9, size=(texts, tokens, heads * size)).astype(float), head, size


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
    class_of, distinct = dict(zip(words, classes)), list(dict.fromkeys(words))
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
