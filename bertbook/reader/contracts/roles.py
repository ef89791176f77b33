"""The roles of a BERT: how models build and call who plays each, and what comes back. Chapter 8."""

from __future__ import annotations

from dataclasses import dataclass

from minibert import data, pretraining  # noqa: F401 (they bring who plays each by default)

HIDDEN = "(batch, seq, hidden)"
_RESIDUAL = ("hidden_states", "input_tensor")
_ATTENTION = ("hidden_states", "additive_mask", "output_attentions")
_CONTEXT = f"context {HIDDEN}, probs (batch, heads, seq, seq) or None"
_IDS = ("input_ids", "attention_mask", "token_type_ids", "position_ids", "inputs_embeds")


@dataclass(frozen=True)
class Role:
    """The contract of a part: how a model builds it, how it calls it, and what comes back."""

    built: tuple[str, ...] | None
    called: tuple[str, ...]
    returns: str


ROLES = {
    "embeddings": Role(
        ("config",),
        ("input_ids", "token_type_ids", "position_ids", "inputs_embeds"),
        HIDDEN,
    ),
    "self_attention": Role(("config",), _ATTENTION, _CONTEXT),
    "self_output": Role(("config",), _RESIDUAL, HIDDEN),
    "attention": Role(("config",), _ATTENTION, _CONTEXT),
    "intermediate": Role(("config",), ("hidden_states",), "(batch, seq, intermediate)"),
    "output": Role(("config",), ("wide_states", "input_tensor"), HIDDEN),
    "layer": Role(("config",), _ATTENTION, _CONTEXT),
    "encoder": Role(
        ("config",),
        (*_ATTENTION, "output_hidden_states"),
        "a BertModelOutput without pooler_output",
    ),
    "pooler": Role(("config",), ("hidden_states",), "(batch, hidden)"),
    "bert": Role(
        ("config", "add_pooling_layer"),
        (*_IDS, "output_attentions", "output_hidden_states"),
        "a BertModelOutput",
    ),
    "prediction_head_transform": Role(("config",), ("hidden_states",), "(..., hidden)"),
    "prediction_head": Role(
        ("config", "word_embeddings"),
        ("hidden_states",),
        "(..., vocab)",
    ),
    "mlm_head": Role(("config", "word_embeddings"), ("hidden_states",), "(..., vocab)"),
    "pretraining_heads": Role(
        ("config", "word_embeddings"),
        ("hidden_states", "pooled_output"),
        "prediction_logits (..., vocab), seq_relationship_logits (batch, 2)",
    ),
    "pretraining": Role(
        ("config",),
        (*_IDS, "labels", "next_sentence_label"),
        "a BertForPreTrainingOutput",
    ),
    "scored_positions": Role(None, ("hidden_states", "labels"), "vectors and labels to score"),
    "classifier": Role(("in_features", "out_features"), ("input",), "(..., out)"),
    "dropout": Role(("p",), ("input",), "the shape of the input"),
    "layer_norm": Role(("normalized_shape", "eps"), ("input",), "the shape of the input"),
    "corrupt_tokens": Role(
        None,
        (
            *("input_ids", "vocab_size", "mask_token_id", "special_ids", "generator"),
            *("mlm_probability", "continues_word"),
        ),
        "a CorruptedTokens: input_ids, labels",
    ),
    "learn_wordpiece": Role(None, ("word_counts", "min_frequency"), "Merges in turn"),
}
