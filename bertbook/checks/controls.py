"""Exercises of Chapter 18: a head that says its average, the control task of a probe."""

from __future__ import annotations

from functools import partial

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(182)


def _columns(first, count):
    return slice(None), slice(None), slice(first, first + count)


def _filled(contexts, head, size, value):
    """Put something in the place of what one head says, in all places."""
    changed = np.array(contexts)
    changed[..., head * size : (head + 1) * size] = value
    return changed


def _others_silent(contexts, head, size):
    own = slice(head * size, (head + 1) * size)
    return _filled(0 * contexts, head, size, contexts[..., own].mean(axis=(0, 1)))


def _along(contexts, head, size, axis):
    """Take the head's columns for numbers of texts, or of tokens."""
    own, changed = slice(head * size, (head + 1) * size), np.array(contexts)
    changed[(slice(None),) * axis + (own,)] = contexts[..., own].mean(axis=(0, 1))
    return changed


def _mean_ablation(contexts, head, size, *,
                   where=lambda head, size, wide: _columns(head * size, size),
                   usual=lambda own: own.mean(axis=(0, 1))):  # fmt: skip
    """Let one head say what it says on average."""
    changed, own = np.array(contexts), where(head, size, contexts.shape[-1])
    changed[own] = usual(changed[own])
    return changed


def _ablation_case(texts, tokens, heads, size, head):
    return _RNG.integers(-9, 9, size=(texts, tokens, heads * size)).astype(float), head, size


check_mean_ablation = Exercise(
    "Let one head say what it says on average over all texts and tokens.",
    _mean_ablation,
    cases=[_ablation_case(*sizes) for sizes in [(2, 3, 2, 2, 1), (2, 4, 3, 2, 1), (3, 5, 4, 3, 2)]],
    mistakes=[
        Mistake(lambda contexts, head, size: contexts, "Nothing has changed: that is what the "
                "heads bring home already."),
        Mistake({"usual": lambda own: 0.0}, "That silences the head. What does it say on average?"),
        *(Mistake(wrong, f"You take one mean of all {whose} numbers. Each of its columns has a "
                  "mean of its own.") for whose, wrong in (
                  ("its", {"usual": lambda own: own.mean()}),
                  ("heads'", lambda all, head, size: _filled(all, head, size, all.mean())))),
        Mistake({"usual": lambda own: own.mean(axis=0)}, "You take the mean over texts only, so "
                "each token keeps one of its own. Take it over tokens, too."),
        *(Mistake({"usual": lambda own, kept=kept: own.mean(axis=1, keepdims=kept)}, "You take the "
                  "mean over tokens only, so the head still tells the texts apart. Take it over "
                  "texts, too.") for kept in (True, False)),
        *(Mistake(partial(_mean_ablation, usual=lambda own, axes=axes, kept=kept: own.mean(
                  axis=axes, keepdims=kept)), "You take the mean over the head's own columns. Take "
                  "it over texts and tokens, the first two axes.")
          for axes in (-1, (1, 2), (0, 2)) for kept in (True, False)),
        *(Mistake(partial(_mean_ablation, usual=lambda own, of=of: of(own, axis=(0, 1))), f"You "
                  f"take {what}. What does the head say on average?") for what, of in (
                  ("the sum", np.sum), ("the median", np.median), ("the largest number", np.max),
                  ("the standard deviation", np.std))),
        Mistake(partial(_mean_ablation, usual=lambda own: own[0].mean(axis=0)), "You take the mean "
                "over the first text. Take it over all."),
        Mistake(partial(_mean_ablation, usual=lambda own: own + own.mean(axis=(0, 1))), "You add "
                "the average. Put it in the place of what was said."),
        Mistake(lambda all, head, size: _filled(all, head, size, all.mean(axis=(0, 1))),
                "That is the mean of all heads' columns. Take those of this head: [..., own]."),
        *(Mistake(partial(_along, axis=axis), f"{index} takes {what}. The columns are the last "
                  "axis: [..., own].") for axis, index, what in (
                  (0, "[own]", "texts"), (1, "[:, own]", "tokens"))),
        Mistake(_others_silent, "The other heads are silent now. They stay as they are."),
        Mistake({"where": lambda head, size, wide: (..., slice(head * size, head + size))}, "Where "
                "does your slice end? In (head + 1) * size the brackets matter."),
        Mistake({"where": lambda head, size, wide: ...}, "You replace all heads. The others "
                "stay as they are."),
        Mistake({"where": lambda head, size, wide: _columns(head, 1)}, "You replace one column. "
                "A head has as many columns as its size."),
        Mistake({"where": lambda head, size, wide: _columns(head, size)}, "You begin at "
                "column `head`. The heads before it have `size` columns each."),
        *(Mistake({"where": lambda head, size, wide, n=n: _columns(head * size, size + n)},
                  "A slice ends before the number behind its colon. How many columns has yours?")
          for n in (-1, 1)),
        Mistake({"where": lambda head, size, wide: (..., slice(head, None, wide // size))},
                "You take columns that lie apart. Those of one head stand side by side."),
        Mistake({"where": lambda head, size, wide: _columns(head * size, size)[1:]},
                "You replace tokens. The columns are the last axis: [..., own]."),
        Mistake({"usual": lambda own: own - own.mean(axis=(0, 1))}, "You take the average away and "
                "keep the rest. The other way around is wanted."),
        Mistake({"where": lambda head, size, wide: _columns((head - 1) * size, size)}, "That is "
                "the head before it. Heads are counted from 0."),
        Mistake(lambda contexts, head, size: contexts.mean(axis=(0, 1))[
                head * size:(head + 1) * size], "That is the head's mean. Put it into a copy of "
                "all contexts."),
        *(Mistake(lambda *case, of=of: of(*case)[..., case[1] * case[2] : (case[1] + 1) * case[2]],
                  "These are the head's own numbers. Return all heads, with this one replaced.")
          for of in (_mean_ablation, lambda contexts, head, size: contexts)),
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


def _by_places(words, classes, order):
    dealt = {word: classes[i] for word, i in zip(_as_they_appear(words), order)}
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
        *(Mistake(partial(_control_task, different=different), "You count the words from the end "
                  "of the text. Count them as they first appear.") for different in (
                  lambda words: _as_they_appear(words)[::-1],
                  lambda words: _as_they_appear(words[::-1]))),
        Mistake(lambda words, classes, order: _control_task(words, classes, order[::-1]), "You "
                "read the order from its end. Word number i goes with order[i]."),
        Mistake({"told": lambda new: [*new][::-1]}, "Your list is turned around: its first class "
                "is that of the last word."),
        *(Mistake(lambda words, classes, order, by=by: _control_task(words, classes, [
                  (i + by) % len(order) for i in order]), "You are off by one. The different words "
                  "are counted from 0.") for by in (-1, 1)),
        Mistake(lambda words, classes, order: _control_task(words, classes, [order[i] for i in
                order]), "You look up the order twice. Word number i goes with order[i]."),
        Mistake({"different": as_it_is}, "You count words that stand twice two times. Count the "
                "different ones, as they first appear."),
        Mistake(lambda words, classes, order: [order[_as_they_appear(words).index(word)] for word
                in words], "These are numbers of words. Which class has each of them?"),
        Mistake({"different": lambda words: list({*words})}, "A set keeps no order. Count the "
                "words as they first appear."),
        Mistake(lambda words, classes, order: _control_task(words, words, order), "These are "
                "words. Which class has each of them?"),
        Mistake(_by_places, "`order` counts different words. You look it up in the list of all "
                "words, where some stand twice."),
        Mistake({"back": True}, "You hand each class on to word number order[i]. Word number i "
                "should receive the class of word number order[i]."),
        *(Mistake(deal, "You deal one class for each different word. Return one for each word of "
                  "the text, in a list.") for deal in (
                  lambda words, classes, order: [dict(zip(words, classes))[
                      _as_they_appear(words)[i]] for i in order],
                  lambda words, classes, order: [classes[i] for i in order],
                  lambda words, *case: dict(zip(words, _control_task(words, *case))))),
    ],
)  # fmt: skip
