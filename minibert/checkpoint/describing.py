"""config.json: what the encoder is, and what a task's head needs to know."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch import nn

from minibert.config import BertConfig

from .files import CONFIG, Tensors, read_json

SIZES = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
)


def read_config(folder: Path) -> tuple[BertConfig, dict[str, Any]]:
    """Read the configuration of a folder.

    Parameters
    ----------
    folder : Path
        Holds ``config.json``.

    Returns
    -------
    config : BertConfig
        The encoder.
    task : dict
        ``num_labels`` and ``problem_type``, where the file names them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TypeError, ValueError
        If it is not the configuration of a BERT; the message names the key.

    References
    ----------
    Chapter 15, to come.
    """
    fields = read_json(folder / CONFIG)
    try:
        return BertConfig.from_dict(fields), _task_of(fields)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{str(folder / CONFIG)!r}: {error}") from None


def _task_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Read what the head of a task needs to know; id2label has one entry for each label."""
    labels = fields.get("id2label")
    number = fields.get("num_labels") if labels is None else labels
    if isinstance(number, dict):
        number = len(number)
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        raise TypeError(f"num_labels ({number!r}) must be a whole number, id2label an object")
    if number is not None and number < 1:
        raise ValueError(f"the number of labels ({number}) must be at least 1; nearest is 1")
    task = {"num_labels": number, "problem_type": fields.get("problem_type")}
    return {name: value for name, value in task.items() if value is not None}


def describe_model(model: nn.Module) -> dict[str, Any]:
    """Say in Hugging Face's words what a model is.

    Parameters
    ----------
    model : nn.Module
        Has a `config`; a task model may have `num_labels` and `problem_type`.

    Returns
    -------
    dict
        What config.json is to hold.

    References
    ----------
    Chapter 15, to come.

    Examples
    --------
    >>> from minibert.model import BertModel
    >>> fields = describe_model(BertModel(BertConfig.tiny()))
    >>> fields["architectures"], fields["hidden_size"], fields["dtype"]
    (['BertModel'], 128, 'float32')
    """
    dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
    fields = {
        "architectures": [type(model).__name__],
        "model_type": "bert",
        "dtype": dtype,
        **dataclasses.asdict(model.config),
    }
    if (number := getattr(model, "num_labels", None)) is not None:
        fields["id2label"] = {str(label): f"LABEL_{label}" for label in range(number)}
        fields["label2id"] = {f"LABEL_{label}": label for label in range(number)}
    if (problem := getattr(model, "problem_type", None)) is not None:
        fields["problem_type"] = problem
    return fields


def require_sizes(config: BertConfig, tensors: Tensors) -> None:
    """Refuse a configuration whose sizes do not occur in the weights, before a model is built.

    Parameters
    ----------
    config : BertConfig
        Of the folder.
    tensors : dict from str to tensor, any shape
        Of the folder.

    Raises
    ------
    ValueError
        If the two cannot belong together.

    References
    ----------
    Chapter 15, to come.
    """
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


def arguments_for(
    model_class: Callable[..., nn.Module], task: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Choose what a model class is built with: what the caller gives, else what the file says.

    Parameters
    ----------
    model_class : callable
        Makes a model of a configuration.
    task : mapping
        From `read_config`.
    given : mapping
        From the caller.

    Returns
    -------
    dict
        Keyword arguments that the class takes.

    References
    ----------
    Chapter 15, to come.
    """
    taken = inspect.signature(model_class).parameters
    return {name: value for name, value in task.items() if name in taken} | dict(given)
