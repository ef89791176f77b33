"""Right answers to the exercises of Chapter 17, written in other ways, pass; rules are judged."""

from itertools import groupby, product

import numpy as np
import pytest
from kinds_of_answers import right_answers

from bertbook.checks.tags import check_best_tags, check_names_by_rule, check_piece_labels
from bertbook.tasks.tagging import tag_pieces
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

LETTERS = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "##a"])


def labels_by_the_package(counts, labels):
    return tag_pieces(LETTERS, ["a" * n or "\u200b" for n in counts], labels).labels


def best_of_all(scores, may_follow):
    """Try every row of tags."""
    words, tags = scores.shape
    legal = (
        row
        for row in product(range(tags), repeat=words)
        if all(may_follow[pair] for pair in zip((0, *row), row, strict=False))
    )
    return max(legal, key=lambda row: sum(scores[range(words), row]))


test_right_answers_pass_however_they_are_written = right_answers(
    (check_piece_labels, labels_by_the_package),
    (check_piece_labels, lambda *given: tuple(labels_by_the_package(*given))),
    (check_best_tags, best_of_all),
    (check_best_tags, lambda *given: np.array(best_of_all(*given))),
)


def test_only_one_row_of_tags_is_the_best():
    """Otherwise a right answer could be refused."""
    for scores, may_follow in check_best_tags.cases:
        rows = product(range(scores.shape[1]), repeat=len(scores))
        sums = [
            sum(scores[range(len(row)), row])
            for row in rows
            if all(may_follow[pair] for pair in zip((0, *row), row, strict=False))
        ]
        first, second = sorted(sums)[-2:][::-1]
        assert first > second


def runs(capital):
    found, place = [], 0
    for is_name, run in groupby(capital):
        end = place + len([*run])
        found += [(place, end)] if is_name else []
        place = end
    return found


def knowing(words, lowercase):
    first = words[0][0].isupper() and words[0].lower() not in lowercase
    return runs([first, *(word[0].isupper() for word in words[1:])])


def single_words(words, lowercase):
    return [(n, n + 1) for start, end in knowing(words, lowercase) for n in range(start, end)]


RULES = [
    (knowing, True, "F1 0.88 on 61 sentences"),
    (lambda words, known: tuple(map(np.array, knowing(words, known))), True, "F1 0.88"),
    (lambda words, known: runs([word[0].isupper() for word in words]), False, "each first word"),
    (
        lambda words, known: [pair for pair in knowing(words, known) if pair[0]],
        False,
        "beginning of a sentence",
    ),
    (single_words, False, "side by side are one name"),
    (lambda words, known: [(s, max(s, e - 1)) for s, e in knowing(words, known)], False, "behind"),
    (lambda words, known: [], False, "finds nothing"),
    (lambda words, known: None, False, "returns nothing yet"),
    (lambda words, known: 3, False, "must return pairs"),
    (lambda words, known: [w for w in words if w[0].isupper()], False, "returns words"),
    (lambda words, known: [[1, 2, 3]], False, "must return pairs"),
    (lambda words, known: [("An", "na")], False, "returns words"),
    (lambda words, known: runs([w.lower() not in known for w in words]), False, "small letter"),
    (lambda words, known: knowing(words, {w.lower() for w in words} - known), False, "Turn that"),
    (lambda words, known: [p for p in knowing(words, known) if p[1] < len(words)], False, "last"),
    (
        lambda words, known: runs([w[0].isupper() and w.lower() not in known for w in words]),
        False,
        "a capital inside a sentence says enough",
    ),
    (
        lambda words, known: [
            pair
            for pair in runs([word[0].isupper() for word in words])
            if pair[0] or words[0].lower() not in known
        ],
        False,
        "behind a known first word",
    ),
    (lambda words, known: words[99], False, "IndexError"),
]


@pytest.mark.parametrize(("rule", "passed", "said"), RULES)
def test_a_rule_is_judged_by_what_it_finds(rule, passed, said):
    verdict = check_names_by_rule(rule)
    assert verdict.passed == passed, verdict
    assert said in verdict.message
