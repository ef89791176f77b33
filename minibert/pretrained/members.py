"""The members of BERT's family, by the model_type of config.json, and who opens which folder.

Each row says which sizes of the configuration are sides of tensors, and which word in the names of
tensors stands before the number of a layer. Chapters 15 and 25.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from minibert import family, model, pretraining, tasks
from minibert.config import BertConfig

TABLES = ("vocab_size", "max_position_embeddings", "type_vocab_size")
BERT = (*TABLES, "hidden_size", "intermediate_size")
HOMES = (model, pretraining, tasks, family)


@dataclass(frozen=True)
class Member:
    """How a member's classes are called, and what of its configuration its weights show."""

    prefix: str
    config_class: Any
    sides: tuple[str, ...] = BERT
    counts: Mapping[str, str] = field(default_factory=lambda: {"layer": "num_hidden_layers"})


FAMILY = {
    "bert": Member("Bert", BertConfig),
    "roberta": Member("Roberta", family.RobertaConfig),
    "distilbert": Member(
        "DistilBert",
        family.DistilBertConfig,
        ("vocab_size", "max_position_embeddings", "dim", "hidden_dim"),
        {"layer": "n_layers"},
    ),
    "albert": Member(
        "Albert",
        family.AlbertConfig,
        (*BERT, "embedding_size"),
        {"albert_layer_groups": "num_hidden_groups", "albert_layers": "inner_group_num"},
    ),
    "deberta-v2": Member(
        "DebertaV2",
        family.DebertaV2Config,
        (
            *("vocab_size", "type_vocab_size", "hidden_size", "intermediate_size"),
            *("rows_of_position_embeddings", "rows_of_rel_embeddings"),
        ),
    ),
    "electra": Member("Electra", family.ElectraConfig, (*BERT, "embedding_size")),
    "modernbert": Member(
        "ModernBert",
        family.ModernBertConfig,
        ("vocab_size", "hidden_size", "intermediate_size"),
        {"layers": "num_hidden_layers"},
    ),
}


CONFIGS = tuple(member.config_class for member in FAMILY.values())


def config_class_of(model_class: Callable[..., nn.Module]) -> Any:
    """Return the class of the configurations from which a class of models is built."""
    return getattr(model_class, "config_class", BertConfig)


def member_of(config: Any) -> Member:
    """Return the member that a configuration, or a class of configurations, belongs to."""
    return FAMILY[config.required_values["model_type"]]


def require_member(model_class: Callable[..., nn.Module], fields: Mapping[str, Any]) -> None:
    """Raise for the folder of another member, and name the class that opens it."""
    ours = config_class_of(model_class).required_values["model_type"]
    model_type = fields.get("model_type", _by_architecture(fields))
    if model_type is None and ours != "bert":  # old files of BERT say nothing
        raise ValueError(
            "it has no model_type, so that nobody knows whose weights these are; if they are "
            f'those of {FAMILY[ours].config_class.model_name}, add "model_type": "{ours}"'
        )
    if model_type in (None, ours) or not isinstance(model_type, str) or model_type not in FAMILY:
        return  # what is unknown here, the configuration refuses
    there = FAMILY[model_type]
    head = model_class.__name__.removeprefix(FAMILY[ours].prefix)
    raise ValueError(
        f"model_type ({model_type!r}) is not supported by {model_class.__name__}: these are the "
        f"weights of {there.config_class.model_name}; open them with {_opener(there.prefix, head)}"
    )


def _opener(prefix: str, head: str) -> str:
    """Return where the class of a member with a head stands, or that of its encoder."""
    both = ((home, prefix + end) for end in (head, "Model") for home in HOMES)
    return next(f"{home.__name__}.{name}" for home, name in both if hasattr(home, name))


def _by_architecture(fields: Mapping[str, Any]) -> str | None:
    """Return the member that the name of the saved class begins with, if any."""
    names = fields.get("architectures")
    name = str(names[0]) if isinstance(names, list) and names else ""
    match = re.match(r"(\w+?)(For|Model)", name)
    prefixes = {row.prefix: kind for kind, row in FAMILY.items()}
    return prefixes.get(match[1]) if match else None
