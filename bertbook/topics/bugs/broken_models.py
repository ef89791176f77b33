"""Exercises of Chapter 26 about models: names of words, and a bug that hides."""

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bertbook.core.exercises.common_mistakes import forbidden_way
from bertbook.core.exercises.exercise import as_it_is, attempt
from bertbook.core.exercises.mistake import as_mistakes, rewritten
from bertbook.core.exercises.verdict import Verdict
from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants
from minibert.config import BertConfig
from minibert.model import BertModel


class _KnowsAWord(BertModel):
    """Hides one word from everybody, whatever it is called."""

    word = 7

    def forward(self, input_ids, *others, **named):
        return super().forward(input_ids, (input_ids != self.word).long())


class _KnowsAnother(_KnowsAWord):
    word = 12


_IDS = torch.tensor([[3, 7, 12, 5, 7, 20], [9, 3, 0, 14, 21, 12]])


def _renamed(model, input_ids, one, other):
    again = copy.deepcopy(model)
    table = again.embeddings.word_embeddings.weight.data
    table[[one, other]] = table[[other, one]]
    half = torch.where(input_ids == other, one, input_ids)
    ids = torch.where(input_ids == one, other, half)
    with torch.no_grad():
        change = again(ids)[0] - model(input_ids)[0]
    return change.abs().max().item()


_RENAMED = {
    "= table[[other, one]] → = table[[one, other]]": "Exchange their rows in the table as well.",
    "table[[one, other]] = table[[other, one]] → table[one], table[other] = table[other], "
        "table[one]": "A row is a view, and the second assignment reads what the first wrote.",
    "again(ids) → again(input_ids)": "The ids in the text have to follow.",
    "(ids) → (ids, (ids != 0).long())": "Here 0 is a word, too: who said that it is padding?",
    "input_ids == other, one, input_ids → input_ids == one, other, input_ids||input_ids == "
        "one, other, half → half == other, one, half": "Exchange both at once.",
    "one, other, half → one, other, input_ids": "The other word has to become the first one, too.",
    (".abs() →", "change.abs() → (-change)"): "Without abs() a large fall counts as none.",
    "max → mean": "That is the mean of all changes. Take the largest.",
    "change.abs().max() → change.norm()": "That is the length of all changes. Take the largest.",
    ".item() → .gt(1e-6).item() * 1.0": "That says whether they change, and not how much.",
    "model(input_ids) → again(input_ids)": "Both calls read the exchanged table.",
    "change.abs → change[0].abs ¦ change[:, 0].abs": "Look at all texts, and at all tokens.",
    "word_embeddings → position_embeddings": "These are rows of the table of positions.",
    "[0] → [1]": "That is the change of the pooler's output. Take last_hidden_state.",
    "change.abs → (0 * change).abs": "Your change is 0 for every model.",
}  # fmt: skip


def check_renamed(function: Callable) -> Verdict:
    """Check how much vectors change when two words exchange their names.

    Args:
        function: Yours: it takes a model, ids of shape (batch, seq) and two ids of words, and
            returns a float.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    torch.manual_seed(23)
    kinds = (BertModel, _KnowsAWord, _KnowsAnother)
    config = BertConfig(**SIZES, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    models = [kind(config).double() for kind in kinds]  # in training, whatever is done with a copy
    cases = [(model, _IDS, *pair) for pair in ((7, 0), (12, 3)) for model in models]
    answers = []
    for case in cases:
        copies = copy.deepcopy(case)
        answer, problem = attempt(function, *copies, copied=as_it_is)
        if "IndexError" in problem:
            problem += " The words are ids: they name rows of the table of words, and no columns."
        if problem := problem or _spoiled(copies, case):
            return Verdict(False, problem)
        answers.append(answer)
    return _judged(answers, cases)


def _spoiled(copies: tuple, case: tuple) -> str:
    """Return which of its arguments a function has changed."""
    now, before = copies[0].state_dict(), case[0].state_dict()
    if not (copies[0].training and all(torch.equal(now[name], before[name]) for name in before)):
        return "Not yet. The model that you got has changed, or its mode. Work on a deep copy."
    if not torch.equal(copies[1], case[1]):
        return "Not yet. The ids that you were given have changed. torch.where makes new ones."
    return ""


def _judged(answers: list, cases: list[tuple]) -> Verdict:
    """Compare the answers with the right ones, and then with those of usual mistakes."""
    if not all(isinstance(answer, float) for answer in answers):
        return Verdict(False, "Return one float: the largest absolute change, with .item().")
    if _close(answers, cases, _renamed):
        return Verdict(True, "Right: a good model does not change, and those that know a word do.")
    for mistake in as_mistakes(_RENAMED):
        if _close(answers, cases, rewritten(_renamed, str(mistake.wrong))):
            return Verdict(False, f"Not yet. {mistake.hint}")
    changes = ", ".join(f"{answer:.3g}" for answer in answers)
    want = ", ".join(f"{_renamed(*case):.3g}" for case in cases)
    return Verdict(False, f"Not yet. The changes are {changes}; expected {want}.")


def _close(answers: list, cases: list[tuple], right: Callable) -> bool:
    wanted = (right(*case) for case in cases)
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(answers, wanted))


def check_unseen(
    breaks: Callable, holds: Callable, kind: type = BertModel, config: Any = None
) -> Verdict:
    """Check a change that no invariant sees, and an invariant that sees it.

    Args:
        breaks: Yours: it takes a class of model and returns a subclass that computes something
            else.
        holds: Yours: it takes a model and returns whether your invariant holds.
        kind: The good model.
        config: Its sizes; by default small ones.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    config = config or BertConfig(**SIZES)
    changed, problem = attempt(breaks, kind)
    if not problem and not isinstance(changed, type):
        problem = "Return a class: a subclass of the model that computes something else."
    problem = problem or _unbroken(kind, changed, config) or _unfit(holds, kind, changed, config)
    return Verdict(not problem, problem or "Right: no invariant saw it, and yours does.")


def _built(kind: Any, config: Any, seed: int) -> Any:
    torch.manual_seed(seed)
    return kind(config).eval().apply(lambda part: part.register_forward_hook(lambda *_: None))


def _unbroken(kind: type, changed: Any, config: Any) -> str:
    """Return what is wrong with the change."""

    def encode(kind: type, weights: dict) -> tuple[Tensor, dict]:
        model = _built(kind, config, 0)
        model.load_state_dict(weights, strict=False)
        with torch.no_grad():
            output = model(input_ids=_IDS, attention_mask=(_IDS != 12).long())
        return output.last_hidden_state.double(), model.state_dict()

    encode.__name__ = changed.__name__
    after, problem = attempt(encode, changed, {})
    if problem:
        task = f"It takes a configuration, ids and a mask, and returns what {kind.__name__} does."
        return f"{problem.split(' Called as ')[0]} {task}"
    before, unlike = attempt(encode, kind, after[1])
    same = not unlike and before[0].shape == after[0].shape
    if same and torch.allclose(before[0], after[0], atol=1e-5):
        return "Not yet. The vectors are the same as before. Change what is done with the weights."
    fallen = check_invariants(_built(changed, config, 0)).broken
    return f"Not yet. An invariant sees it: {', '.join(fallen)}." if fallen else ""


def _unfit(holds: Callable, kind: type, changed: Any, config: Any) -> str:
    """Return what is wrong with the invariant: it holds of good models, whatever their weights."""
    if way := forbidden_way(holds, [kind.__name__]):
        return f"Not yet. With {way} you ask a second program. An invariant asks one model alone."
    namesake = type(changed.__name__, (kind,), {})
    verdicts = []
    for seed, good in enumerate((kind, kind, namesake)):
        for model in (good, changed):
            asked = _built(model, config, seed)
            for parameter in asked.parameters() if seed == 1 else ():  # as if it had been trained
                parameter.data = 3 * parameter.data + 0.1 * torch.randn_like(parameter)
            before = copy.deepcopy(asked.state_dict())
            answer, problem = attempt(holds, asked, copied=as_it_is)
            if problem:
                return problem
            if not all(torch.equal(table, before[n]) for n, table in asked.state_dict().items()):
                return "Not yet. Your invariant changes the model. Let it work on a deep copy."
            if str(answer) not in {"True", "False", "tensor(True)", "tensor(False)"}:
                return "Return True or False: whether your invariant holds of the model."
            verdicts.append(bool(answer))
    return _unlike(verdicts[::2], verdicts[1::2])


def _unlike(good: list[bool], bad: list[bool]) -> str:
    """Return what is wrong with what an invariant says of good models and of changed ones."""
    if not any(good) and all(bad):
        return "Not yet. You say it the other way round: True of a model that is good."
    if good == [True, True, False]:
        return "Not yet. Look at what a model computes, not at what its class is called."
    if good == [True, False, True]:
        return "Not yet. Training changes biases and LayerNorm's gains, and then yours falls."
    if not all(good):
        return f"Not yet. Yours falls on a good model; its weights have seed {good.index(False)}."
    return "Not yet. Your invariant holds of the changed model as well." if any(bad) else ""
