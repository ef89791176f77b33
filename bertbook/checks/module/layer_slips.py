"""The usual mistakes in the frame of a half, in layers and in their stack. Chapter 8."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from minibert.model import BertModelOutput

from .slip import NO_BIAS, NO_NORM, Slip, computing, epsilons, putting


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


def _layer(
    self: Any,
    x: Tensor,
    mask: Tensor | None = None,
    output_attentions: bool = False,
    *,
    second_half: bool = True,
    deaf: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Take the layer's input for the road or the network of the second half, or leave it out."""
    attended, probs = self.attention(x, mask, output_attentions)
    heard, kept = (x, attended) if deaf else (attended, x)
    return self.output(self.intermediate(heard), kept) if second_half else attended, probs


def _encoder(
    self: Any,
    x: Tensor,
    mask: Tensor | None = None,
    output_attentions: bool = False,
    output_hidden_states: bool = False,
    *,
    step: int = 1,
    same: bool = False,
    masked: bool = True,
) -> BertModelOutput:
    """Pass the stack wrongly: backwards, always the same layer, or without the mask."""
    states, attentions = [x], []
    for one in self.layer[::step]:
        x, probs = (self.layer[0] if same else one)(x, mask if masked else None, output_attentions)
        states.append(x)
        attentions.append(probs)
    return BertModelOutput(
        x,
        hidden_states=tuple(states) if output_hidden_states else None,
        attentions=tuple(attentions) if output_attentions else None,
    )


FRAME = [
    Slip(computing(_without_residual), "Where does the token keep what it was? The residual has "
         "no effect."),
    Slip(computing(_norm_then_add), "You normalize and then add. In which order does BERT do "
         "it?"),
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
    Slip(putting("activation", nn.Identity()), "There is no activation. What stands after the "
         "linear layer?"),
]  # fmt: skip
ATTENTION = [
    Slip(computing(_pre_norm_attention), "LayerNorm comes first in your class, and nothing "
         "comes after the sum: pre-norm. When does BERT normalize?"),
    NO_BIAS,
]  # fmt: skip
LAYER = [
    Slip(computing(_pre_norm_layer), "LayerNorm comes first in both halves of your layer: "
         "pre-norm. When does BERT normalize?"),
    Slip(computing(_layer), "What your second half keeps is the input of the layer. What "
         "went into the feed-forward network?"),
    Slip(computing(_layer, deaf=True), "Your feed-forward network gets the input of the "
         "layer. What is it to think about?"),
    Slip(computing(_layer, second_half=False), "Your layer ends after attention. Where is "
         "the feed-forward network?"),
    NO_BIAS,
]  # fmt: skip
ENCODER = [
    Slip(computing(_encoder, masked=False), "The mask does not reach the layers. Is it "
         "handed on to each of them?"),
    Slip(computing(_encoder, same=True), "All layers compute with the weights of the first. "
         "Does each have its own turn?"),
    Slip(computing(_encoder, step=-1), "Your layers run from the last to the first. In "
         "which order is the stack passed?"),
]  # fmt: skip
