"""Exercises of Chapter 23: what falls, the smallest text, names of words, a bug that hides."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from minibert.config import BertConfig
from minibert.model import BertModel

from .exercise import Exercise, Mistake, attempt
from .invariants import check_invariants
from .museum.bug import SIZES
from .verdict import Verdict

_PADDING, _MATES = "padding_changes_nothing", "batch_mates_do_not_matter"
_FALLS = {"mean": {_PADDING}, "root": set(), "sort": {_MATES}}


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
        Mistake({"root": {"attention_is_shared_among_tokens"}}, "Without the root the scores are "
                "larger, and a softmax of large scores sums to 1 as well."),
        Mistake({"root": {"padding_alone_gives_numbers"}}, "Scores that are a few times larger "
                "are finite all the same."),
        Mistake({"sort": set()}, "The texts come back in another order than they went in. Which "
                "vectors does the first one get?"),
        Mistake({"sort": {_PADDING}}, "One text alone cannot be sorted wrongly. What if there are "
                "several?"),
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


def _one_pass(fails: Callable, ids: list) -> list:
    needed = [not fails(ids[:place] + ids[place + 1 :]) for place in range(len(ids))]
    return [word for word, keep in zip(ids, needed) if keep]


def _halves(fails: Callable, ids: list) -> list:
    half = ids[: len(ids) // 2]
    return _halves(fails, half) if half and fails(half) else list(ids)


def _two_and_seven(ids: list) -> bool:
    return 2 in ids and 7 in ids[ids.index(2) :]


def _three_tokens(ids: list) -> bool:
    return len(ids) >= 3


def _a_five(ids: list) -> bool:
    return 5 in ids


check_smallest = Exercise(
    "Find a shortest text that still fails, leaving out tokens from the left.",
    _smallest,
    cases=[
        (_two_and_seven, [4, 2, 9, 2, 7, 7]),
        (_three_tokens, [3, 1, 4, 1, 5]),
        (_a_five, [8, 5, 6, 5]),
    ],
    edges=[(_three_tokens, [1, 2, 3])],
    mistakes=[
        Mistake({"drop": _drop_right}, "Your text is as short, but you leave out the last tokens "
                "first. Begin at the left, so that everybody finds the same one."),
        Mistake(_one_pass, "You ask of each token whether the whole text fails without it, and "
                "then leave all of these out at once. Leave out one, and ask again."),
        Mistake(_halves, "You keep halves only. What fails may need a token of each half."),
        Mistake(lambda fails, ids: len(_smallest(fails, ids)), "That is its length. Return the "
                "text itself."),
        Mistake(lambda fails, ids: _smallest(lambda rest: not fails(rest), ids), "You leave tokens "
                "out as long as it does not fail. It is the failing that has to stay."),
        Mistake(lambda fails, ids: _drop_left(list(ids), fails), "You leave out one token and "
                "stop. Go on until none can be spared."),
    ],
)  # fmt: skip


class _KnowsAWord(BertModel):
    """Hides one word from everybody, whatever it is called."""

    word = 7

    def forward(self, input_ids, *given, **named):
        return super().forward(input_ids, (input_ids != self.word).long())


class _KnowsAnother(_KnowsAWord):
    word = 12


_IDS = torch.tensor([[3, 7, 12, 5, 7, 20], [9, 3, 3, 14, 21, 12]])


def _exchanged(ids: Int[Tensor, "..."], one: int, other: int) -> Int[Tensor, "..."]:
    return torch.where(ids == one, other, torch.where(ids == other, one, ids))


def _one_by_one(ids: Int[Tensor, "..."], one: int, other: int) -> Int[Tensor, "..."]:
    ids = torch.where(ids == one, other, ids)
    return torch.where(ids == other, one, ids)


def _renamed(model, input_ids, one, other, *, rows=True, ids=_exchanged, size=torch.abs,
             copied=copy.deepcopy):  # fmt: skip
    """Measure how much the vectors change when two words exchange their names."""
    again = copied(model)
    table = again.embeddings.word_embeddings.weight.data
    if rows:
        table[[one, other]] = table[[other, one]]
    with torch.no_grad():
        before = model(input_ids).last_hidden_state
        after = again(ids(input_ids, one, other)).last_hidden_state
    return size(after - before).max().item()


_RENAMED = [
    ({"rows": False}, "You exchange the ids in the text only. Their rows in the table of words "
     "have to change places, too."),
    ({"ids": lambda ids, one, other: ids}, "You exchange the rows of the table only. The ids in "
     "the text have to follow."),
    ({"ids": _one_by_one}, "First every one becomes the other, and then all of them go back. "
     "Exchange both at once: torch.where looks at the old ids."),
    ({"copied": lambda model: model}, "You change the model that you were given, so that both "
     "answers are those of the new one. Work on a deep copy."),
    ({"size": torch.as_tensor}, "Without abs() a large negative change counts as none."),
]  # fmt: skip


def check_renamed(function: Callable) -> Verdict:
    """Check how much vectors change when two words exchange their names."""
    torch.manual_seed(23)
    kinds = (BertModel, _KnowsAWord, _KnowsAnother)
    models = [kind(BertConfig(**SIZES)).double().eval() for kind in kinds]
    cases = [(model, _IDS, *pair) for pair in ((7, 9), (12, 3)) for model in models]
    answers = []
    for case in cases:
        answer, problem = attempt(function, *case)
        if problem:
            return Verdict(False, problem)
        answers.append(answer)
    return _judged(answers, cases)


def _judged(answers: list, cases: list[tuple]) -> Verdict:
    """Compare the answers with the right ones, and then with those of usual mistakes."""
    if not all(isinstance(answer, float) for answer in answers):
        return Verdict(False, "Return one float: the largest absolute change, with .item().")
    if _close(answers, cases, {}):
        return Verdict(True, "Right: a good model does not change, and those that know a word do.")
    for switches, hint in _RENAMED:
        if _close(answers, cases, switches):
            return Verdict(False, f"Not yet. {hint}")
    told = ", ".join(f"{answer:.3g}" for answer in answers)
    want = ", ".join(f"{_renamed(*case):.3g}" for case in cases)
    return Verdict(False, f"Not yet. The changes are {told}; expected {want}.")


def _close(answers: list, cases: list[tuple], switches: dict) -> bool:
    wanted = torch.tensor([_renamed(*copy.deepcopy(case), **switches) for case in cases])
    return torch.allclose(torch.tensor(answers), wanted, rtol=1e-6, atol=1e-9)


def check_unseen(
    breaks: Callable, holds: Callable, kind: type = BertModel, config: Any = None
) -> Verdict:
    """Check a change that no invariant sees, and an invariant that sees it."""
    config = config or BertConfig(**SIZES)
    changed, problem = attempt(breaks, kind)
    if not problem and not isinstance(changed, type):
        problem = "Return a class: a subclass of the model that computes something else."
    problem = problem or _nothing_seen(kind, changed, config) or _seen_by(
        holds, kind, changed, config)  # fmt: skip
    return Verdict(not problem, problem or "Right: no invariant saw it, and yours does.")


def _built(kind: Any, config: Any, seed: int) -> Any:
    torch.manual_seed(seed)
    return kind(config).eval()


def _nothing_seen(kind: type, changed: Any, config: Any) -> str:
    """Return what is wrong with the change."""
    batch = {"input_ids": _IDS, "attention_mask": torch.ones_like(_IDS)}
    with torch.no_grad():
        before, after = (_built(k, config, 0)(**batch).last_hidden_state for k in (kind, changed))
    if after.shape == before.shape and torch.allclose(before, after, atol=1e-5):
        return "Not yet. The vectors are the same as before. Change what the model computes."
    fallen = check_invariants(_built(changed, config, 0)).broken
    return f"Not yet. An invariant sees it: {', '.join(fallen)}." if fallen else ""


def _seen_by(holds: Callable, kind: type, changed: Any, config: Any) -> str:
    """Return what is wrong with the invariant: it holds of good models, whatever their weights."""
    for seed in range(3):
        good, problem = attempt(holds, _built(kind, config, seed))
        bad, other = attempt(holds, _built(changed, config, seed))
        if problem or other:
            return problem or other
        if not good:
            return f"Not yet. Your invariant falls on a good model; its weights have seed {seed}."
        if bad:
            return "Not yet. Your invariant holds of the changed model as well."
    return ""
