"""The same numbers as ours, forward and backward; and if not, whose they are. Chapter 8."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import torch
from torch import Tensor, nn

from bertbook.reader.contracts import ROLES
from minibert.config import ACTIVATIONS

from .first_looks import answer_to
from .trial import NO_DROPOUT, Trial, same_numbers
from .usual import spoiled_copies

PLACES = {
    "hidden_dropout_prob": "BERT has a dropout of that rate on what is added to a residual, and on "
    "the embeddings after LayerNorm. Does one of this rate act there, and nowhere else?",
    "attention_probs_dropout_prob": "Does the dropout of that rate act on the weights, after the "
    "softmax, and nowhere else? The map that you return is the one that mixed the values.",
}


def _answers(trial: Trial, module: nn.Module) -> Iterator[list]:
    """Yield what a module answers, call by call, or what it raises."""
    for case in trial.cases():
        given = trial.arguments(**case)
        answer = answer_to(trial, lambda _, given=given: module(*given))
        yield _listed(answer, trial.ours(*trial.arguments(**case)))


def _listed(answer: object, ours: object) -> list:
    """List what stands in an answer, in order; where ours is None, anything may stand."""
    if ours is None:
        return []
    if not isinstance(answer, tuple | list):
        return [answer]
    places = ours if isinstance(ours, tuple | list) else ()
    pairs = zip_longest(answer, places, fillvalue="nothing")
    return [len(answer), *(part for pair in pairs for part in _listed(*pair))]


def _same(ones: list, others: list) -> bool:
    return len(ones) == len(others) and all(map(_equals, ones, others))


def _equals(one: object, other: object) -> bool:
    """Return whether two things that were answered are the same."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        alike = one.shape == other.shape and one.dtype == other.dtype
        return alike and torch.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)
    return type(one) is type(other) and one == other


def _equal(trial: Trial) -> str:
    return _difference(trial) or _other_activation(trial)


def _difference(trial: Trial) -> str:
    for case in trial.cases():
        mine, ours = (trial.run(module, **case) for module in (trial.mine, trial.ours))
        for name, value in ours.items():
            far = (mine[name] - value).abs()
            if not same_numbers({name: mine[name]}, {name: value}):
                at = tuple(int(i) for i in torch.unravel_index(far.argmax(), far.shape))
                return (
                    f"{name} differs from ours with the same weights, most of all at {list(at)}: "
                    f"{mine[name][at].item():.6g} instead of {value[at].item():.6g}."
                )
    return ""


def _other_activation(trial: Trial) -> str:
    """Compare with every activation, since a configuration may name any of them."""
    for name in ACTIVATIONS:
        kinds = trial.kind, type(trial.ours)
        mine, ours = (trial.run(trial.build(kind, hidden_act=name)) for kind in kinds)
        if not same_numbers(mine, ours):
            return (
                f'with hidden_act = "{name}" the numbers are not ours. Is the activation always '
                "the same, or the one that config.hidden_act names?"
            )
    return ""


def _equal_gradients(trial: Trial) -> str:
    mine, ours = (_gradients(trial, module) for module in (trial.mine, trial.ours))
    for name, gradient in ours.items():
        if gradient is None:
            continue
        my_gradient = mine[name]
        if my_gradient is None:
            return (
                f"no gradient reaches {name}. Is something detached, taken as .data, or computed "
                "under no_grad?"
            )
        far = (my_gradient - gradient).abs()
        if far.max() > 1e-9 * (1 + gradient.abs().max()):
            return _other_gradient(trial, name, far)
    return ""


def _other_gradient(trial: Trial, name: str, far: Tensor) -> str:
    rows = far.flatten(1).amax(1).nonzero().flatten().tolist() if far.dim() > 1 else []
    if "word_embeddings" in name and trial.config.pad_token_id in rows and len(rows) < 3:
        return (
            f"the gradient of {name} is that of ours but in the row of the padding token, "
            f"{trial.config.pad_token_id}, which must not learn. Is config.pad_token_id given as "
            "padding_idx?"
        )
    return (
        f"the results are ours, but the gradient of {name} is not. Is a part of the way detached, "
        "or a number taken out of its tensor?"
    )


def _gradients(trial: Trial, module: nn.Module) -> dict[str, Tensor | None]:
    """Return the gradient of every parameter, and of every input of floats but masks."""
    named = dict(module.named_parameters())
    for name in ("hidden_states", "input_tensor", "wide_states", "pooled_output", "input"):
        if name in ROLES[trial.role].called:
            named[name] = trial.inputs[name].clone().requires_grad_()
    given = {name: value for name, value in named.items() if name in trial.inputs}
    generator = torch.Generator().manual_seed(3)
    loss = torch.zeros((), dtype=torch.float64)
    for value in trial.run(module, **given).values():
        loss = loss + (value * torch.randn(value.shape, generator=generator).double()).sum()
    if not loss.requires_grad:
        return dict.fromkeys(named)
    found = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    return dict(zip(named, found))


def _equal_in_training(trial: Trial) -> str:
    """Compare with rates of 0 and 1, which leave nothing to chance but the place of dropout."""
    for rate in () if trial.role is nn.Dropout else NO_DROPOUT:
        rates = NO_DROPOUT | {rate: 1.0}
        mine, ours = (
            trial.run(trial.build(kind, **rates).train()) for kind in (trial.kind, type(trial.ours))
        )
        if not same_numbers(mine, ours):
            return (
                f"in evaluation the numbers are ours, in training with {rate} = 1 they are not. "
                f"{PLACES[rate]}"
            )
    return ""


LAST = (
    ("the same numbers", _equal),
    ("the same gradients", _equal_gradients),
    ("the same in training", _equal_in_training),
)


def usual_slip(trial: Trial) -> str:
    """Find the usual wrong class that computes what the reader's computes; ask what it asks."""
    try:
        mine = [*_answers(trial, trial.mine)]
    except Exception:  # it cannot be built, which is told elsewhere
        return ""

    def computes_the_same(module: nn.Module) -> bool:
        return all(map(_same, mine, _answers(trial, module)))

    if computes_the_same(trial.ours):
        return ""
    wrong = (hint for hint, module in spoiled_copies(trial.ours) if computes_the_same(module))
    return next(wrong, "")
