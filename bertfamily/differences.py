"""What several members do to BERT's parts: other names, no table, narrow embeddings. Chapter 25."""

import dataclasses
import inspect
import math
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from minibert.config import REQUIRED_VALUES, BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.heads import BertLMPredictionHead, BertPredictionHeadTransform
from minibert.model import BertModel, BertPooler
from minibert.parts import Replacements, override, part

Names = Mapping[str, str]

# What heads of sequences say instead of our names, in RoBERTa and in ELECTRA.
NAMES_OF_SEQUENCES = {"classifier.": "classifier.out_proj.", "bert.pooler.": "classifier."}


def requires(model_type: str, **changes: Any) -> dict[str, Any]:
    """Return the values that a config.json must have where it has these keys."""
    return {**REQUIRED_VALUES, "model_type": model_type, **changes}


class MemberHead(nn.Module):
    """A head of BERT's on the encoder of a member; derive from this first, from the head second.

    `encoder_class` is the encoder, `parts` are what else differs while the model is built, and
    `names` are for `save_under_their_names`.
    """

    config_class: Any
    base_model_prefix: str
    encoder_class: Any
    parts: ClassVar[Replacements] = {}
    names: ClassVar[Mapping[str, str]] = {}
    config: Any

    def __init_subclass__(cls) -> None:
        """Say that it takes what the head takes, with the configuration of the encoder."""
        cls.config_class = cls.encoder_class.config_class
        cls.base_model_prefix = cls.encoder_class.base_model_prefix
        head = cls.__bases__[-1]
        cls.__signature__ = inspect.signature(head)
        if not issubclass(head, MemberHead) and cls.__doc__:  # no docstrings with python -OO
            cls.__doc__ = f"{cls.__doc__}\n\n{_called_as(head)}"

    def __init__(self, config: Any, *arguments: Any, **named: Any) -> None:
        with override({BertModel: self.encoder_class, **self.parts}):
            super().__init__(config, *arguments, **named)
        self.finish()
        save_under_their_names(self, {**self.names, "bert.": f"{self.base_model_prefix}."})

    def finish(self) -> None:
        """Change what is still to be changed of the model that is built."""


def _called_as(head: Any) -> str:
    """Write the rest of the docstring of a member's head: what that of BERT says."""
    returned = head.forward.__annotations__["return"]
    does, name = (inspect.getdoc(head.forward) or "").partition("\n")[0], head.__name__
    return (
        f"Built and called as `{name}`, whose `forward` says what it takes, and which loss it "
        f"computes. {does} It returns a `{getattr(returned, '__name__', returned)}`."
    )


def save_under_their_names(model: nn.Module, names: Names) -> None:
    """Let a model save and load its tensors under Hugging Face's names.

    `names` maps a piece of our names to theirs; the pieces are replaced one after the other.
    """
    table = {}
    for ours in model.state_dict():
        theirs = ours
        for piece, other in names.items():
            theirs = theirs.replace(piece, other)
        table[ours] = theirs

    model.register_state_dict_post_hook(partial(_saved, table))
    model.register_load_state_dict_pre_hook(partial(_loads, table))


def _saved(table: Names, _: nn.Module, state: dict[str, Any], prefix: str, *_more: object) -> None:
    for name in list(state):  # also those that are right, so that the order stays
        ours = name.removeprefix(prefix)
        state[prefix + table.get(ours, ours)] = state.pop(name)


def _loads(table: Names, _: nn.Module, state: dict[str, Any], prefix: str, *_more: object) -> None:
    tensors = {t: state.pop(prefix + t) for t in {*table.values()} if prefix + t in state}
    state.update({prefix + o: tensors[t] for o, t in table.items() if t in tensors})


class NoTable(nn.Module):
    """Play a table of embeddings that adds nothing, however large the id."""

    def __init__(self, num_embeddings: float = math.inf) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings

    def forward(self, ids: Int[Tensor, "..."]) -> Float[Tensor, ""]:
        """Return 0, whatever the ids."""
        return torch.zeros((), device=ids.device)


def narrow_config(config: Any) -> BertConfig:
    """Return a configuration whose vectors have `embedding_size` numbers."""
    changes = {"hidden_size": config.embedding_size, "num_attention_heads": 1}
    fields = {f.name: getattr(config, f.name) for f in dataclasses.fields(BertConfig)}
    return BertConfig(**fields | changes)


class NarrowEmbeddings(BertEmbeddings):
    """Embeddings of `embedding_size` numbers a token, fewer than the layers have."""

    own_parameters = True

    def __init__(self, config: Any) -> None:
        super().__init__(narrow_config(config))


class NarrowTransform(BertPredictionHeadTransform):
    """Prepare a vector for the comparison with narrow ones."""

    def __init__(self, config: Any) -> None:
        super().__init__(narrow_config(config))
        self.dense = nn.Linear(config.hidden_size, config.embedding_size)

    def forward(self, hidden_states: Float[Tensor, "... in_size"]) -> Float[Tensor, "... out_size"]:
        """Make narrow, apply the activation, and normalize."""
        return self.LayerNorm(self.activation(self.dense(hidden_states)))


class NarrowPredictionHead(BertLMPredictionHead):
    """Score every word by its narrow vector."""

    own_parameters = True

    def __init__(self, config: Any, word_embeddings: nn.Embedding) -> None:
        super().__init__(narrow_config(config), word_embeddings)
        self.transform = NarrowTransform(config)


class HeadPooler(BertPooler):
    """Summarize a sequence by [CLS] for one head alone: dropout, a linear map, an activation."""

    own_parameters = True
    activation = staticmethod(torch.tanh)

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.dropout = part(nn.Dropout)(self.share(config))

    def share(self, config: Any) -> float:
        """Return the dropout before the linear map."""
        return config.dropout_before_classifier

    def forward(
        self, hidden_states: Float[Tensor, "batch seq hidden"]
    ) -> Float[Tensor, "batch hidden"]:
        """Map the vector of [CLS]."""
        first = hidden_states[:, 0]  # (batch, hidden)
        return self.activation(self.dense(self.dropout(first)))
