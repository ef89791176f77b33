"""Exercises of Chapter 23: what falls, and the smallest text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from .exercise import Exercise, Mistake

_PADDING, _MATES = "padding_changes_nothing", "batch_mates_do_not_matter"
_FALLS = {"mean": {_PADDING}, "root": set(), "sort": {_MATES}}
_SPLIT, _HEARS = "split_batch_is_whole_batch", "every_token_hears_every_token"


def _falling(program: str, **guesses: set[str]) -> set[str]:
    return {**_FALLS, **guesses}[program]


check_falling = Exercise(
    "Name the invariants that fall for each of three changes.",
    _falling,
    cases=[("mean",), ("root",), ("sort",)],
    mistakes=[
        Mistake({"mean": set()}, "A mean over all columns has the columns of padding in it. What "
                "happens to it when the same text is padded further?"),
        Mistake({"mean": {_PADDING, _MATES}}, "In the mean, padding counts; but who shares a batch "
                "does not, as long as the number of columns stays the same."),
        Mistake({"mean": {_MATES}}, "The mean looks at one text only. What of a text changes, "
                "though its words do not?"),
        Mistake({"mean": {_HEARS}}, "Each token has its part in the mean. Which columns have a "
                "part in it, and should not?"),
        Mistake({"mean": {_PADDING, "no_mask_means_all_ones"}}, "A text without padding has the "
                "same mean with a mask of ones and without one."),
        Mistake({"mean": {_PADDING, "padding_alone_gives_numbers"}}, "A mean of finite numbers is "
                "finite, also over padding alone."),
        Mistake({"root": {_PADDING}}, "Padding is hidden before the softmax, however large the "
                "scores are."),
        Mistake({"root": {"training_adds_dropout_only"}}, "The root is forgotten in training and "
                "in evaluation. Where do the two differ?"),
        Mistake({"root": {"gradients_reach_everything"}}, "A steeper softmax has smaller "
                "gradients, and they are there."),
        Mistake({"root": {"attention_is_shared_among_tokens"}}, "Without the root the scores are "
                "larger, and a softmax of large scores sums to 1 as well."),
        Mistake({"root": {"padding_alone_gives_numbers"}}, "Scores that are a few times larger "
                "are finite all the same."),
        Mistake({"sort": set()}, "The texts come back in another order than they went in. Which "
                "vectors does the first one get?"),
        Mistake({"sort": {_PADDING}}, "One text alone cannot be sorted wrongly. What if there are "
                "several?"),
        Mistake({"sort": {_MATES, _SPLIT}}, "With a loss it would fall, too. But the vectors have "
                "no labels: which invariant is about vectors?"),
        Mistake({"sort": {_SPLIT}}, "That one needs a loss. What is wrong with the vectors before "
                "any loss?"),
        Mistake({"sort": {"places_matter"}}, "Words keep their places in the text. It is texts "
                "that change theirs in the batch."),
        Mistake({"sort": {"evaluation_repeats"}}, "Twice the same batch is sorted twice in the "
                "same way."),
        Mistake({"sort": {"calls_stay_apart"}}, "Each call sorts its own texts, and remembers "
                "none."),
        Mistake({"mean": {"Padding changes nothing at the tokens"}, "sort": {"A text has the same "
                "numbers whoever shares its batch"}}, "These are the sentences. Return the names "
                "that are printed above the cell."),
        Mistake({"sort": {_PADDING, _MATES}}, "Does a single text, padded, notice the sorting?"),
    ],
)  # fmt: skip


def _drop_left(found: list, fails: Callable) -> list:
    """Leave out the first token that is not needed; the same list if all are."""
    shorter = (found[:place] + found[place + 1 :] for place in range(len(found)))
    return next((rest for rest in shorter if fails(rest)), found)


def _drop_right(found: list, fails: Callable) -> list:
    shorter = (found[:place] + found[place + 1 :] for place in reversed(range(len(found))))
    return next((rest for rest in shorter if fails(rest)), found)


def _smallest(fails: Callable, ids: list, *, drop: Callable = _drop_left) -> list:
    """Leave out tokens, one at a time, as long as it still fails."""
    found = list(ids)
    while (rest := drop(found, fails)) != found:
        found = rest
    return found


def _all_at_once(fails: Callable, ids: list) -> list:
    needed = [not fails(ids[:place] + ids[place + 1 :]) for place in range(len(ids))]
    return [word for word, keep in zip(ids, needed) if keep]


def _one_walk(fails: Callable, ids: list) -> list:
    found, place = list(ids), 0
    while place < len(found):
        rest = found[:place] + found[place + 1 :]
        found, place = (rest, place) if fails(rest) else (found, place + 1)
    return found


def _drop_word(found: list, fails: Callable) -> list:
    shorter = ([other for other in found if other != word] for word in found)
    return next((rest for rest in shorter if fails(rest)), found)


def _drop_first_of_kind(found: list, fails: Callable) -> list:
    places = (found.index(word) for word in found)
    shorter = (found[:place] + found[place + 1 :] for place in places)
    return next((rest for rest in shorter if fails(rest)), found)


def _drop_but_last(found: list, fails: Callable) -> list:
    return _drop_left(found[:-1], lambda rest: fails(rest + found[-1:])) + found[-1:]


def _drop_left_end(found: list, fails: Callable) -> list:
    return found[1:] if found and fails(found[1:]) else found


def _drop_right_end(found: list, fails: Callable) -> list:
    return found[:-1] if found and fails(found[:-1]) else found


def _drop_ends(found: list, fails: Callable) -> list:
    rest = _drop_left_end(found, fails)
    return rest if rest != found else _drop_right_end(found, fails)


def _windows(fails: Callable, ids: list) -> list:
    spans = ((start, start + size) for size in range(len(ids) + 1) for start in range(len(ids)))
    return next(ids[start:end] for start, end in spans if fails(ids[start:end]))


def _fewest(fails: Callable, ids: list) -> list:
    subsets = (list(some) for size in range(len(ids) + 1) for some in combinations(ids, size))
    return next(some for some in subsets if fails(some))


def _shortest_of_all_ways(fails: Callable, ids: list) -> list:
    shorter = (ids[:place] + ids[place + 1 :] for place in range(len(ids)))
    ways = [_shortest_of_all_ways(fails, rest) for rest in shorter if fails(rest)]
    return min([*ways, ids], key=len)


def _halves(fails: Callable, ids: list) -> list:
    half = len(ids) // 2
    left = next((part for part in (ids[:half], ids[half:]) if half and fails(part)), None)
    return list(ids) if left is None else _halves(fails, left)


def two_and_seven(ids: list) -> bool:
    """Fail on a 2 with a 7 somewhere behind it."""
    return 2 in ids and 7 in ids[ids.index(2) :]


def three_tokens(ids: list) -> bool:
    """Fail on three tokens or more."""
    return len(ids) >= 3


def a_five(ids: list) -> bool:
    """Fail on a 5."""
    return 5 in ids


def a_five_no_lonely_nine(ids: list) -> bool:
    """Fail on a 5, but not on a text with a 9 and no 8."""
    return 5 in ids and (8 in ids or 9 not in ids)


def one_and_two_or_nine(ids: list) -> bool:
    """Fail on a 1 with a 2, and on a 9."""
    return 9 in ids or (1 in ids and 2 in ids)


_ENDS = "You leave out tokens at the ends only. One in the middle can be spared, too."

check_smallest = Exercise(
    "Find a shortest text that still fails, leaving out tokens from the left.",
    _smallest,
    cases=[
        (two_and_seven, [4, 2, 9, 2, 7, 7]),
        (two_and_seven, [1, 2, 4, 4, 7, 2, 3]),
        (three_tokens, [3, 1, 4, 1, 5]),
        (a_five, [8, 5, 6, 5]),
        (a_five_no_lonely_nine, [8, 9, 5]),
        (one_and_two_or_nine, [1, 2, 9]),
        (one_and_two_or_nine, [9, 1, 2]),
    ],
    edges=[(three_tokens, [1, 2, 3]), (three_tokens, [5, 2, 2, 2])],
    seconds=5,
    mistakes=[
        Mistake({"drop": _drop_right}, "Your text is as short, but you leave out the last tokens "
                "first. Begin at the left, so that everybody finds the same one."),
        Mistake(_fewest, "You try all parts of the text, the shortest first. Of 500 tokens there "
                "are too many, and the one that you find need not be the one from the left: leave "
                "out one token at a time."),
        Mistake(_shortest_of_all_ways, "You go all ways and keep the shortest text. There are too "
                "many with 500 tokens: leave out the first that can be spared, and stay with it."),
        Mistake(lambda fails, ids: list(dict.fromkeys(_smallest(fails, ids))), "A token that "
                "stands twice may be needed twice."),
        Mistake(lambda fails, ids: sorted(_smallest(fails, ids)), "The tokens stay in the order "
                "in which they stand."),
        Mistake(_one_walk, "You go through the text once. When a token has gone, one further to "
                "the left may be spared that was needed before: begin again."),
        Mistake({"drop": _drop_ends}, _ENDS),
        Mistake({"drop": _drop_left_end}, _ENDS),
        Mistake({"drop": _drop_right_end}, _ENDS),
        Mistake(_windows, "You look for tokens that stand together. What fails may need two of "
                "them that stand apart."),
        Mistake({"drop": _drop_word}, "You leave out every token of a kind at once. Leave out a "
                "single one."),
        Mistake({"drop": _drop_first_of_kind}, "list.remove() takes the first token of a kind, "
                "which need not be the one that you mean. Leave out a place, not a value."),
        Mistake({"drop": _drop_but_last}, "You never try to leave out the last token."),
        Mistake(_all_at_once, "You ask of each token whether the whole text fails without it, and "
                "then leave all of these out at once. Leave out one, and ask again."),
        Mistake(_halves, "You keep halves only. What fails may need a token of each half."),
        Mistake(lambda fails, ids: len(_smallest(fails, ids)), "That is its length. Return the "
                "text itself."),
        Mistake(lambda fails, ids: _smallest(lambda rest: not fails(rest), ids), "You leave tokens "
                "out as long as it does not fail. It is the failing that has to stay."),
        Mistake(lambda fails, ids: _drop_left(list(ids), fails), "You leave out one token and "
                "stop. Go on until none can be spared."),
        Mistake(lambda fails, ids: list(ids), "Nothing is left out."),
    ],
)  # fmt: skip
