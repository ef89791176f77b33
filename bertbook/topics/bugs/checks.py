"""Exercises of Chapter 26: what fails, and the smallest text."""

from itertools import combinations

from bertbook.core.exercises.exercise import Exercise

_PADDING, _MATES = "padding_changes_nothing", "batch_mates_do_not_matter"
_SPLIT, _CHANGES = "split_batch_is_whole_batch", "every_token_changes_every_token"


def _falling(change):
    return {"mean": {_PADDING}, "root": set(), "sort": {_MATES}}[change]


check_falling = Exercise(
    "Name the invariants that fall for each of three changes.",
    _falling,
    cases=[("mean",), ("root",), ("sort",)],
    mistakes={
        "{_PADDING} → set()": "What happens to the mean when the same text is padded further?",
        "_PADDING → _MATES": "What of a text changes, though its words do not?",
        "_PADDING → _CHANGES ¦ _PADDING, _CHANGES": "Which columns should not enter the mean?",
        "{_MATES} → set()": "Which vectors does the first text get back?",
        "_MATES → _MATES, _SPLIT ¦ _SPLIT": "That one needs a loss. What fails without it?",
    },
)  # fmt: skip


def _smallest(fails, ids):
    rest, place = list(ids), 0
    while place < len(rest):
        shorter = rest[:place] + rest[place + 1 :]
        if fails(shorter):
            rest, place = shorter, 0
        else:
            place += 1
    return rest


def _two_and_seven(ids):
    return 2 in ids and 7 in ids[ids.index(2) :]


def _three_tokens(ids):
    return len(ids) >= 3


def _a_five(ids):
    return 5 in ids


def _a_five_no_lonely_nine(ids):
    return 5 in ids and (8 in ids or 9 not in ids)


def _one_and_two_or_nine(ids):
    return 9 in ids or (1 in ids and 2 in ids)


check_smallest = Exercise(
    "Find a shortest text that still fails, leaving out tokens from the left.",
    _smallest,
    cases=[(_two_and_seven, [4, 2, 9, 2, 7, 7]), (_two_and_seven, [1, 2, 4, 4, 7, 2, 3]),
           (_three_tokens, [3, 1, 4, 1, 5]), (_a_five, [8, 5, 6, 5]), (_a_five_no_lonely_nine,
           [8, 9, 5]), (_one_and_two_or_nine, [1, 2, 9]), (_one_and_two_or_nine, [9, 1, 2])],
    edges=[(_three_tokens, [1, 2, 3]), (_three_tokens, [5, 2, 2, 2]), (all, [3, 1])],
    seconds=5,
    mistakes={
        lambda fails, ids: next([*some] for size in range(len(ids) + 1)
            for some in combinations(ids, size) if fails([*some])): "You try all parts of the "
            "text. Of 500 tokens there are too many: leave one out.",
        "shorter, 0 → shorter, place ¦ shorter, place + 1": "Begin again: another may be spared.",
        "if fails → if shorter and fails": "Does it fail on an empty text, too?",
        "return rest → return len(rest)": "That is its length. Return the text itself.",
        "if fails → if not fails": "It is the failing that has to stay.",
    },
)  # fmt: skip
