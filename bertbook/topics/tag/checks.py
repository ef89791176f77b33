"""Exercises of Chapter 17: labels of pieces, names by a rule, the best legal tags."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import numpy as np

from bertbook.core.exercises.exercise import Exercise, attempt
from bertbook.core.exercises.verdict import Verdict
from bertbook.corpus import entity_sentences

from .tagging import find_entities


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
    cases=[([1, 1, 1], [3, 1, 2]), ([1, 2, 1], [1, 2, 4]), ([3, 1, 4, 2], [1, 5, 3, 4]),
           ([2, 0, 1], [3, 1, 5]), ([2, 1, 0], [5, 0, 3])],
    mistakes={
        "([label]…)[:count] → [label] * count": "Only the first piece has a label.",
        ("[:count] → [:count][::-1]", "[label] + [-100] * count → [-100] * count"):
            "The first piece is labeled.",
        (*_marked("0"), *_marked("None"), *_marked("100")): "Which number says “no label”?",
        _marked("-1"): "The loss does not know −1. Which number does it know?",
        "([label]…)[:count] → [label] + [-100] * (count - 1)": "No piece, no token: nothing is "
            "written.",
        "[:count] → ¦ [: count + (count > 0)]": "Each word has a token too many.",
        "row += → row =": "Only the last word is there. Where does your list begin?",
        "row = [-100] → row = []||*row, -100 → *row": "[CLS] and [SEP] are tokens, too. What is "
            "their label?",
    },
)  # fmt: skip


def _best_tags(scores, may_follow):
    blocked = np.where(may_follow, 0.0, -np.inf)
    best, ways = scores[0] + blocked[0], []
    for row in scores[1:]:
        sums = best[:, None] + blocked
        ways.append(sums.argmax(axis=0))
        best = sums.max(axis=0) + row
    path = [int(best.argmax())]
    for way in ways[::-1]:
        path.append(int(way[path[-1]]))
    return path[::-1]


_BIO = [[1, 1, 0], [1, 1, 1], [1, 1, 1]]  # O, B, I: no I after an O
_KINDS = [[1, 1, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 1, 1], [1, 1, 0, 1, 1]]


def _sentence(scores, may_follow):
    return np.array(scores, dtype=float), np.array(may_follow, dtype=bool)


check_best_tags = Exercise(
    "Find the legal tags of a sentence whose scores have the highest sum.",
    _best_tags,
    cases=[_sentence(*case) for case in [
        ([[2, 1.5, 4], [1, 0, 2]], _BIO),
        ([[4, 3, 0], [0, 1, 5], [1, 0, 2]], _BIO),
        ([[3, 1, 5], [0, 2.5, 4], [3, 1, 2], [0, 1, 4]], _BIO),
        ([[3, 2, 0, 1, 0], [0, 1, 6, 2, 5], [1, 0, 2, 0, 5], [2, 0, 1, 0, 4]], _KINDS),
        ([[1, 2, 0, 3, 4], [0, 1, 5, 2, 4], [0, 2, 6, 1, 1], [3, 0, 0, 1, 4]], _KINDS),
        ([[-1, -2, -4, -3.5, -5], [-6, -5, -1, -4, -2], [-3, -9, -8, -7, -1.5]], _KINDS),
    ]],
    mistakes={
        "[:, None] →": "Which of the two is the tag before? may_follow[before, after].",
        "np.inf → 1.0": "What is forbidden may still win. Which number never does?",
        "path[::-1] → path": "Turned around: you return the last word's tag first.",
        "ways[::-1] → ways": "Walk back from the last word: its way is the last one stored.",
        "scores[1:] → scores": "The first word has its turn before the loop.",
    },
)  # fmt: skip

ENOUGH = 0.8  # every run of capitals gets 0.67 on these sentences
Span = tuple[int, int]


def check_names_by_rule(rule: Callable) -> Verdict:
    """Judge a rule that finds where names begin and end, on the validation part.

    Args:
        rule: Yours: it takes the words of a sentence and the set of words that are seen in small
            letters, and returns (start, end) of each name, `end` being after its last word.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    name = getattr(rule, "__name__", "your rule")
    sentences = entity_sentences("validation")
    lowercase = {w for words, _ in entity_sentences("train") for w in words if w[0].islower()}
    found = []
    for words, _ in sentences:
        answer, problem = attempt(rule, [*words], {*lowercase})
        problem = problem or _no_spans(name, answer, len(words))
        if problem:
            return Verdict(False, problem)
        found.append({(int(start), int(end)) for start, end in answer})
    true = [{(e.start, e.end) for e in find_entities(tags)} for _, tags in sentences]
    f1 = _f1(found, true)
    message = f"F1 {f1:.2f} on {len(sentences)} sentences of the validation part"
    if f1 >= ENOUGH and (lost := _lost(rule)):
        return Verdict(False, f"{message}. But {lost}")
    if f1 >= ENOUGH:
        return Verdict(True, f"Good: {message}, the kind not asked.")
    return Verdict(False, f"Not yet: {message}. {_advice(found, true, sentences, lowercase)}")


_LOST = [  # a sentence, what is known in small letters, and what is found by whom
    ("we met Signe Berg", "we met", [], "where a name is the last word, yours does not end it."),
    ("we met Rose Berg .", "we met rose", [(3, 4)], "a capital inside a sentence says enough. Who "
        "needs to be known in small letters?"),
    ("Later Signe Berg came .", "later came", [], "a name may come after a known first word. "
        "Leave out this word, not all of the run."),
]  # fmt: skip


def _lost(rule: Callable) -> str:
    """Say which name a rule loses that is good on the whole; empty if none."""
    for words, known, lost, hint in _LOST:
        if [tuple(map(int, span)) for span in rule(words.split(), {*known.split()})] == lost:
            return hint
    return ""


def _no_spans(name: str, answer: object, words: int) -> str:
    """Say what is no list of pairs; empty if all is well."""
    pairs = [*answer] if isinstance(answer, Iterable) else None
    if pairs and any(isinstance(x, str) for p in pairs for x in (p if _is_long(p) else [p])):
        return f"{name} returns words. Where do the names stand? Count words from 0."
    if pairs is None or not all(_is_long(p) and len(p) == 2 for p in pairs):
        return f"{name} must return pairs (start, end), a list of them for each sentence."
    if any(not 0 <= start < end <= words for start, end in pairs):
        return (
            f"{name} returns a pair that is no piece of a sentence of {words} words: {pairs}. The "
            "end is the number of the first word after the name."
        )
    return ""


def _is_long(pair: object) -> bool:
    return hasattr(pair, "__len__")


def _f1(found: list[set[Span]], true: list[set[Span]]) -> float:
    hits = sum(len(f & t) for f, t in zip(found, true, strict=True))
    return 2 * hits / max(1, sum(map(len, found)) + sum(map(len, true)))


def _advice(
    found: list[set[Span]], true: list[set[Span]], sentences: Sequence, known: set[str]
) -> str:
    """Name what keeps a rule from being good: the first change that would help it."""
    names = [(words, *span) for row, (words, _) in zip(found, sentences) for span in row]
    firsts = [words for words, start, _ in names if start == 0]

    def helps(changed):
        return _f1(changed, true) > _f1(found, true) + 0.1

    advice = [
        (not names, "Your rule finds nothing. What do most names begin with?"),
        (helps([{(s, e + 1) for s, e in row} for row in found]),
            "Your end is the last word of the name. Return the number of the word after it."),
        (helps([{(s - 1, e - 1) for s, e in row} for row in found]),
            "You count the words from 1. The first has the number 0."),
        (helps([_joined(row) for row in found]),
            "Words of a name that stand side by side are one name, not several."),
        (not firsts, "No name of yours stands at the beginning of a sentence. Some true ones do."),
        (len(firsts) == sum(words[0][0].isupper() for words, _ in sentences),
            "Every sentence begins with a capital, and yours takes each first word for a name. "
            "What do the words in small letters tell, once it has lost its capital?"),
        (sum(words[s][0].islower() for words, s, _ in names) > len(names) / 4,
            "Many names of yours begin with a small letter. What do true ones begin with?"),
        (all(word.isupper() for words, s, e in names for word in words[s:e]),
            "Every letter of yours is a capital. How many are enough?"),
        (any(len(row) > len({s for s, _ in row}) for row in found),
            "Several names of yours begin at one word. Where does the next one begin?"),
        (all(words[0].lower() in known for words in firsts),
            "You keep the first words that are known in small letters. Turn that around."),
        (all(e - s > 1 for _, s, e in names), "All yours have several words. Many names have one."),
        (max(map(len, found)) == 1, "You find one name in a sentence at most. Many have more."),
    ]  # fmt: skip
    hints = [hint for holds, hint in advice if holds]
    return [*hints, "Print what it finds beside the true names, and look at three sentences."][0]


def _joined(spans: set[Span]) -> set[Span]:
    places = sorted({place for start, end in spans for place in range(start, end)})
    runs = groupby(enumerate(places), lambda pair: pair[1] - pair[0])
    rows = [[place for _, place in run] for _, run in runs]
    return {(row[0], row[-1] + 1) for row in rows}
