"""Hold a part, or a whole model, against the library's: outputs, loss, gradients.

The other witness is transformers, an extra. Without it nothing is compared, and that is said.
Chapters 7, 8, 9, 10, 11 and 12.
"""

import copy
import importlib.util
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.parts import HOMES

FARTHEST = 1e-10  # in 64 bits; where a tensor has numbers above 1, relative to the largest
IN_32_BITS = 1e-6  # of a reader's class, which may keep a number, such as a root, in 32 bits
_WITH_MAPS = {"BertSelfAttention", "BertAttention", "BertLayer"}  # asked for maps by position
# One tensor that the library has under two names, and that a module may have under the second.
_TWINS = {"decoder.bias": "bias"}

Pairs = dict[str, tuple[Tensor, Tensor]]  # of each name: from this module, from the library's


def same_as_library(
    module: nn.Module, name: str, config: BertConfig, *inputs: Any, **named: Any
) -> None:
    """Compare a module with transformers' class for the same part, and print how much agrees.

    Both have the same weights, in 64 bits and without dropout, and get the same inputs. All that
    the library returns is compared, and the gradients of a weighed sum of it, for every parameter
    and every input that is no id.

    Args:
        module: Yours or that of the book, its parameters named as the library's. It stays as it is.
        name: A class of ``transformers.models.bert.modeling_bert``, such as "BertLayer".
        config: The one with which the module was built.
        *inputs: What is passed to both.
        **named: The same by name.

    Raises:
        AssertionError: If something differs by more than 1e-10, with its name and by how much. A
            class of yours may differ by 1e-6, what a number in 32 bits makes of it; the bound that
            holds is printed.
    """
    library = _modeling_bert()
    if library is None:
        print("transformers is not installed here, so nothing is compared")
        return
    reference = getattr(library, name)(
        library.BertConfig(**asdict(config), attn_implementation="eager")
    )
    module, reference = copy.deepcopy(module).double().eval(), reference.double().eval()
    weights = _with_twins(dict(module.named_parameters(remove_duplicate=False)), reference)
    reference.load_state_dict(weights, strict=True)
    inputs, reference_inputs = (tuple(map(_leaf, inputs)) for _ in range(2))
    named, reference_named = ({key: _leaf(x) for key, x in named.items()} for _ in range(2))
    maps = (True,) if name in _WITH_MAPS else ()
    got = dict(_tensors("output", module(*inputs, *maps, **named)))
    expected = dict(_tensors("output", reference(*reference_inputs, **reference_named)))
    missing = [key for key in expected if key not in got]
    assert not missing, f"transformers' {name} returns {missing[0]}, and this one does not"
    outputs = {key: (got[key], tensor) for key, tensor in expected.items()}
    for tensors in zip(*outputs.values(), strict=True):
        _weighed_sum(tensors).backward()
    own_leaves, leaves = [*inputs, *named.values()], [*reference_inputs, *reference_named.values()]
    gradients = _gradients(weights, reference) | _gradients_of_inputs(own_leaves, leaves)
    apart = {key: _distance(*pair) for key, pair in (outputs | gradients).items()}
    allowed = FARTHEST if _is_ours(module) else IN_32_BITS
    for key, far in apart.items():
        assert far < allowed, f"{key} differs from that of transformers' {name} by {far:.2g}"
    _report(name, outputs, gradients, FARTHEST if max(apart.values()) < FARTHEST else allowed)


def _is_ours(module: nn.Module) -> bool:
    return all(type(each).__module__.partition(".")[0] in HOMES for each in module.modules())


def _modeling_bert() -> ModuleType | None:
    """Return the library's module of BERT, or None where the library is not installed."""
    if not importlib.util.find_spec("transformers"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about widgets, not about us
        from transformers.models.bert import modeling_bert as library
    return library


def _leaf(value: Any) -> Any:
    """Copy a tensor of decimals as a leaf of its own in 64 bits; everything else as it is."""
    is_decimal = isinstance(value, Tensor) and value.is_floating_point()
    return value.detach().double().clone().requires_grad_() if is_decimal else value


def _tensors(name: str, output: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor of an output under its name, or its place where it has none."""
    if isinstance(output, Tensor):
        yield name, output
    elif hasattr(output, "_asdict") or isinstance(output, Mapping):
        fields = output if isinstance(output, Mapping) else output._asdict()
        for key, value in fields.items():
            yield from _tensors(key, value)
    elif isinstance(output, tuple | list):
        for number, value in enumerate(output):
            yield from _tensors(f"{name} {number}" if number else name, value)


def _weighed_sum(tensors: tuple[Tensor, ...]) -> Tensor:
    """Add up all numbers, each with a weight of its own, so that no gradient is zero by chance."""
    generator = torch.Generator().manual_seed(0)
    weights = [torch.randn(t.shape, generator=generator, dtype=t.dtype) for t in tensors]
    return torch.stack([(w * t).sum() for w, t in zip(weights, tensors)]).sum()


def _with_twins(weights: dict[str, nn.Parameter], reference: nn.Module) -> dict[str, nn.Parameter]:
    """Give a tensor both names that the library has for it, where a module has one of them."""
    twins: dict[str, nn.Parameter] = {}
    for name in reference.state_dict().keys() - weights.keys():
        for ending, other in _TWINS.items():
            twin = name.removesuffix(ending) + other
            if name.endswith(ending) and twin in weights:
                twins[name] = weights[twin]
    return weights | twins


def _gradients(weights: dict[str, nn.Parameter], reference: nn.Module) -> Pairs:
    """Pair the gradients; one tensor under two names has the sum of those of its copies."""
    by_name = dict(reference.named_parameters(remove_duplicate=False))
    names: dict[nn.Parameter, list[str]] = {}
    for name, parameter in weights.items():
        names.setdefault(parameter, []).append(name)
    pairs = {}
    for parameter, own_names in names.items():
        copies = {by_name[name] for name in own_names}
        pairs[f"the gradient of {own_names[0]}"] = (
            _learned(parameter),
            torch.stack([*map(_learned, copies)]).sum(0),
        )
    return pairs


def _gradients_of_inputs(own: list[Any], other: list[Any]) -> Pairs:
    """Pair the gradients of all inputs that are no ids."""
    leaves = [pair for pair in zip(own, other) if getattr(pair[0], "requires_grad", False)]
    return {
        f"the gradient of input {number}": (_learned(a), _learned(b))
        for number, (a, b) in enumerate(leaves, start=1)
    }


def _learned(leaf: Tensor) -> Tensor:
    """Return a gradient; what plays no part has none, which is a gradient of zeros."""
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad


def _distance(own: Tensor, other: Tensor) -> float:
    """Return the largest difference, relative to the largest number where that is above 1."""
    if own.shape != other.shape:
        return float("inf")
    return ((own - other).abs().max() / other.abs().max().clamp(min=1)).item()


def _report(name: str, outputs: Pairs, gradients: Pairs, bound: float) -> None:
    """Print how much was compared, and the bound that holds."""
    numbers = sum(other.numel() for _, other in (outputs | gradients).values())
    s = "" if len(outputs) == 1 else "s"
    print(
        f"as transformers' {name}: {len(outputs)} output{s} and {len(gradients)} gradients,\n"
        f"{numbers:,} numbers, no difference above {bound:.0e}"
    )
