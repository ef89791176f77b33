"""Exercises of Chapter 17: labels of pieces, the best legal span."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise


def _piece_labels(counts, labels):
    row = [-100]
    for count, label in zip(counts, labels):
        row += ([label] + [-100] * count)[:count]
    return [*row, -100]


def _marked(no_label):
    """Say by another number that a token has no label: everywhere, in words, at the ends."""
    return tuple(change.replace("?", no_label) for change in (
        "-100 → ?", "[-100] * → [?] *", "row = [-100] → row = [?]||*row, -100 → *row, ?",
        "*row, -100 → *row, ?", "row = [-100] → row = [?]"))  # fmt: skip


check_piece_labels = Exercise(
    "Write the labels of all tokens of a sentence, from those of its words.",
    _piece_labels,
    cases=[
        ([1, 1, 1], [3, 1, 2]),
        ([1, 2, 1], [1, 2, 4]),
        ([3, 1, 4, 2], [1, 5, 3, 4]),
        ([2, 0, 1], [3, 1, 5]),
    ],
    mistakes={
        "([label] + [-100] * count)[:count] → [label] * count": "Every piece has the label of its "
            "word. Then a name of four pieces counts four times. Which piece speaks for the word?",
        ("[:count] → [:count][::-1]",
            "([label] + [-100] * count)[:count] → [-100] * (count - 1) + [label]"):
            "The last piece has the label. That works, too, if everybody does it; here it is the "
            "first one.",
        "[label] + [-100] * count → [-100] * count": "No word has a label left. Which piece speaks "
            "for it?",
        "[label] + [-100] * count → [-100] + [label] * count": "All pieces but the first have the "
            "label. It is the other way around.",
        _marked("0"): "0 is a label, too. With which number do you say that there is no label?",
        _marked("-1"): "The loss does not know −1. With which number do you say that there is no "
            "label?",
        _marked("None"): "None is no number. With which number do you say that there is no label?",
        _marked("100"): "The loss does not know 100. With which number do you say that there is no "
            "label?",
        "[-100] * count → [label + 1] * count": "The other pieces of a word have the next label, "
            "the inside of a name. Here only the first piece has a label.",
        "([label] + [-100] * count)[:count] → [label] + [-100] * (count - 1)":
            "A word without pieces has no token, and so no label.",
        "[:count] →": "Each word has a token too many. Its label belongs to its first piece.",
        "([label] + [-100] * count)[:count] → [label]": "One label for each word. Each piece is a "
            "token, and needs a number.",
        "([label] + [-100] * count)[:count] → [([label] + [-100] * count)[:count]]":
            "A list stands inside your list. Do you append where you want to extend?",
        "(counts, labels) → (counts[:1], labels)": "Only the first word is there. Does your loop "
            "return too early?",
        "row += → row =": "Only the last word is there. Does your loop make a new list in each "
            "round?",
        ("count, label in → label, count in",
            "([label] + [-100] * count)[:count] → [count] * label"): "You have exchanged the two "
            "lists: a word has as many pieces as the first one says.",
        ("row = [-100] → row = []||*row, -100 → *row", "row = [-100] → row = []",
            "*row, -100 → *row"): "[CLS] in front and [SEP] at the end are tokens, too. What is "
            "their label?",
    },
)  # fmt: skip


def _best_span(starts, ends, inside, most):
    n = len(starts)
    ahead = np.arange(n) - np.arange(n)[:, None]
    outside = np.cumsum(~inside)
    whole = inside[:, None] & (outside == outside[:, None])
    legal = (ahead >= 0) & (ahead < most) & whole
    sums = np.where(legal, starts[:, None] + ends, -np.inf)
    return divmod(int(sums.argmax()), n)


def _with_arrays(starts, ends, inside, most):
    return *map(np.array, (starts, ends, inside)), most


check_best_span = Exercise(
    "Find the best legal span: its start and its end score have the highest sum.",
    _best_span,
    cases=[_with_arrays(*case) for case in [
        ([0.0, 3.0, 2.5, 0.5, 2.0], [0.0, 0.5, 0.0, 1.0, 3.0], [False] + [True] * 4, 3),
        ([-1.0, 8.0, -2.0, 6.0, 1.0, -4.0], [7.0, 1.0, 3.0, 1.0, 2.0, 9.0],
         [False] + [True] * 5, 2),
        ([9.0, -3.0, -4.0, 6.0, -5.0, 5.0], [8.0, -2.0, 7.0, -1.0, 7.5, -3.0],
         [False, True, True, False, True, True], 4),
        ([0.0, 7.0, 6.0, -1.0, -3.0, -5.0, 9.0], [0.0, 8.0, 7.0, -2.0, -1.5, -4.0, 9.0],
         [False, False, False, True, True, True, False], 4),
        ([2.0, 5.0, 1.0], [1.0, 4.0, 2.0], [False, True, True], 2),
        ([0.0, 5.0, 0.0, 1.0], [0.0, 1.0, 5.0, 0.0], [False, True, True, True], 3),
    ]],
    forbidden=["a loop", "best_spans"],
    mistakes={
        "→ int(starts.argmax()), int(ends.argmax())": "You take the best start and the best end, "
            "each by itself. Are they a span?",
        ("(ahead >= 0) & → inside &", "(ahead >= 0) & →"): "Your end may come before its start.",
        "& whole →": "Your answer may lie in the question. Which tokens belong to the passage?",
        "(outside == outside[:, None]) → inside": "Start and end are in the passage, but what lies "
            "between them need not be. Every token of an answer must be inside.",
        "& (outside == outside[:, None]) →": "The start is in the passage. Every token of an "
            "answer must be inside.",
        "inside[:, None] & (outside == outside[:, None]) → inside": "The end is in the passage. "
            "Every token of an answer must be inside.",
        ("np.arange(n) - np.arange(n)[:, None] → np.arange(n)[:, None] - np.arange(n)",
            "np.arange(n) - np.arange(n)[:, None] → np.arange(n)[:, None] - np.arange(n)||& whole "
            "→ & whole & inside"): "All of your spans end before they start. Which of the two is a "
            "row, and which a column of your table?",
        ("→ return right(starts[inside], ends[inside], inside[inside], most)",
            "→ return tuple(int(inside[:place].sum()) for place in right(starts, ends, inside, "
            "most))"): "You count from the first token of the passage. Count from that of the "
            "whole row, the question included.",
        ", n) → , n)[::-1]": "Turned around: first the start, then the end.",
        "divmod(int(sums.argmax()), n) → int(sums.argmax())": "argmax counts through the whole "
            "table, row by row. divmod(place, n) makes row and column of it.",
        "divmod(int(sums.argmax()), n) → sums.max()": "That is the highest sum. Where does it "
            "stand?",
        "→ (0, 0)": "Yours is (0, 0) whatever the scores are. Does your search end at what is "
            "excluded? Look for the highest sum.",
        "starts[:, None] + ends → starts[:, None] * ends": "You multiply the scores. Their sum is "
            "wanted: two negative scores are no good span.",
        "starts[:, None] + → starts +": "You add the two scores of one and the same token. In a "
            "table of all pairs the starts stand in a column: starts[:, None].",
        "starts[:, None] + ends → np.exp(starts)[:, None] / np.exp(starts).sum() + np.exp(ends) / "
            "np.exp(ends).sum()": "You add probabilities. Add the scores themselves.",
        "~inside → inside": "You count the tokens of the passage. Count the outsiders: where their "
            "number is the same at both ends, none lies between.",
        "ahead >= 0 → ahead > 0": "An answer may be a single token. Then start and end are the "
            "same.",
        "ahead >= 0 → ahead == 0": "You add the two scores of one and the same token. In a table "
            "of all pairs the starts stand in a column: starts[:, None].",
        "starts[:, None] + ends → starts + ends[:, None]": "Your rows are ends, and you read them "
            "as starts. Which of the two stands in a column, with [:, None]?",
        "sums.argmax() → np.triu(sums).argmax()": "np.triu leaves 0 below the diagonal, and 0 "
            "beats a span whose sum is below 0. Which number beats nothing?",
        "-np.inf → 0": "What is illegal counts 0, and beats a span whose sum is below 0. Which "
            "number beats nothing?",
        "& (ahead < most) →": "Your answer may be too long. How many tokens may it have?",
        "ahead < most → ahead <= most": "Nearly: one token too many. From 3 to 5, these are three "
            "tokens.",
        "ahead < most → ahead < most - 1": "Nearly: one token too few. From 3 to 5, these are "
            "three tokens.",
        "divmod(int(sums.argmax()), n) → int(sums.argmax()) // n, int(sums.argmax()) % n + 1":
            "Your end is the token behind the answer, as in a slice. Return the last token itself.",
        "sums.argmax() → np.where(starts[:, None] == starts[inside].max(), sums, -np.inf).argmax()":
            "You take the best start first, and then the best end for it. Another start may have a "
            "higher sum.",
        "sums.argmax() → np.where(ends == ends[inside].max(), sums, -np.inf).argmax()":
            "You take the best end first, and then the best start for it. Another end may have a "
            "higher sum.",
    },
)  # fmt: skip
