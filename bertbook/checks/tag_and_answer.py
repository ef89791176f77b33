"""Exercises of Chapter 17: labels of pieces, the best span, F1, windows."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from minibert.tasks.metrics import exact_match, normalize_answer

from .exercise import Exercise


def _piece_labels(piece_counts, labels):
    row = [-100]
    for count, label in zip(piece_counts, labels):
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
        "(piece_counts, labels) → (piece_counts[:1], labels)": "Only the first word is there. Does "
            "your loop return too early?",
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


def _best_span(starts, ends, inside, longest):
    n = len(starts)
    ahead = np.arange(n) - np.arange(n)[:, None]
    outside = np.cumsum(~inside)
    whole = inside[:, None] & (outside == outside[:, None])
    legal = (ahead >= 0) & (ahead < longest) & whole
    sums = np.where(legal, starts[:, None] + ends, -np.inf)
    return divmod(int(sums.argmax()), n)


def _with_arrays(starts, ends, inside, longest):
    return *map(np.array, (starts, ends, inside)), longest


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
        ("→ return right(starts[inside], ends[inside], inside[inside], longest)",
            "→ return tuple(int(inside[:place].sum()) for place in right(starts, ends, inside, "
            "longest))"): "You count from the first token of the passage. Count from that of the "
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
        "& (ahead < longest) →": "Your answer may be too long. How many tokens may it have?",
        "ahead < longest → ahead <= longest": "Nearly: one token too many. From 3 to 5, these are "
            "three tokens.",
        "ahead < longest → ahead < longest - 1": "Nearly: one token too few. From 3 to 5, these "
            "are three tokens.",
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


def _answer_f1(answer, true):
    answer, true = (normalize_answer(text).split() for text in (answer, true))
    if not answer or not true:
        return float(answer == true)
    shared = (Counter(answer) & Counter(true)).total()
    p, r = shared / len(answer), shared / len(true)
    return 2 * p * r / (p + r) if shared else 0.0


check_answer_f1 = Exercise(
    "Return the F1 of an answer, given the true one.",
    _answer_f1,
    cases=[
        ("Beijing", "Shanghai"),
        ("The Bund.", "the Bund"),
        ("in the year 1990", "1990"),
        ("from bank to bank to bank", "bank to bank"),
        ("Ieoh Ming Pei", "the architect Pei"),
        ("Pei", "Ieoh Ming Pei"),
        ("the bank of China", "the bank of England"),
        ("to the bank", "from bank to bank"),
        ("", ""),
        ("", "1990"),
    ],
    forbidden=["answer_f1", "score_answers"],
    mistakes={
        exact_match: "That is the exact match: all or nothing. How many words do both share?",
        "split() → split()||Counter(answer) & Counter(true) → Counter({*answer} & "
            "{*true})||len(answer) → len({*answer})||len(true) → len({*true})":
            "A word that stands twice in both is shared twice. Count words, not different words.",
        "(Counter(answer) & Counter(true)).total() → len({*answer} & {*true})":
            "len counts the different words that both share. How often is each in both? A Counter "
            "has a total.",
        ("(Counter(answer) & Counter(true)).total() → sum(word in true for word in answer)",
            "(Counter(answer) & Counter(true)).total() → sum(word in answer for word in true)"):
            "A word that one of the two has once is shared once, however often the other one says "
            "it.",
        ("normalize_answer(text) → text", "normalize_answer(text) → text.lower()"):
            "Capitals, punctuation marks and articles do not count. Normalize both answers first.",
        "normalize_answer(text).split() → list(normalize_answer(text))":
            "You compare letters. F1 counts the words that both share.",
        "float(answer == true) → 0.0": "Of two empty answers, each says that there is none. They "
            "agree.",
        "(Counter(answer) & Counter(true)).total() → sum(map(str.__eq__, answer, true))":
            "You compare word by word, in their places. A word that both have is shared wherever "
            "it stands.",
        "2 * p * r / (p + r) → min(p, r)": "You divide by the longer of the two answers. F1 "
            "divides by both: it is the harmonic mean of precision and recall.",
        "2 * p * r / (p + r) → max(p, r)": "You divide by the shorter of the two answers. F1 "
            "divides by both: it is the harmonic mean of precision and recall.",
        "2 * p * r / (p + r) → p": "That is the precision. What share of the true answer was "
            "found?",
        "2 * p * r / (p + r) → r": "That is the recall. What share of the given answer is right?",
        "2 * p * r / (p + r) → (p + r) / 2": "That is the mean of precision and recall. F1 is "
            "their harmonic mean.",
        "2 * p * r / (p + r) → (p * r) ** 0.5": "That is the geometric mean of precision and "
            "recall. F1 is their harmonic mean.",
        "2 * p * r / (p + r) → p * r / (p + r - p * r)": "You divide by how many words there are "
            "in all, shared ones counted once. F1 counts them in both answers.",
        "/ (p + r) →": "Two times precision times recall: by what must you divide?",
        "2 * p → 200 * p": "These are percentages. F1 is 1 at most.",
        "2 * p * r / (p + r) → 1.0": "One shared word is enough for you. What share of both "
            "answers is it?",
        "→ float(normalize_answer(true) in normalize_answer(answer))": "You ask whether the true "
            "answer stands in the other one. F1 counts shared words.",
        "2 * p * r / (p + r) → float(shared)": "That is how many words they share. What share of "
            "both answers is it?",
        "float(answer == true) → 1.0": "If one of the two is empty and the other is not, they "
            "share nothing.",
        "→ answer, true = (Counter(normalize_answer(text).split()) for text in (answer, "
            "true))\nboth = answer.total() + true.total()\nreturn 2 * (answer | true).total() / "
            "both if both else 1.0": "| keeps what either of the two has. & keeps what both share.",
        ("→ right(answer, true) / 2", "2 * p → p"): "Precision times recall, divided by their sum, "
            "is half of it.",
        ZeroDivisionError: "It divides by 0 when an answer has no words, or when both share none. "
            "What is F1 then?",
    },
)  # fmt: skip


def _windows(pieces, room, stride):
    left, step = max(0, pieces - room), room - stride
    return 1 + math.ceil(left / step)


check_number_of_windows = Exercise(
    "Count the windows that a passage needs.",
    _windows,
    cases=[(5, 5, 2), (3, 9, 4), (10, 5, 2), (11, 5, 2), (30, 5, 3), (13, 5, 4), (100, 60, 20),
           (140, 60, 20)],
    forbidden=["sliding_windows"],
    mistakes={
        ("→ math.ceil(pieces / room)", "→ 1 + math.ceil(pieces / room)"):
            "You lay the windows side by side. How far does each go beyond the one before, if they "
            "share some pieces?",
        ("→ (pieces - room) // stride + 1", "→ (pieces - room) / stride + 1"):
            "That is the formula of a convolution, whose stride is the step. Here it is what "
            "neighbors share.",
        "→ math.ceil(pieces / stride)": "You divide by what neighbors share. It is the room that "
            "is left which is new.",
        "→ list(range(0, max(1, pieces - stride), room - stride))": "That is where windows begin. "
            "How many are there?",
        "room - stride → room - 2 * stride": "A window shares `stride` pieces with the one before. "
            "Subtract them once.",
        "room - stride → room - stride - 1": "Your step is too small by one. If 5 pieces fit and 2 "
            "are shared, 3 are new.",
        "room - stride → room - stride + 1": "Your step is too large by one. If 5 pieces fit and 2 "
            "are shared, 3 are new.",
        "room - stride → stride": "You move each window by what neighbors share. It is the room "
            "that is left which is new.",
        "room - stride → room + stride": "What neighbors share makes the step shorter, not longer.",
        ("math.ceil → math.floor", "math.ceil → round"): "The last pieces are in no window. Round "
            "up.",
        "→ len(range(0, pieces - room + 1, room - stride))": "You count windows that are full. The "
            "last one may hold less.",
        "math.ceil(left / step) → left / step": "A number of windows is whole. Round up.",
        ("1 + math.ceil(left / step) → math.ceil(pieces / step)",
            "1 + math.ceil(left / step) → pieces // step + 1", "left / step → pieces / step",
            "left / step → (pieces - stride) / step",
            "left / step → max(0, pieces - stride) / step"): "Every window brings as many new "
            "pieces as the step, and the first one more than that. What is left behind the first?",
        "1 + →": "You count those behind the first window. Where is the first?",
        "max(0, pieces - room) → pieces - room": "Nearly: a short passage has one window, not "
            "fewer.",
        "1 + math.ceil → 2 + math.floor": "One too many where the last window ends with the "
            "passage.",
    },
)  # fmt: skip
