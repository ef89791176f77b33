"""The contracts of the parts: how models build and call each, and what comes back. Chapter 8."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from torch import nn

from minibert.config import BertConfig

from .sizes_only import sizes_only

# Sizes that all differ, so that a shape tells which of them it is made of.
_TRIAL = BertConfig(
    vocab_size=11, hidden_size=6, num_hidden_layers=2, num_attention_heads=3, intermediate_size=8,
    max_position_embeddings=7, type_vocab_size=5,
)  # fmt: skip
_WORDS = {11: "vocab", 6: "hidden", 8: "intermediate", 7: "positions", 5: "types", 2: "2"}
_WIDTH = 66  # of a contract, so that no page has to scroll it

_HIDDEN = "(batch, seq, hidden)"
_SHAPES = {
    "hidden_states": _HIDDEN,
    "input_tensor": _HIDDEN + ", the residual: what went into this half of the layer",
    "wide_states": "(batch, seq, intermediate)",
    "additive_mask": "None, or floats of the same dtype as hidden_states that broadcast to (batch, "
    "heads, seq, seq): 0 where a query may look, the most negative finite number where not",
    "input_ids": "(batch, seq), integers; None if inputs_embeds are given",
    "attention_mask": "None, or (batch, seq): 1 for a token, 0 for padding",
    "token_type_ids": "None, or (batch, seq), integers",
    "position_ids": "None, or (batch or 1, seq), integers",
    "inputs_embeds": "None, or (batch, seq, hidden): vectors in place of the word embeddings",
    "pooled_output": "(batch, hidden)",
    "output_attentions": "bool",
    "output_hidden_states": "bool",
}
_RESIDUAL = ("hidden_states", "input_tensor")
_ATTENTION = ("hidden_states", "additive_mask", "output_attentions")
_CONTEXT = f"context {_HIDDEN}, probs (batch, heads, seq, seq) or None"
_IDS = ("input_ids", "attention_mask", "token_type_ids", "position_ids", "inputs_embeds")
_LABELED = (*_IDS, "labels", "next_sentence_label")


@dataclass(frozen=True)
class Role:
    """The contract of a part: how a model builds it, how it calls it, and what comes back."""

    ours: str
    built: tuple[str, ...] | None
    called: tuple[str, ...]
    returns: str


ROLES = {
    "embeddings": Role(
        "embeddings.BertEmbeddings",
        ("config",),
        ("input_ids", "token_type_ids", "position_ids", "inputs_embeds"),
        _HIDDEN,
    ),
    "self_attention": Role("attention.BertSelfAttention", ("config",), _ATTENTION, _CONTEXT),
    "self_output": Role("attention.BertSelfOutput", ("config",), _RESIDUAL, _HIDDEN),
    "attention": Role("attention.BertAttention", ("config",), _ATTENTION, _CONTEXT),
    "intermediate": Role(
        "layer.BertIntermediate", ("config",), ("hidden_states",), "(batch, seq, intermediate)"
    ),
    "output": Role("layer.BertOutput", ("config",), ("wide_states", "input_tensor"), _HIDDEN),
    "layer": Role("layer.BertLayer", ("config",), _ATTENTION, _CONTEXT),
    "encoder": Role(
        "model.BertEncoder",
        ("config",),
        (*_ATTENTION, "output_hidden_states"),
        "a BertModelOutput without pooler_output",
    ),
    "pooler": Role("model.BertPooler", ("config",), ("hidden_states",), "(batch, hidden)"),
    "bert": Role(
        "model.BertModel",
        ("config", "add_pooling_layer"),
        (*_IDS, "output_attentions", "output_hidden_states"),
        "a BertModelOutput",
    ),
    "prediction_head_transform": Role(
        "heads.BertPredictionHeadTransform", ("config",), ("hidden_states",), "(..., hidden)"
    ),
    "prediction_head": Role(
        "heads.BertLMPredictionHead",
        ("config", "word_embeddings"),
        ("hidden_states",),
        "(..., vocab)",
    ),
    "mlm_head": Role(
        "heads.BertOnlyMLMHead", ("config", "word_embeddings"), ("hidden_states",), "(..., vocab)"
    ),
    "pretraining_heads": Role(
        "heads.BertPreTrainingHeads",
        ("config", "word_embeddings"),
        ("hidden_states", "pooled_output"),
        "prediction_logits (..., vocab), seq_relationship_logits (batch, 2)",
    ),
    "pretraining": Role(
        "pretraining.BertForPreTraining", ("config",), _LABELED, "a BertForPreTrainingOutput"
    ),
    "scored_positions": Role(
        "pretraining.all_positions", None, ("hidden_states", "labels"), "vectors, labels"
    ),
    "classifier": Role("torch.nn.Linear", ("in_features", "out_features"), ("input",), "(..., n)"),
    "dropout": Role("torch.nn.Dropout", ("p",), ("input",), "the shape of the input"),
    "layer_norm": Role(
        "torch.nn.LayerNorm", ("normalized_shape", "eps"), ("input",), "the shape of the input"
    ),
    "corrupt_tokens": Role(
        "masking.corrupt_tokens",
        None,
        (
            *("input_ids", "vocab_size", "mask_token_id", "special_ids", "generator"),
            *("mlm_probability", "continues_word"),
        ),
        "a CorruptedTokens: input_ids, labels",
    ),
    "learn_wordpiece": Role(
        "wordpiece.learning.learn_merges", None, ("word_counts", "min_frequency"), "Merges in turn"
    ),
}


def default_part(role: str) -> Callable:
    """Return the class or function that plays a role unless another is named.

    Parameters
    ----------
    role : str
        A key of `ROLES`.

    Returns
    -------
    class or function
        Ours.
    """
    require_role(role)
    module, _, name = ROLES[role].ours.rpartition(".")
    home = module if module.startswith("torch") else f"minibert.{module}"
    return getattr(import_module(home), name)


def contract(role: str) -> str:
    """Describe what a class must do to play a role.

    Parameters
    ----------
    role : str
        A key of `ROLES`.

    Returns
    -------
    str
        How it is built and called, what comes back, and which parameters it has.
    """
    require_role(role)
    terms = ROLES[role]
    call = f"called as {'forward' if terms.built else my_name(role)}({', '.join(terms.called)})"
    built = [f"built as {my_name(role)}({', '.join(terms.built)})"] if terms.built else []
    lines = [f"{role}: {', '.join([*built, call])}"]
    lines += [f"{name}: {_SHAPES[name]}" for name in terms.called if name in _SHAPES]
    lines.append(f"returns: {terms.returns}")
    if terms.built and (parameters := _parameters(default_part(role), role)):
        told = (f"{name} ({_in_words(shape)})" for name, shape in parameters.items())
        lines.append(f"parameters: {', '.join(told)}")
    told = "\n  ".join(lines).splitlines()
    return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent="      ") for line in told)


def my_name(role: str) -> str:
    """Write the name that a reader's class or function for a role has."""
    title = role.title().replace("_", "").replace("Pretrain", "PreTrain")
    return f"My{title}" if ROLES[role].built else f"my_{role}"


def _in_words(shape: tuple[int, ...]) -> str:
    return ", ".join(_WORDS[size] for size in shape)


def require_role(role: str) -> None:
    """Raise if there is no such role, and name the nearest."""
    if role not in ROLES:
        near = difflib.get_close_matches(str(role), ROLES, n=1, cutoff=0)[0]
        raise ValueError(
            f"there is no role {role!r}; did you mean {near}? The roles are {', '.join(ROLES)}"
        )


def require_contract(role: str, player: object) -> None:
    """Raise if a class cannot do what models ask of it; a small model of sizes is built to see."""
    terms = ROLES[role]
    if not terms.built:
        _require_function(role, player)
        return
    if not (isinstance(player, type) and issubclass(player, nn.Module)):
        way = "write class My…(nn.Module)" if isinstance(player, type) else "give the class itself"
        raise TypeError(
            f"{role} is played by a class derived from torch.nn.Module, not by {player!r}; {way}"
        )
    _require_call(role, player, "__init__", terms.built)
    _require_call(role, player, "forward", terms.called)
    if not getattr(player, "own_parameters", False):
        _require_parameters(role, player)


def _require_function(role: str, player: object) -> None:
    if not callable(player):
        raise TypeError(f"{role} is played by a function, not by {player!r}")
    names = ROLES[role].called
    try:
        inspect.signature(player).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise TypeError(
            f"{player.__name__} cannot play {role}: it must take {', '.join(names)} ({error})"
        ) from None


def _require_call(role: str, player: type, method: str, arguments: tuple[str, ...]) -> None:
    signature = inspect.signature(getattr(player, method))
    try:
        signature.bind(None, *arguments)
    except TypeError:
        raise TypeError(
            f"{player.__name__} cannot play {role}: {method}{signature} must take "
            f"(self, {', '.join(arguments)})"
        ) from None


def _require_parameters(role: str, player: type) -> None:
    """Compare names and shapes with ours, since the names are the keys of every saved file."""
    ours_, theirs = _parameters(default_part(role), role), _parameters(player, role)
    missing = [f"{name} ({_in_words(ours_[name])})" for name in ours_ if name not in theirs]
    extra = [name for name in theirs if name not in ours_]
    other = [
        f"{name} has the shape {theirs[name]} instead of {shape}, ({_in_words(shape)})"
        for name, shape in ours_.items()
        if theirs.get(name, shape) != shape
    ]
    if not (missing or extra or other):
        return
    told = [f"it lacks {', '.join(missing[:3])}{', …' * (len(missing) > 3)}"] if missing else []
    more = ", …" * (len(extra) > 3)
    told += [f"it has {', '.join(extra[:3])}{more}, which {role} has not"] if extra else []
    raise ValueError(
        f"the parameters of {player.__name__} are not those of {role}: "
        f"{'; '.join([*told, *other[:3]])}. Saved weights are found by these names. If it is meant "
        "to be another network, say so in the class: own_parameters = True"
    )


def _parameters(kind: Callable[..., nn.Module], role: str) -> dict[str, tuple[int, ...]]:
    """Build a part of the trial's sizes, without numbers, and return the shapes by name."""
    given = {
        "config": getattr(kind, "config_class", BertConfig)(**dataclasses.asdict(_TRIAL)),
        "add_pooling_layer": True,
        "in_features": _TRIAL.hidden_size,
        "out_features": 2,
        "normalized_shape": _TRIAL.hidden_size,
        "eps": _TRIAL.layer_norm_eps,
        "p": _TRIAL.hidden_dropout_prob,
    }
    with sizes_only():
        table = nn.Embedding(_TRIAL.vocab_size, _TRIAL.hidden_size)
        arguments = [(given | {"word_embeddings": table})[name] for name in ROLES[role].built or ()]
        try:
            built = kind(*arguments)
        except Exception as error:
            raise TypeError(
                f"{kind.__name__} cannot play {role}: building it with a small BertConfig "
                f"stopped with {type(error).__name__}: {error}"
            ) from error
    return {name: tuple(p.shape) for name, p in built.named_parameters()}
