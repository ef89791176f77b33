"""Compare outputs and gradients with the reference; recognize common mistakes. Chapter 8."""

from collections.abc import Iterator
from itertools import zip_longest

import torch
from torch import Tensor, nn

from bertbook.reader.contracts import ROLES
from minibert.config import ACTIVATIONS

from .mutants import mutants_of
from .pair import NO_DROPOUT, ModulePair, same_numbers
from .smoke_checks import result_of

DROPOUT_HINTS = {
    "hidden_dropout_prob": "BERT has a dropout of that rate on what is added to a residual, and on "
    "the embeddings after LayerNorm. Does one of this rate act there, and nowhere else?",
    "attention_probs_dropout_prob": "Does the dropout of that rate act on the weights, after the "
    "softmax, and nowhere else? The map that you return is the one that mixed the values.",
}


def _results(pair: ModulePair, module: nn.Module) -> Iterator[list]:
    """Yield what a module returns, call by call, or the error that it raises."""
    for case in pair.cases():
        given = pair.arguments(**case)
        output = result_of(pair, lambda _, given=given: module(*given))
        yield _listed(output, pair.reference(*pair.arguments(**case)))


def _listed(output: object, reference: object) -> list:
    """Flatten an output into a list; where the reference has None, anything may stand."""
    if reference is None:
        return []
    if not isinstance(output, tuple | list):
        return [output]
    places = reference if isinstance(reference, tuple | list) else ()
    pairs = zip_longest(output, places, fillvalue="nothing")
    return [len(output), *(part for pair in pairs for part in _listed(*pair))]


def _same(ones: list, others: list) -> bool:
    return len(ones) == len(others) and all(map(_equals, ones, others))


def _equals(one: object, other: object) -> bool:
    """Return whether two values, tensors or others, are equal."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        alike = one.shape == other.shape and one.dtype == other.dtype
        return alike and torch.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)
    return type(one) is type(other) and one == other


def _equal(pair: ModulePair) -> str:
    return _difference(pair) or _other_activation(pair)


def _difference(pair: ModulePair) -> str:
    for case in pair.cases():
        submission, reference = (
            pair.run(module, **case) for module in (pair.submission, pair.reference)
        )
        for name, value in reference.items():
            far = (submission[name] - value).abs()
            if not same_numbers({name: submission[name]}, {name: value}):
                at = tuple(int(i) for i in torch.unravel_index(far.argmax(), far.shape))
                return (
                    f"{name} differs from ours with the same weights, most of all at {list(at)}: "
                    f"{submission[name][at].item():.6g} instead of {value[at].item():.6g}."
                )
    return ""


def _other_activation(pair: ModulePair) -> str:
    """Compare with every activation, since a configuration may name any of them."""
    for name in ACTIVATIONS:
        kinds = pair.kind, type(pair.reference)
        submission, reference = (pair.run(pair.build(kind, hidden_act=name)) for kind in kinds)
        if not same_numbers(submission, reference):
            return (
                f'with hidden_act = "{name}" the numbers are not ours. Is the activation always '
                "the same, or the one that config.hidden_act names?"
            )
    return ""


def _equal_gradients(pair: ModulePair) -> str:
    submission, reference = (
        _gradients(pair, module) for module in (pair.submission, pair.reference)
    )
    for name, gradient in reference.items():
        if gradient is None:
            continue
        my_gradient = submission[name]
        if my_gradient is None:
            return (
                f"no gradient reaches {name}. Is something detached, taken as .data, or computed "
                "under no_grad?"
            )
        far = (my_gradient - gradient).abs()
        if far.max() > 1e-9 * (1 + gradient.abs().max()):
            return _other_gradient(pair, name, far)
    return ""


def _other_gradient(pair: ModulePair, name: str, far: Tensor) -> str:
    rows = far.flatten(1).amax(1).nonzero().flatten().tolist() if far.dim() > 1 else []
    if "word_embeddings" in name and pair.config.pad_token_id in rows and len(rows) < 3:
        return (
            f"the gradient of {name} is that of ours but in the row of the padding token, "
            f"{pair.config.pad_token_id}, which must not learn. Is config.pad_token_id given as "
            "padding_idx?"
        )
    return (
        f"the results are ours, but the gradient of {name} is not. Is a part of the way detached, "
        "or a number taken out of its tensor?"
    )


def _gradients(pair: ModulePair, module: nn.Module) -> dict[str, Tensor | None]:
    """Return the gradient of every parameter, and of every input of floats but masks."""
    named = dict(module.named_parameters())
    for name in ("hidden_states", "input_tensor", "wide_states", "pooled_output", "input"):
        if name in ROLES[pair.role].called:
            named[name] = pair.inputs[name].clone().requires_grad_()
    given = {name: value for name, value in named.items() if name in pair.inputs}
    generator = torch.Generator().manual_seed(3)
    loss = torch.zeros((), dtype=torch.float64)
    for value in pair.run(module, **given).values():
        loss = loss + (value * torch.randn(value.shape, generator=generator).double()).sum()
    if not loss.requires_grad:
        return dict.fromkeys(named)
    found = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    return dict(zip(named, found))


def _equal_in_training(pair: ModulePair) -> str:
    """Compare with rates of 0 and 1, which leave nothing to chance but the place of dropout."""
    for rate in () if pair.role is nn.Dropout else NO_DROPOUT:
        rates = NO_DROPOUT | {rate: 1.0}
        submission, reference = (
            pair.run(pair.build(kind, **rates).train())
            for kind in (pair.kind, type(pair.reference))
        )
        if not same_numbers(submission, reference):
            return (
                f"in evaluation the numbers are ours, in training with {rate} = 1 they are not. "
                f"{DROPOUT_HINTS[rate]}"
            )
    return ""


COMPARISONS = (
    ("the same numbers", _equal),
    ("the same gradients", _equal_gradients),
    ("the same in training", _equal_in_training),
)


def find_mistake(pair: ModulePair) -> str:
    """Return the hint of the first mutant that computes what the submission computes."""
    try:
        submission = [*_results(pair, pair.submission)]
    except Exception:  # it cannot be built, which another check reports
        return ""

    def computes_the_same(module: nn.Module) -> bool:
        return all(map(_same, submission, _results(pair, module)))

    if computes_the_same(pair.reference):
        return ""
    wrong = (hint for hint, module in mutants_of(pair.reference) if computes_the_same(module))
    return next(wrong, "")
