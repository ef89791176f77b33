"""Right answers to the exercises of Chapter 18, written in other ways, pass."""

import numpy as np
import torch
from kinds_of_answers import forbidden_ways, right_answers

from bertbook.analysis.metrics import normalize_answer
from bertbook.checks.answers import (
    check_answer_f1,
    check_best_span,
    check_honest_f1,
    check_number_of_windows,
)
from bertbook.tasks.answering import sliding_windows
from minibert.tasks import best_spans
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

LETTERS = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "##a"])


def span_by_the_package(starts, ends, inside, longest):
    rows = torch.tensor(starts), torch.tensor(ends), torch.tensor(inside)
    found = best_spans(*rows, max_answer_length=longest)
    return found.start.item(), found.end.item()


def span_in_a_table(starts, ends, inside, longest):
    """Right, and without a loop, by PyTorch."""
    starts, ends, inside = map(torch.tensor, (starts, ends, inside))
    sums = starts[:, None] + ends[None, :]
    between = (~inside).cumsum(0)
    whole = inside[:, None] & (between[None, :] == between[:, None])
    sums = sums.masked_fill(~(whole.triu() & ~torch.ones_like(whole).triu(longest)), -torch.inf)
    return divmod(sums.argmax().item(), len(starts))


def words(text):
    return normalize_answer(text).split()


def f1(told, true, clean=words, kind=list, none=1.0):
    told, true = clean(told), clean(true)
    shared = [w for w in told if w in true] if kind is set else []
    if kind is list:
        rest = list(true)
        for word in told:
            if word in rest:
                rest.remove(word)
                shared.append(word)
    else:
        told, true, shared = set(told), set(true), set(shared)
    if not told and not true:
        return none
    return 2 * len(shared) / (len(told) + len(true))


def windows_by_the_package(pieces, room, stride):
    text = " ".join("a" * pieces)
    return len(sliding_windows(LETTERS, "a", text, max_length=room + 4, stride=stride))


def honest_f1(leads, answered, silent, passages):
    """Right, with loops and no arrays."""
    rows = list(zip(leads.tolist(), answered.tolist(), silent.tolist(), passages.tolist()))

    def score(threshold, some):
        return [quiet if lead > threshold else loud for lead, loud, quiet, _ in some]

    total = 0.0
    for passage in dict.fromkeys(passages.tolist()):
        others = [row for row in rows if row[3] != passage]
        tried = sorted({row[0] for row in others})
        best = max(tried, key=lambda threshold: sum(score(threshold, others)))
        total += sum(score(best, [row for row in rows if row[3] == passage]))
    return total / len(rows)


test_right_answers_pass_however_they_are_written = right_answers(
    (check_best_span, span_in_a_table),
    (check_best_span, lambda *given: list(span_in_a_table(*given))),
    (check_best_span, lambda *given: np.array(span_in_a_table(*given))),
    (check_answer_f1, f1),
    (check_honest_f1, honest_f1),
)


test_a_right_answer_by_a_forbidden_way_is_noticed = forbidden_ways(
    (check_number_of_windows, windows_by_the_package, "sliding_windows"),
    (check_best_span, span_by_the_package, "best_spans"),
)
