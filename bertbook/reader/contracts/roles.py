"""What can be replaced in a BERT: how models build and call it, and what comes back. Chapter 8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput
from minibert.embeddings import BertEmbeddings
from minibert.heads import (
    BertLMPredictionHead,
    BertOnlyMLMHead,
    BertPredictionHeadTransform,
    BertPreTrainingHeads,
    linear_classifier,
)
from minibert.layer import BertIntermediate, BertLayer, BertOutput
from minibert.masking import corrupt_tokens
from minibert.model import BertEncoder, BertModel, BertPooler
from minibert.pretraining import BertForPreTraining, score_words
from minibert.wordpiece.learning import learn_merges

HIDDEN = "(batch, seq, hidden)"
_RESIDUAL = ("hidden_states", "input_tensor")
_ATTENTION = ("hidden_states", "additive_mask", "output_attentions")
_CONTEXT = f"context {HIDDEN}, probs (batch, heads, seq, seq) or None"
_IDS = ("input_ids", "attention_mask", "token_type_ids", "position_ids", "inputs_embeds")


@dataclass(frozen=True)
class Role:
    """The contract of a part: how a model builds it, how it calls it, and what comes back.

    `own_name` is the name of the reader's own, where it is not that of ours with My for Bert.

    Args:
        built: Names of what the constructor takes; None for a function.
        called: Names of what `forward`, or the function, takes.
        returns: What comes back, with its shape.
        own_name: The name of the reader's own, where it is not that of ours with My for Bert.
    """

    built: tuple[str, ...] | None
    called: tuple[str, ...]
    returns: str
    own_name: str = ""


ROLES: dict[Callable[..., Any], Role] = {
    BertEmbeddings: Role(
        ("config",),
        ("input_ids", "token_type_ids", "position_ids", "inputs_embeds"),
        HIDDEN,
    ),
    BertSelfAttention: Role(("config",), _ATTENTION, _CONTEXT),
    BertSelfOutput: Role(("config",), _RESIDUAL, HIDDEN),
    BertAttention: Role(("config",), _ATTENTION, _CONTEXT),
    BertIntermediate: Role(("config",), ("hidden_states",), "(batch, seq, intermediate)"),
    BertOutput: Role(("config",), ("wide_states", "input_tensor"), HIDDEN),
    BertLayer: Role(("config",), _ATTENTION, _CONTEXT),
    BertEncoder: Role(
        ("config",),
        (*_ATTENTION, "output_hidden_states"),
        "a BertModelOutput without pooler_output",
    ),
    BertPooler: Role(("config",), ("hidden_states",), "(batch, hidden)"),
    BertModel: Role(
        ("config", "add_pooling_layer"),
        (*_IDS, "output_attentions", "output_hidden_states"),
        "a BertModelOutput",
        "MyBert",
    ),
    BertPredictionHeadTransform: Role(("config",), ("hidden_states",), "(..., hidden)"),
    BertLMPredictionHead: Role(
        ("config", "word_embeddings"),
        ("hidden_states",),
        "(..., vocab)",
        "MyPredictionHead",
    ),
    BertOnlyMLMHead: Role(
        ("config", "word_embeddings"), ("hidden_states",), "(..., vocab)", "MyMlmHead"
    ),
    BertPreTrainingHeads: Role(
        ("config", "word_embeddings"),
        ("hidden_states", "pooled_output"),
        "prediction_logits (..., vocab), seq_relationship_logits (batch, 2)",
    ),
    BertForPreTraining: Role(
        ("config",),
        (*_IDS, "labels", "next_sentence_label"),
        "a BertForPreTrainingOutput",
        "MyPreTraining",
    ),
    score_words: Role(None, ("head", "labels", "vectors"), "what the head says, and its labels"),
    linear_classifier: Role(
        ("in_features", "out_features"), ("input",), "(..., out)", "MyClassifier"
    ),
    nn.Dropout: Role(("p",), ("input",), "the shape of the input"),
    nn.LayerNorm: Role(("normalized_shape", "eps"), ("input",), "the shape of the input"),
    corrupt_tokens: Role(
        None,
        (
            *("input_ids", "vocab_size", "mask_token_id", "special_ids", "generator"),
            *("mlm_probability", "continues_word"),
        ),
        "a CorruptedTokens: input_ids, labels",
    ),
    learn_merges: Role(
        None, ("word_counts", "min_frequency"), "Merges in turn", "my_learn_wordpiece"
    ),
}
