"""The usual mistakes in the frame of a half, in layers and in their stack. Chapter 8."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from .slip import NO_BIAS, NO_NORM, Slip, computing, epsilons, putting, typing


def _without_residual(self: Any, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
    """Forget what the token was."""
    return self.LayerNorm(self.dense(hidden_states))


def _norm_then_add(self: Any, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
    """Normalize what was found, and then add."""
    return self.LayerNorm(self.dense(hidden_states)) + input_tensor


def _norm_first(self: Any, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
    """Normalize what is kept, and then add."""
    return self.dense(hidden_states) + self.LayerNorm(input_tensor)


def _pre_norm_attention(
    self: Any, x: Tensor, mask: Tensor | None = None, output_attentions: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Normalize before attention, and not after it."""
    context, probs = self.self(self.output.LayerNorm(x), mask, output_attentions)
    return x + self.output.dense(context), probs


def _pre_norm_layer(
    self: Any, x: Tensor, mask: Tensor | None = None, output_attentions: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Normalize before each half, and not after it."""
    attended, probs = _pre_norm_attention(self.attention, x, mask, output_attentions)
    wide = self.intermediate(self.output.LayerNorm(attended))
    return attended + self.output.dense(wide), probs


FRAME = [
    Slip(computing(_without_residual), "The residual has no effect: LayerNorm gets only what is "
         "new."),
    Slip(computing(_norm_then_add), "You normalize and then add. In which order does BERT do "
         "it?"),
    Slip(computing(lambda self, x, kept: self.LayerNorm(self.dense(x) + 2 * kept)), "The residual "
         "is added twice. How often does BERT add it?"),
    Slip(computing(lambda self, x, kept: self.LayerNorm(self.dense(x) + kept) + kept), "The "
         "residual is added once more after LayerNorm. How often does BERT add it?"),
    Slip(computing(lambda self, x, kept: self.LayerNorm(functional.gelu(self.dense(x)) + kept)),
         "There is an activation after the linear layer. Which part of the layer has the only "
         "one?"),
    Slip(computing(lambda self, x, kept: self.LayerNorm(functional.gelu(self.dense(x) + kept))),
         "There is an activation after the sum. Which part of the layer has the only one?"),
    Slip(computing(_norm_first), "You normalize what is kept, and then add. That is the other "
         "order, pre-norm or near it; when does BERT normalize?"),
    NO_NORM,
    NO_BIAS,
    *epsilons("LayerNorm.eps"),
]  # fmt: skip
ACTIVATION = [
    Slip(putting("activation", partial(functional.gelu, approximate="tanh")), "Your GELU goes by "
         'tanh: near, but not the exact one. Which of the two is "gelu", and which is "gelu_new"?'),
    Slip(putting("activation", functional.relu), "Your activation is ReLU. Which one does "
         "config.hidden_act ask for?"),
    Slip(putting("activation", functional.silu), "Your activation is SiLU, x times its sigmoid. "
         "Which one does config.hidden_act ask for?"),
    Slip(computing(lambda self, x: self.activation(self.activation(self.dense(x)))), "The "
         "activation comes twice. How often does BERT apply it?"),
    Slip(computing(lambda self, x: self.dense(self.activation(x))), "Your activation comes before "
         "the linear layer. Which of them is first?"),
    Slip(putting("activation", nn.Identity()), "There is no activation. What stands after the "
         "linear layer?"),
]  # fmt: skip
ATTENTION = [
    Slip(computing(_pre_norm_attention), "LayerNorm comes first in your class, and nothing "
         "comes after the sum: pre-norm. When does BERT normalize?"),
    NO_BIAS,
]  # fmt: skip
_CALL = "(hidden_states, additive_mask, output_attentions)"
_TUPLE = "A tuple of vectors and map is handed on as if it were the vectors. Are both taken apart?"
_EXCHANGED = "The mask and output_attentions have changed places. In which order do they go in?"
LAYER = [
    Slip(computing(_pre_norm_layer), "LayerNorm comes first in both halves of your layer: "
         "pre-norm. When does BERT normalize?"),
    Slip(typing("(wide, attended)", "(wide, hidden_states)"), "What your second half keeps is the "
         "input of the layer. What went into the feed-forward network?"),
    Slip(typing("(attended)", "(hidden_states)"), "Your feed-forward network gets the input of the "
         "layer. What is it to think about?"),
    Slip(typing("(attended)|wide, attended", "(hidden_states)|wide, hidden_states"),
         "What attention has found is not used. What goes into the second half, and what does it "
         "keep?"),
    Slip(typing("(attended)|wide, attended)", "(hidden_states)|wide, hidden_states) + attended"),
         "Your halves stand side by side and are added. What does the second half of BERT's layer "
         "take?"),
    Slip(typing("self.output(wide, attended)", "attended"), "Your layer ends after attention. "
         "Where is the feed-forward network?"),
    Slip(typing("wide, attended)", "wide, attended) + attended"), "What attention returns is added "
         "once more. Which part adds the residual already?"),
    Slip(typing("wide, attended)", "wide, attended) + hidden_states"), "The input of the layer is "
         "added at the end. Which parts add the residuals already?"),
    Slip(typing("(attended)|wide, attended",
                "(attended + hidden_states)|wide, attended + hidden_states"), "The input of the "
         "layer is added to what attention returns. Which part has added it already?"),
    Slip(typing("(attended)", "(attended + hidden_states)"), "The feed-forward network gets what "
         "attention returns and the input of the layer. Which part has added them already?"),
    Slip(typing("(wide, attended)", "(attended, wide)"), "output does not get the wide "
         "vectors first. Which of its arguments is wide, and which is the residual?"),
    Slip(typing("self.attention(", "self.attention.self("), "Your first half is self-attention "
         "alone. What else does the block `attention` do?"),
    Slip(typing(_CALL, "(hidden_states, None, output_attentions)"), "Attention does not get the "
         "mask. Is it handed on?"),
    Slip(typing(_CALL, "(hidden_states, output_attentions, additive_mask)"), _EXCHANGED),
    Slip(typing(_CALL, "(hidden_states, additive_mask)"), "The map is missing. Is "
         "output_attentions handed on to attention, and is what comes back returned?"),
    Slip(typing("attended, probs = ", "attended = probs = "), _TUPLE),
    NO_BIAS,
]  # fmt: skip
_IF = "if output_hidden_states:\n            "  # what is collected in any case
_LATE = f"{_IF}states.append(hidden_states)|hidden_states, probs = layer|[hidden_states], []"
ENCODER = [
    Slip(typing(_CALL, "(hidden_states, None, output_attentions)"), "The mask does not reach the "
         "layers. Is it handed on to each of them?"),
    Slip(typing("(probs)", "(probs); additive_mask = None"), "Only the first layer gets the mask. "
         "What becomes of it in your loop?"),
    Slip(typing(", probs =|(probs)", ", additive_mask =|(additive_mask)"), "The map of one layer "
         "is the mask of the next. Which name does your loop give twice?"),
    Slip(typing(", probs =|, output_attentions)|(probs", ", additive_mask =|)|(additive_mask"),
         "What a layer returns beside the vectors takes the place of the mask. Which name does "
         "your loop give twice?"),
    Slip(typing(_CALL, "(hidden_states, additive_mask)"), "The maps are missing. Is "
         "output_attentions handed on to the layers?"),
    Slip(typing(_CALL, "(hidden_states, output_attentions, additive_mask)"), _EXCHANGED),
    Slip(typing("hidden_states, probs = ", "hidden_states = probs = "), _TUPLE),
    Slip(typing(f"{_IF}|layer(hidden_states", "|layer(states[0]"), "Every layer gets the "
         "embeddings. What should the second layer get?"),
    Slip(typing("= layer(", "= self.layer[0]("), "All layers compute with the weights of the "
         "first. Does each have its own turn?"),
    Slip(typing("in self.layer:", "in self.layer[::-1]:"), "Your layers run from the last to the "
         "first. In which order is the stack passed?"),
    Slip(typing("in self.layer:", "in self.layer[:-1]:"), "Your loop stops before the last layer. "
         "Does it go through all of self.layer, and how far is the return indented?"),
    Slip(typing("hidden_states, probs =|(probs)",
                "x, probs =|(probs); hidden_states = hidden_states + x"), "You add what went into "
         "a layer to what comes out. Who has added the residuals already?"),
    Slip(typing("[hidden_states], []", "[], []"), "What goes into the first layer is a hidden "
         "state, too. With what does the list begin?"),
    Slip(typing(_LATE, "|states.append(hidden_states); hidden_states, probs = layer|[], []"),
         "What comes out of the last layer is a hidden state, too. When does your loop collect?"),
    Slip(typing(_LATE,
                "|states.append(hidden_states); hidden_states, probs = layer|[hidden_states], []"),
         "Each hidden state is collected before its layer, so the first one stands twice and the "
         "last one is missing."),
    Slip(typing("states=tuple(states) if output_hidden_states|attentions=tuple(attentions) if "
                "output_attentions",
                "states=tuple(attentions) if output_attentions|attentions=tuple(states) if "
                "output_hidden_states"), "Maps and hidden states have changed places in the "
         "result. Which belong under hidden_states?"),
    Slip(typing("hidden_states=tuple|attentions=tuple", "pooler_output=tuple|hidden_states=tuple"),
         "Without their names the fields of a BertModelOutput are filled in turn, and the second "
         "is pooler_output. Write hidden_states=… and attentions=…."),
    Slip(typing("if output_hidden_states else|(attentions) if output_attentions",
                "if output_attentions else|(attentions) if output_hidden_states"),
         "output_attentions and output_hidden_states have changed places. Which of them asks for "
         "the maps?"),
    Slip(typing("attentions.append(probs)", "attentions = [probs]"), "Only the map of the last "
         "layer is there. Does the list grow?"),
    Slip(typing(f"{_IF}|(\n        hidden_states,", "|(\n        states[0],"),
         "last_hidden_state is what went into the first layer. What comes out of the last one?"),
    Slip(typing(f"{_IF}|(\n        hidden_states,", "|(\n        states[-2],"),
         "last_hidden_state is what went into the last layer. What comes out of it?"),
]  # fmt: skip
