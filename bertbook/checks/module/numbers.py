"""The same numbers as ours, forward and backward; and if not, whose they are. Chapter 8."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from minibert.parts import ROLES

from .trial import NO_DROPOUT, Leaves, Trial, same_numbers
from .usual import spoiled_copies

PLACES = {
    "hidden_dropout_prob": "Does the dropout of that rate act where ours does, before a residual "
    "is added, and nowhere else?",
    "attention_probs_dropout_prob": "Does the dropout of that rate act on the weights, after the "
    "softmax, and nowhere else? The map that you return is the one that mixed the values.",
}


def _outcomes(trial: Trial, module: nn.Module) -> list[Leaves]:
    return [trial.run(module, **case) for case in trial.cases()]


def _equal(trial: Trial) -> str:
    for mine, ours in zip(_outcomes(trial, trial.mine), _outcomes(trial, trial.ours)):
        for name, value in ours.items():
            far = (mine[name] - value).abs()
            if not same_numbers({name: mine[name]}, {name: value}):
                at = tuple(int(i) for i in torch.unravel_index(far.argmax(), far.shape))
                return (
                    f"{name} differs from ours with the same weights, most of all at {list(at)}: "
                    f"{mine[name][at].item():.6g} instead of {value[at].item():.6g}."
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
    for rate in () if trial.role == "dropout" else NO_DROPOUT:
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
        mine = _outcomes(trial, trial.mine)
        if all(same_numbers(*pair) for pair in zip(mine, _outcomes(trial, trial.ours))):
            return ""
    except Exception:  # it is told elsewhere
        return ""
    for hint, wrong in spoiled_copies(trial.ours):
        if all(same_numbers(*pair, 1e-9) for pair in zip(mine, _outcomes(trial, wrong))):
            return hint
    return ""
