"""Rules that find names, in Chapter 17, are judged by what they find."""

from itertools import groupby

import pytest

from bertbook.topics.tag.checks import check_names_by_rule


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
    (lambda words, known: runs([word[0].isupper() for word in words]), False, "each first word"),
    (
        lambda words, known: [pair for pair in knowing(words, known) if pair[0]],
        False,
        "beginning of a sentence",
    ),
    (single_words, False, "side by side are one name"),
    (
        lambda words, known: [(s, max(s, e - 1)) for s, e in knowing(words, known)],
        False,
        "after the name",
    ),
    (lambda words, known: [], False, "finds nothing"),
    (lambda words, known: None, False, "returns nothing yet"),
    (lambda words, known: [w for w in words if w[0].isupper()], False, "returns words"),
    (lambda words, known: [[1, 2, 3]], False, "must return pairs"),
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
        "after a known first word",
    ),
]


@pytest.mark.parametrize(("rule", "passed", "said"), RULES)
def test_a_rule_is_judged_by_what_it_finds(rule, passed, said):
    verdict = check_names_by_rule(rule)
    assert verdict.passed == passed, verdict
    assert said in verdict.message
