"""Whose weights a folder holds, by the model_type of its config.json. Chapters 15 and 25."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from minibert import model, pretraining, tasks
from minibert.config import BertConfig

# How a family member is called, and what the names of its classes begin with. The classes stand in
# a package above this one.
FAMILY = {
    "bert": ("BERT", "Bert"),
    "roberta": ("RoBERTa", "Roberta"),
    "distilbert": ("DistilBERT", "DistilBert"),
    "albert": ("ALBERT", "Albert"),
    "deberta-v2": ("DeBERTa-v2", "DebertaV2"),
    "electra": ("ELECTRA", "Electra"),
    "modernbert": ("ModernBERT", "ModernBert"),
}
HEADS = (  # of every member
    *("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"),
    "ForQuestionAnswering",
)


def config_class_of(model_class: Callable[..., nn.Module]) -> Any:
    """Return the class of the configurations from which a class of models is built."""
    return getattr(model_class, "config_class", BertConfig)


def require_model_type(model_class: Callable[..., nn.Module], fields: Mapping[str, Any]) -> None:
    """Raise for the folder of another member, and name the class that opens it."""
    config_class = config_class_of(model_class)
    expected = config_class.required_values["model_type"]
    model_type = fields.get("model_type", _by_architecture(fields))
    if model_type is None and expected != "bert":  # old files of BERT say nothing
        raise ValueError(
            "it has no model_type, so that nobody knows whose weights these are; if they are "
            f'those of {config_class.model_name}, add "model_type": "{expected}"'
        )
    if (
        model_type in (None, expected)
        or not isinstance(model_type, str)
        or model_type not in FAMILY
    ):
        return  # what is unknown here, the configuration refuses
    name, prefix = FAMILY[model_type]
    head = model_class.__name__.removeprefix(FAMILY[expected][1])
    raise ValueError(
        f"model_type ({model_type!r}) is not supported by {model_class.__name__}: these are the "
        f"weights of {name}; open them with {_opener(prefix, head)}"
    )


def _opener(prefix: str, head: str) -> str:
    """Return where the class of a member with a head stands, or that of its encoder."""
    if prefix != "Bert":
        return f"bertfamily.{prefix}{head if head in HEADS else 'Model'}"
    both = ((home, prefix + end) for end in (head, "Model") for home in (model, pretraining, tasks))
    return next(f"{home.__name__}.{name}" for home, name in both if hasattr(home, name))


def _by_architecture(fields: Mapping[str, Any]) -> str | None:
    """Return the member that the name of the saved class begins with, if any."""
    names = fields.get("architectures")
    name = str(names[0]) if isinstance(names, list) and names else ""
    match = re.match(r"(\w+?)(For|Model)", name)
    prefixes = {prefix: model_type for model_type, (_, prefix) in FAMILY.items()}
    return prefixes.get(match[1]) if match else None
