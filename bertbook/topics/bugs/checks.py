"""Exercises of Chapter 26: what falls, and the smallest text."""

from itertools import combinations

from bertbook.core.exercises.exercise import Exercise

_PADDING, _MATES = "padding_changes_nothing", "batch_mates_do_not_matter"
_SPLIT, _HEARS = "split_batch_is_whole_batch", "every_token_hears_every_token"


def _falling(change):
    return {"mean": {_PADDING}, "root": set(), "sort": {_MATES}}[change]


check_falling = Exercise(
    "Name the invariants that fall for each of three changes.",
    _falling,
    cases=[("mean",), ("root",), ("sort",)],
    mistakes={
        "{_PADDING} → set()": "What happens to the mean when the same text is padded further?",
        "_PADDING → _PADDING, _MATES": "With equal columns, does it matter who shares the batch?",
        "_PADDING → _MATES": "What of a text changes, though its words do not?",
        '_PADDING → "places_matter" ¦ _PADDING, "places_matter"': "Words still know their place.",
        '_PADDING → "labels_count_alike"': "That mean is of a loss. Here vectors are averaged.",
        "_PADDING → _HEARS ¦ _PADDING, _HEARS": "Which columns should not enter the mean?",
        '_PADDING → _PADDING, "no_mask_means_all_ones"': "A mask of ones changes no mean.",
        '_PADDING → _PADDING, "padding_alone_gives_numbers"': "Finite numbers have finite means.",
        'set() → {_PADDING} ¦ {"attention_is_shared_among_tokens"} ¦ '
            '{"gradients_reach_everything"} ¦ {"padding_alone_gives_numbers"}': "A steeper softmax "
            "is finite and sums to 1. Does yours fall?",
        'set() → {"training_adds_dropout_only"}': "The root is missing in evaluation, too.",
        "{_MATES} → set()": "Which vectors does the first text get back?",
        "_MATES → _PADDING ¦ _MATES, _PADDING ¦ _MATES, _PADDING, _SPLIT": "Can one text alone be "
            "sorted wrongly?",
        "_MATES → _MATES, _SPLIT ¦ _SPLIT": "That one needs a loss. What falls without it?",
        '_MATES → "places_matter"': "Words keep their positions. Texts change theirs in the batch.",
        '_MATES → "evaluation_repeats" ¦ _MATES, "evaluation_repeats" ¦ "calls_stay_apart"': "Each "
            "call sorts its own texts, and alike.",
        '_PADDING → "Padding changes nothing at the tokens"||_MATES → "A text has the same numbers '
            'whoever shares its batch"': "Return the names that are printed above the cell.",
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
        "shorter = … :] → shorter = rest[: len(rest) - place - 1] + rest[len(rest) - place :]":
            "Begin at the left, so that everybody finds the same one.",
        lambda fails, ids: next([*some] for size in range(len(ids) + 1)
            for some in combinations(ids, size) if fails([*some])): "You try all parts of the "
            "text. Of 500 tokens there are too many: leave one out.",
        "→ ways = [ids[:place] + ids[place + 1 :] for place in range(len(ids))]\nways = "
            "[_smallest(fails, way) for way in ways if fails(way)]\nreturn min([*ways, ids], "
            "key=len)": "Of 500 tokens there are too many ways: stay with the first.",
        "return rest → return list(dict.fromkeys(rest))": "A token may be needed twice.",
        "return rest → return sorted(rest)": "The tokens keep their order.",
        "shorter, 0 → shorter, place ¦ shorter, place + 1": "Begin again: another may be spared.",
        ("place < len(rest) → place < min(2, len(rest))||shorter = … :] → shorter = (rest[1:], "
            "rest[:-1])[place]", "place < len(rest) → place < min(1, len(rest))", "place < "
            "len(rest) → place < min(1, len(rest))||shorter = … :] → shorter = rest[:-1]"): "A "
            "token in the middle can be spared, too.",
        "→ next(ids[i : i + n] for n in range(len(ids) + 1) for i in range(len(ids)) if "
            "fails(ids[i : i + n]))": "What fails may need two that stand apart.",
        "shorter = … :] → shorter = [other for other in rest if other != rest[place]]": "Leave out "
            "a single token, not every one of a kind.",
        ("shorter = → at = rest.index(rest[place])\n        shorter =||rest[:place] + rest[place + "
            "1 :] → rest[:at] + rest[at + 1 :]", "rest, place = shorter, 0 → place = "
            "rest.remove(rest[place]) or 0"): "Leave out a place, not a value.",
        "→ right(lambda places: fails([ids[n] for n in places]), [*range(len(ids))])": "These are "
            "places. Return the ids that stand there.",
        "if fails → if shorter and fails": "Does it fail on an empty text, too?",
        "→ [word for word in ids if fails([word])]": "A token may only fail together with others.",
        "place < len(rest) → place < len(rest) - 1": "You never try to leave out the last token.",
        "→ [word for place, word in enumerate(ids) if not fails(ids[:place] + ids[place + 1 :])]":
            "Leave out one, and ask again about the others.",
        "→ half = len(ids) // 2\nparts = [part for part in (ids[:half], ids[half:]) if half and "
            "fails(part)]\nreturn _smallest(fails, parts[0]) if parts else list(ids)": "You keep "
            "halves only. What fails may need a token of each half.",
        "return rest → return len(rest)": "That is its length. Return the text itself.",
        "if fails → if not fails": "It is the failing that has to stay.",
        "rest, place = shorter, 0 → return shorter": "Go on until none can be spared.",
        "→ list(ids)": "Nothing is left out.",
    },
)  # fmt: skip
