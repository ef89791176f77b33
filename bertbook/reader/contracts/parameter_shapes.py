"""Names and shapes of a part's parameters, from a small one whose sizes all differ. Chapter 8."""

import dataclasses
from collections.abc import Callable
from functools import cache

from torch import nn

from minibert.config import BertConfig
from minibert.loading.load import init_empty_weights
from minibert.parts import override

from .names import Part
from .roles import ROLES

# Sizes that all differ, so that a shape tells which of them it is made of.
SIZES = BertConfig(
    vocab_size=11, hidden_size=6, num_hidden_layers=2, num_attention_heads=3, intermediate_size=8,
    max_position_embeddings=7, type_vocab_size=5,
)  # fmt: skip
_WORDS = {11: "vocab", 6: "hidden", 8: "intermediate", 7: "positions", 5: "types", 2: "2"}

Shape = tuple[int, ...]


def shape_in_words(shape: Shape) -> str:
    """Write a shape with names of sizes for numbers."""
    return ", ".join(_WORDS[size] for size in shape)


def parameters_of(kind: Callable[..., nn.Module], role: Part) -> dict[str, Shape]:
    """Build a part of small sizes, without numbers, and return the shapes by name."""
    return {name: tuple(p.shape) for name, p in _built(kind, role).named_parameters()}


@cache
def roles_inside(role: Part) -> tuple[Part, ...]:
    """List the parts that a part of the package is made of, without those of PyTorch."""
    with override({each: each for each in ROLES}):
        kinds = {type(module) for module in _built(role, role).modules()}
    return tuple(
        each for each in ROLES if each in kinds and each.__module__.startswith("minibert.")
    )


def _built(kind: Callable[..., nn.Module], role: Part) -> nn.Module:
    values = {
        "config": getattr(kind, "config_class", BertConfig)(**dataclasses.asdict(SIZES)),
        "add_pooling_layer": True,
        "in_features": SIZES.hidden_size,
        "out_features": 2,
        "normalized_shape": SIZES.hidden_size,
        "eps": SIZES.layer_norm_eps,
        "p": SIZES.hidden_dropout_prob,
    }
    with init_empty_weights():
        table = nn.Embedding(SIZES.vocab_size, SIZES.hidden_size)
        arguments = [
            (values | {"word_embeddings": table})[name] for name in ROLES[role].built or ()
        ]
        try:
            return kind(*arguments)
        except Exception as error:
            raise TypeError(
                f"{kind.__name__} cannot replace {role.__name__}: building it with a small "
                f"BertConfig stopped with {type(error).__name__}: {error}"
            ) from error
