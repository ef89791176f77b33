"""config.json: what the encoder is, and what a task's head needs to know. Chapter 15."""

import dataclasses
import difflib
import inspect
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torch import nn

from minibert.tasks.labels import read_labels

from .files import CONFIG, Tensors, list_names, locate, read_json
from .model_types import config_class_of, require_model_type
from .weight_names import belongs_to

ALIKE = 0.85  # two keys, one of them perhaps misspelled
SPECIAL_IDS = tuple(f"{name}_token_id" for name in ("bos", "cls", "eos", "mask", "sep", "unk"))
KEPT_KEYS = (
    *SPECIAL_IDS,
    "sinusoidal_pos_embds",
    *(f"summary_{name}" for name in ("activation", "last_dropout", "type", "use_proj")),
)
KEPT = "fields_of_other_programs"
LABEL_KEYS = ("num_labels", "_num_labels", "id2label", "label2id")


def read_config(folder: Path, model_class: Callable[..., nn.Module]) -> tuple[Any, dict[str, Any]]:
    """Read the configuration of a folder for a model class, and all fields of the file."""
    if isinstance(model_class, nn.Module):
        kind = type(model_class).__name__
        raise TypeError(
            f"load_pretrained builds the model: give the class {kind}, not an instance of it"
        )
    path = locate(folder, CONFIG)
    fields = read_json(path)
    with _named(path):
        require_model_type(model_class, fields)
        return config_from_fields(config_class_of(model_class), fields), fields


def config_from_fields(config_class: Any, fields: Mapping[str, Any]) -> Any:
    """Return the configuration that the `fields` of a config.json stand for.

    Fields of `config_class` are taken, those that are missing keep their default, its
    `ignored_keys` are left out, and the keys of its `required_values` must have the value given
    there. Any other key is left out with a warning, unless it looks like a misspelled one of these.

    >>> from minibert.config import BertConfig
    >>> fields = {"model_type": "bert", "hidden_size": 312, "use_cache": True}
    >>> config_from_fields(BertConfig, fields).head_size
    26
    """
    known = {field.name for field in dataclasses.fields(config_class)}
    name, has = config_class.model_name, config_class.required_values
    strange = fields.keys() - known - config_class.ignored_keys
    for key in sorted(strange & has.keys(), key=lambda key: (key != "model_type", key)):
        if fields[key] != has[key]:
            raise ValueError(
                f"{key} ({fields[key]!r}) is not supported; {name}'s encoder has {has[key]!r}"
            )
    unknown = sorted(strange - has.keys())
    for key in unknown:
        if near := difflib.get_close_matches(key, [*known, *has], n=1, cutoff=ALIKE):
            raise ValueError(
                f"{key} ({fields[key]!r}) is no key of a {name}'s configuration; did you mean "
                f"{near[0]}?"
            )
    if unknown:
        warnings.warn(
            f"config.json has keys that are none of a {name}'s configuration, and they change "
            f"nothing here: {list_names(f'{key} ({fields[key]!r:.40})' for key in unknown)}",
            stacklevel=4,
        )
    given = {key: fields[key] for key in known & fields.keys()}
    if given.get("pad_token_id", 0) is None:
        del given["pad_token_id"]
    return config_class(**given)


def read_arguments(
    folder: Path,
    model_class: Callable[..., nn.Module],
    config: Any,
    fields: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments for a model class: those of the caller, and labels from the file."""
    signature = inspect.signature(model_class)
    taken = signature.parameters
    if "id2label" in taken and not arguments.keys() & {"num_labels", "id2label"}:
        with _named(locate(folder, CONFIG)):
            names = _names_of_labels(fields)
        labels = {"id2label": names, "problem_type": fields.get("problem_type")}
        arguments = {name: labels[name] for name in labels if name in taken} | dict(arguments)
    try:
        signature.bind(config, **arguments)
    except TypeError as error:
        name = getattr(model_class, "__name__", repr(model_class))
        call = ", ".join(["config", *(f"{key}=…" for key in arguments)])
        raise TypeError(
            f"{name} cannot be built as {name}({call}): {error}; give BertModel, a model with a "
            "head, or a class of your own that takes a BertConfig first"
        ) from None
    return dict(arguments)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Say in what goes wrong with a file which file it is."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{str(path)!r}: {error}") from None


def _names_of_labels(fields: Mapping[str, Any]) -> dict[int, str]:
    """Read the names of the labels, also where only label2id or an old _num_labels tells them."""
    names, ids = fields.get("id2label"), fields.get("label2id")
    count = fields.get("num_labels", fields.get("_num_labels"))
    if names is None and isinstance(ids, dict) and count in (None, len(ids)):
        names = {number: name for name, number in ids.items()}
    return read_labels({"id2label": names, "num_labels": count})


def require_labels(
    model: Any,
    shapes: Mapping[str, tuple[int, ...]],
    tensors: Tensors,
    fields: Mapping[str, Any],
    new: Collection[str],
) -> None:
    """Raise if config.json has another number of labels than the head in the weights."""
    here = len(getattr(model, "id2label", ()))
    for name, shape in shapes.items():
        there = tuple(tensors[name].shape) if name in tensors else shape
        if there == shape or belongs_to(name, new) or shape[0] != here or there[1:] != shape[1:]:
            continue
        given = {key: fields[key] for key in LABEL_KEYS if fields.get(key) is not None}
        counts = {key: len(v) if isinstance(v, dict) else v for key, v in given.items()}
        said = ", ".join(f"{key} has {count}" for key, count in counts.items()) or "nothing"
        raise ValueError(
            f"config.json says of the labels: {said}; but {name} has {there[0]} in the weights. "
            f"Say num_labels={there[0]} to load them all, or id2label={{0: …}} with {there[0]} "
            "names"
        )


def keep_fields(model: nn.Module, fields: Mapping[str, Any]) -> None:
    """Keep with a model what its configuration leaves out, but other programs ask for."""
    kept = {key: fields[key] for key in KEPT_KEYS if key in fields}
    for module in model.modules():  # also its encoder, which may be saved alone
        if hasattr(module, "config"):
            setattr(module, KEPT, kept)


def _kept_fields(model: nn.Module, config: Any) -> dict[str, Any]:
    """Return what was kept; an id that the vocabulary lacks is None, kept or by default."""
    kept = {**config.default_ids, **getattr(model, KEPT, {})}
    size = config.vocab_size
    lacking = {key for key in SPECIAL_IDS if isinstance(kept.get(key), int) and kept[key] >= size}
    return kept | dict.fromkeys(lacking)


def describe_model(model: nn.Module) -> dict[str, Any]:
    """Return the fields of Hugging Face's config.json for a model."""
    config: Any = model.config
    dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
    labels = getattr(model, "label_fields", {})
    return {
        "architectures": [type(model).__name__],
        "model_type": config.required_values["model_type"],
        "dtype": dtype,
        **_kept_fields(model, config),
        **dataclasses.asdict(config),
        **{name: value for name, value in labels.items() if value is not None},
    }


def require_sizes(config: Any, fields: Mapping[str, Any], tensors: Tensors) -> None:
    """Raise for sizes that do not occur in the weights, before a model is built."""
    if problem := next(_misfits(config, fields, tensors), None):
        raise ValueError(f"config.json gives {problem}; the two must come from one model")


def _misfits(config: Any, fields: Mapping[str, Any], tensors: Tensors) -> Iterator[str]:
    sizes = {size for tensor in tensors.values() if tensor.numel() for size in tensor.shape}
    for name in config.tensor_sides:
        size = getattr(config, name)
        if size and size not in sizes:  # of what it has none, it has no tensor
            yield f"{name} as {size}, but no tensor of the weights has a side of this length"
    for word, name in config.layer_counts.items():
        found = (re.search(rf"\b{word}\.(\d+)\.", tensor) for tensor in tensors)
        layers = len({number[1] for number in found if number})
        if getattr(config, name) != layers:
            yield f"{name} as {getattr(config, name)}, but the weights have {layers} layers"
    labels = fields.get("num_labels")
    if isinstance(labels, int) and labels > max(sizes):
        longest = f"no side of a tensor of the weights is longer than {max(sizes)}"
        yield f"num_labels as {labels}, but {longest}"
