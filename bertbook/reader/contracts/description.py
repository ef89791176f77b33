"""The contract of a part in words, as the chapters print it. Chapter 8."""

from __future__ import annotations

import textwrap

from minibert.embeddings import BertEmbeddings
from minibert.heads import (
    BertLMPredictionHead,
    BertOnlyMLMHead,
    BertPredictionHeadTransform,
    BertPreTrainingHeads,
)
from minibert.masking import corrupt_tokens

from .names import Part, my_name
from .parameter_shapes import parameters_of, shape_in_words
from .require import require_replaceable
from .roles import HIDDEN, ROLES

_WIDTH = 48  # so that no phone has to scroll it

_SHAPES = {
    "hidden_states": HIDDEN,
    "input_tensor": HIDDEN + ", the residual: what went into this half of the layer",
    "wide_states": "(batch, seq, intermediate)",
    "additive_mask": "None, or floats of the same dtype as hidden_states that broadcast to (batch, "
    "heads, seq, seq) and are added to the scores: 0 where a query may look, the most negative "
    "finite number where not",
    "input_ids": "(batch, seq), integers; None if inputs_embeds are given",
    "attention_mask": "None, or (batch, seq): 1 for a token, 0 for padding",
    "token_type_ids": "None, or (batch, seq), integers",
    "position_ids": "None, or (batch or 1, seq), integers",
    "inputs_embeds": "None, or (batch, seq, hidden): vectors in place of the word embeddings",
    "pooled_output": "(batch, hidden)",
    "output_attentions": "bool",
    "output_hidden_states": "bool",
    "labels": "None, or (batch, seq): the true word, -100 without label",
    "next_sentence_label": "None, or (batch,): 0 if the second sentence follows, 1 if not",
}
# What an argument is for some parts alone.
_TOKENS = {"hidden_states": "(..., hidden): all tokens, or only those with a label"}
_SHAPES_OF = {
    BertPredictionHeadTransform: _TOKENS,
    BertLMPredictionHead: _TOKENS,
    BertOnlyMLMHead: _TOKENS,
    BertPreTrainingHeads: _TOKENS,
    corrupt_tokens: {
        "input_ids": "integers of any shape, a sentence or a batch",
        "vocab_size": "int; ids start at 0, and all are below it",
        "mask_token_id": "int; [MASK] is special, whether special_ids name it or not",
        "special_ids": "ids that are no words",
        "generator": "a torch.Generator on the CPU: draw there, then move",
        "mlm_probability": "float, 0.15 by default",
        "continues_word": "None, or bools like input_ids: true for a piece that continues a word",
    },
}
# Parts that make new tensors have to make them on the device of the ids.
_MADE = {
    BertEmbeddings: "that of the ids or of inputs_embeds, for every tensor",
    corrupt_tokens: "that of input_ids, for both results",
}


def contract(role: Part) -> str:
    """Describe what a class must do to replace a part of the package.

    Args:
        role: Such as `BertSelfAttention`.

    Returns:
        How it is built and called, what comes back, and which parameters it has.

    Raises:
        ValueError: If no model asks for it.

    >>> from minibert.model import BertPooler
    >>> print(contract(BertPooler))
    BertPooler: built as MyPooler(config), called as
        forward(hidden_states)
      hidden_states: (batch, seq, hidden)
      returns: (batch, hidden)
      parameters: dense.weight (hidden, hidden),
        dense.bias (hidden)
    """
    require_replaceable(role)
    terms = ROLES[role]
    call = f"called as {'forward' if terms.built else my_name(role)}({', '.join(terms.called)})"
    built = [f"built as {my_name(role)}({', '.join(terms.built)})"] if terms.built else []
    lines = [f"{role.__name__}: {', '.join([*built, call])}"]
    shapes = _SHAPES | _SHAPES_OF.get(role, {})
    lines += [f"  {name}: {shapes[name]}" for name in terms.called if name in shapes]
    lines.append(f"  returns: {terms.returns}")
    if role in _MADE:
        lines.append(f"  device: {_MADE[role]}")
    if terms.built and (parameters := parameters_of(role, role)):
        named = (f"{name} ({shape_in_words(shape)})" for name, shape in parameters.items())
        lines.append(f"  parameters: {', '.join(named)}")
    return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent="    ") for line in lines)
