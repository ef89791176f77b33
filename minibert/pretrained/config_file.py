"""config.json: what the encoder is, and what a task's head needs to know. Chapter 15."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import nn

from minibert.config import BertConfig, config_of
from minibert.tasks.labels import read_labels

from .files import CONFIG, Tensors, read_json

SIZES = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
)


def read_config(
    folder: Path, model_class: Callable[..., nn.Module], given: Mapping[str, Any]
) -> tuple[BertConfig, dict[str, Any]]:
    """Read the configuration and the other arguments for a model class.

    A class with a parameter `id2label` gets the names of the labels, and `problem_type` if it has
    that one, too. What the caller says of the labels takes the place of all that the file says.
    """
    if isinstance(model_class, nn.Module):
        kind = type(model_class).__name__
        raise TypeError(
            f"load_pretrained builds the model: give the class {kind}, not an instance of it"
        )
    fields = read_json(folder / CONFIG)
    try:
        config = BertConfig.from_dict(fields)
        arguments = {**_labels_for(model_class, fields, given), **given}
    except (TypeError, ValueError) as error:
        raise type(error)(f"{str(folder / CONFIG)!r}: {error}") from None
    _require_buildable(model_class, config, arguments)
    return config, arguments


def _require_buildable(
    model_class: Callable[..., nn.Module], config: BertConfig, arguments: Mapping[str, Any]
) -> None:
    """Raise if a class cannot be called with a configuration and these arguments."""
    try:
        inspect.signature(model_class).bind(config, **arguments)
    except TypeError as error:
        name = getattr(model_class, "__name__", repr(model_class))
        call = ", ".join(["config", *(f"{key}=…" for key in arguments)])
        raise TypeError(
            f"{name} cannot be built as {name}({call}): {error}; give BertModel, a model with a "
            "head, or a class of your own that takes a BertConfig first"
        ) from None


def _labels_for(
    model_class: Callable[..., nn.Module], fields: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Read the labels for the head of a task, unless it has none or the caller gives them."""
    taken = inspect.signature(model_class).parameters
    if "id2label" not in taken or given.keys() & {"num_labels", "id2label"}:
        return {}
    labels = {"id2label": read_labels(fields), "problem_type": fields.get("problem_type")}
    return {name: value for name, value in labels.items() if name in taken}


def describe_model(model: nn.Module) -> dict[str, Any]:
    """Return the fields of Hugging Face's config.json for a model."""
    dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
    labels = getattr(model, "label_fields", {})
    return {
        "architectures": [type(model).__name__],
        "model_type": "bert",
        "dtype": dtype,
        **dataclasses.asdict(config_of(model)),
        **{name: value for name, value in labels.items() if value is not None},
    }


def require_sizes(config: BertConfig, tensors: Tensors) -> None:
    """Raise for sizes that do not occur in the weights, before a model is built."""
    sizes = {size for tensor in tensors.values() if tensor.numel() for size in tensor.shape}
    for name in SIZES:
        if getattr(config, name) not in sizes:
            raise ValueError(
                f"config.json gives {name} as {getattr(config, name)}, but no tensor of the "
                "weights has a side of this length; the two must come from one model"
            )
    words = (name.removeprefix("bert.").split(".") for name in tensors)
    layers = len({w[2] for w in words if w[:2] == ["encoder", "layer"] and len(w) > 2})
    if config.num_hidden_layers != layers:
        raise ValueError(
            f"config.json gives num_hidden_layers as {config.num_hidden_layers}, but the weights "
            f"have {layers} layers; the two must come from one model"
        )
