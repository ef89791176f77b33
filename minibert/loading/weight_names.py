"""The names of tensors: three repairs of old files, and then a strict comparison. Chapter 15."""

import re
import warnings
from collections.abc import Iterable, Mapping
from os.path import commonprefix
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .files import MOST, Tensors, list_names

# The first words in the names of an encoder's tensors, those of the whole family.
ENCODER_PARTS = (
    *("embeddings.", "encoder.", "pooler."),
    *("embeddings_project.", "transformer.", "layers.", "final_norm."),
)
OLD_ENDINGS = {"gamma": "weight", "beta": "bias"}
POSITION_IDS = "embeddings.position_ids"
WRAPPERS = {"module.": "DataParallel", "_orig_mod.": "torch.compile", "model.": "a trainer"}
ENCODER = re.compile(r"(\w+\.)?(embeddings|encoder|transformer|layers)\.")


def repair_names(tensors: Tensors, prefixed: bool, prefix: str = "bert.") -> Tensors:
    """Return the tensors of older files and of any BERT under the current names.

    LayerNorm's ``gamma`` and ``beta`` become ``weight`` and ``bias``; the buffer ``position_ids``,
    which counts 0, 1, 2, …, is left out; and the encoder's names get `prefix` in front of them if
    the model is `prefixed`: its encoder is a part of it. Nothing else of `tensors` is touched.

    >>> old = {"embeddings.LayerNorm.gamma": torch.ones(2)}
    >>> list(repair_names(old, prefixed=True))
    ['bert.embeddings.LayerNorm.weight']
    """
    bare = not any(name.startswith(prefix) for name in tensors)
    repaired: Tensors = {}
    for old, tensor in tensors.items():
        if old.removeprefix(prefix) == POSITION_IDS:
            _require_counting(old, tensor)
            continue
        name = re.sub(r"(?<=LayerNorm\.)(gamma|beta)$", lambda end: OLD_ENDINGS[end[0]], old)
        if prefixed and bare and name.startswith(ENCODER_PARTS):
            name = prefix + name
        elif not prefixed:
            name = name.removeprefix(prefix)
        if name in repaired:
            raise ValueError(
                f"the weights hold {name} twice, once under an older name ({old}); keep one"
            )
        repaired[name] = tensor
    return repaired


def without_wrappers(tensors: Tensors, expected: Iterable[str], prefix: str) -> Tensors:
    """Take off what wrappers have put in front of all names, with a warning."""
    expected = [prefix, *expected]
    wrappers = [w for w in WRAPPERS if not any(name.startswith(w) for name in expected)]
    shared, taken = commonprefix([*tensors]), ""  # noqa: RUF071 (names are no paths)
    while more := [w for w in wrappers if shared.startswith(taken + w)]:
        taken += more[0]
    if not taken:
        return tensors
    warnings.warn(
        f"the names of all {len(tensors)} tensors begin with {taken!r}, which a wrapper has put "
        "there; they are read without it",
        stacklevel=3,
    )
    return {name.removeprefix(taken): tensor for name, tensor in tensors.items()}


def _require_counting(name: str, positions: Tensor) -> None:
    count = torch.arange(positions.numel())
    if positions.is_floating_point() or not torch.equal(positions.flatten().long(), count):
        raise ValueError(
            f"{name} of the weights does not count 0, 1, 2, … {positions.numel() - 1}; positions "
            "in another order are not supported"
        )


class Names(NamedTuple):
    """Names and shapes of a model's tensors, the first name of tied ones, and their modules."""

    shapes: dict[str, tuple[int, ...]]
    first: dict[str, str]
    places: dict[str, list[tuple[nn.Module, str]]]  # of a first name: modules, and its name there


def names_of(model: nn.Module) -> Names:
    """Collect the names of a model's parameters and buffers, as they are saved."""
    tensors = model.state_dict(keep_vars=True)
    by_identity: dict[int, str] = {}
    first = {name: by_identity.setdefault(id(tensor), name) for name, tensor in tensors.items()}
    places = {name: [] for name in first.values()}
    for module in model.modules():
        own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        for name, tensor in own:
            if id(tensor) in by_identity:
                places[by_identity[id(tensor)]].append((module, name))
    return Names({name: tuple(t.shape) for name, t in tensors.items()}, first, places)


def belongs_to(name: str, parts: Iterable[str]) -> bool:
    """Return whether a tensor belongs to one of some parts."""
    return any(name == part or name.startswith(part + ".") for part in parts)


def match_names(
    owner: str,
    expected: Names,
    tensors: Tensors,
    new: Iterable[str] = (),
    unused: Iterable[str] = (),
) -> Tensors:
    """Find the tensor for every name of a model; raise if one is missing or left over."""
    left_out = {name for name in tensors if belongs_to(name, (*new, *unused))}
    tensors = {name: tensor for name, tensor in tensors.items() if name not in left_out}
    for name in [name for name in tensors if expected.first.get(name, name) not in tensors]:
        tensors[expected.first[name]] = tensors.pop(name)  # one tensor, saved under its other name
    wanted = {name for name in expected.first.values() if not belongs_to(name, new)}
    absent = wanted - tensors.keys()
    missing = {name: expected.shapes[name] for name in expected.first if name in absent}
    extra = {n: tuple(t.shape) for n, t in tensors.items() if n not in expected.shapes}
    misshaped = {
        name: (tuple(tensor.shape), expected.shapes[name])
        for name, tensor in tensors.items()
        if name not in extra and tuple(tensor.shape) != expected.shapes[name]
    }
    if missing or extra or misshaped:
        groups = missing, extra, misshaped
        raise ValueError(_mismatch_message(owner, tensors, expected.shapes, *groups))
    for name, tensor in tensors.items():
        first = expected.first[name]
        if first != name and first in tensors and not torch.equal(tensor, tensors[first]):
            raise ValueError(
                f"{name} and {first} are one tensor in a {owner}, but differ in the weights; a "
                "decoder of its own is not supported"
            )
    return {name: tensors[name] for name in wanted}


def _mismatch_message(
    owner: str,
    given: Iterable[str],
    expected: Iterable[str],
    missing: Mapping[str, tuple[int, ...]],
    extra: Mapping[str, tuple[int, ...]],
    misshaped: Mapping[str, tuple],
) -> str:
    """Return the message that lists what does not fit, with the arguments that would allow it."""
    lines = [f"the weights do not fit {owner}."]
    for kind, group in (("missing", missing), ("unknown", extra)):
        named = list_names(f"{name} {shape}" for name, shape in group.items())
        lines += [f"{len(group)} {kind}: {named}."] if group else []
    if misshaped:
        both = (f"{name} {there}, here {here}" for name, (there, here) in misshaped.items())
        lines.append(f"{len(misshaped)} of another shape: {list_names(both)}.")
    if wrapper := next((w for w in WRAPPERS if any(name.startswith(w) for name in extra)), ""):
        lines.append(
            f"Names that begin with {wrapper!r} come from {WRAPPERS[wrapper]}; save them without: "
            f"save_file({{n.removeprefix({wrapper!r}): t for n, t in load_file(path).items() if "
            f"n.startswith({wrapper!r})}}, path), both from safetensors.torch."
        )
    elif any(ENCODER.match(name) for name in (*missing, *misshaped)):
        lines.append(
            "The encoder itself is not whole: config.json and the weights must come from one "
            "BERT; get both anew."
        )
    else:
        owners = (name.rpartition(".")[0] for name in misshaped)
        if new := dict.fromkeys([*_parts(missing, given), *owners]):
            lines.append(f"To start these parts with fresh weights, say new={tuple(new)!r}.")
        if extra:
            parts = _parts(extra, expected)
            advice = f"say unused={parts!r}" if len(parts) <= MOST else f"name them ({len(parts)})"
            lines.append(f"To leave these parts of the file out, {advice}.")
    return "\n".join(lines)


def _parts(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Name the largest parts that hold these tensors and none of the others."""
    taken = {part for name in others for part in _ancestry(name)}
    return tuple(dict.fromkeys(next((p for p in _ancestry(n) if p not in taken), n) for n in names))


def _ancestry(name: str) -> list[str]:
    """List the parts around a tensor, the largest first: `bert`, `bert.pooler`, and so on."""
    words = name.split(".")
    return [".".join(words[:count]) for count in range(1, len(words) + 1)]
