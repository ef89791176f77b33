"""One layer of BERT: attention, then a small network for every token on its own. Chapter 9."""

from jaxtyping import Float
from torch import Tensor, nn

from .attention import BertAttention
from .config import ACTIVATIONS, BertConfig
from .parts import part


class BertIntermediate(nn.Module):
    """Widen every token's vector and apply the activation: the first half of the feed-forward.

    ``gelu(dense(hidden_states))``, with the activation that `config.hidden_act` names.

    >>> import torch
    >>> BertIntermediate(BertConfig.tiny())(torch.randn(1, 5, 128)).shape
    torch.Size([1, 5, 512])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(
        self, hidden_states: Float[Tensor, "batch seq hidden"]
    ) -> Float[Tensor, "batch seq intermediate"]:
        """Return the vectors of `hidden_states`, as wide as `intermediate_size` says."""
        return self.activation(self.dense(hidden_states))  # (batch, seq, intermediate)


class BertOutput(nn.Module):
    """Narrow the vectors again, and add them to what came out of attention.

    ``LayerNorm(dropout(dense(hidden_states)) + input_tensor)``: post-norm, as after attention.

    >>> import torch
    >>> config = BertConfig.tiny()
    >>> wide, narrow = torch.ones(1, 4, config.intermediate_size), torch.zeros(1, 4, 128)
    >>> BertOutput(config)(wide, narrow).shape  # (batch, seq, hidden)
    torch.Size([1, 4, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)
        self.LayerNorm = part(nn.LayerNorm)(config.hidden_size, config.layer_norm_eps)
        self.dropout = part(nn.Dropout)(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq intermediate"],
        input_tensor: Float[Tensor, "batch seq hidden"],
    ) -> Float[Tensor, "batch seq hidden"]:
        """Return the wide `hidden_states`, narrowed and added to `input_tensor`."""
        narrow = self.dropout(self.dense(hidden_states))  # (batch, seq, hidden)
        return self.LayerNorm(narrow + input_tensor)


class BertLayer(nn.Module):
    """Look around, then think: attention and feed-forward, each with its residual and LayerNorm.

    ``a = LayerNorm(x + attention(x))`` and ``y = LayerNorm(a + feed_forward(a))``.

    Source: Vaswani et al. (2017), section 3.1; Devlin et al. (2019), section 3.

    >>> import torch
    >>> layer = BertLayer(BertConfig.tiny())
    >>> hidden_states, probs = layer(torch.randn(1, 5, 128), output_attentions=True)
    >>> hidden_states.shape, probs.shape
    (torch.Size([1, 5, 128]), torch.Size([1, 2, 5, 5]))
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = part(BertAttention)(config)
        self.intermediate = part(BertIntermediate)(config)
        self.output = part(BertOutput)(config)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Return the vectors after the layer, and the attention weights if they are wanted.

        `hidden_states`, `additive_mask`, `output_attentions`: as `BertSelfAttention` takes them.
        """
        attended, probs = self.attention(hidden_states, additive_mask, output_attentions)
        wide = self.intermediate(attended)  # (batch, seq, intermediate)
        return self.output(wide, attended), probs  # (batch, seq, hidden)
