"""Self-attention with many heads: who may be looked at, who is, and what comes of it. Chapter 8."""

import math

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from .config import BertConfig
from .inputs import FLOATS, entries_can_be_read, require_entries, require_tensor
from .parts import part


def additive_mask(
    attention_mask: Shaped[Tensor, "batch seq"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "batch 1 1 seq"]:
    """Return what a mask of ones and zeros adds to the scores of every head and query.

    ``(1 - attention_mask) * m``, with m the most negative finite number of `dtype`: so a sentence
    of nothing but padding gets weights instead of NaN. Combine two such masks with
    ``torch.minimum``: their sum would be minus infinity.

    Args:
        attention_mask: 1 for a token that may be looked at, 0 for padding. On a GPU the entries are
            not read, since the CPU would have to wait for them.
        dtype: The precision of the scores.

    Numpy twin: minibert.reference.additive_mask.

    >>> additive_mask(torch.tensor([[1, 1, 0]])) < 0
    tensor([[[[False, False,  True]]]])
    """
    require_tensor("attention_mask", attention_mask, (), [("batch", "seq")])
    if entries_can_be_read(attention_mask):
        fits = (attention_mask == 0) | (attention_mask == 1)
        require_entries("attention_mask", attention_mask, fits, "is 1, or 0 (padding)")
    hidden = 1 - attention_mask[:, None, None, :].to(dtype)  # (batch, 1, 1, seq)
    return hidden * torch.finfo(dtype).min


def causal_mask(seq: int, dtype: torch.dtype = torch.float32) -> Float[Tensor, "{seq} {seq}"]:
    """Return a mask that hides the future, as a model that writes text needs and BERT does not.

    ``causal_mask[i, j] = 0 if j <= i else m``, with m the most negative finite number of `dtype`,
    for `seq` tokens.

    Source: Vaswani et al. (2017), section 3.2.3. Numpy twin: minibert.reference.causal_mask.

    >>> causal_mask(2) < 0
    tensor([[False,  True],
            [False, False]])
    """
    lowest = torch.full((seq, seq), torch.finfo(dtype).min, dtype=dtype)  # (seq, seq)
    return lowest.triu(diagonal=1)


class BertSelfAttention(nn.Module):
    """Let every token look at all tokens, in several heads at once.

    In each head ``probs = softmax(query @ key.T / sqrt(head_size) + additive_mask)`` and
    ``context = dropout(probs) @ value``; the heads' contexts stand side by side in the result.

    Source: Vaswani et al. (2017), section 3.2.2. Numpy twin: minibert.reference.attention.

    >>> attention = BertSelfAttention(BertConfig.tiny()).eval()
    >>> context, probs = attention(torch.randn(1, 5, 128), output_attentions=True)
    >>> context.shape, probs.shape
    (torch.Size([1, 5, 128]), torch.Size([1, 2, 5, 5]))
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.head_size = config.head_size
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = part(nn.Dropout)(config.attention_probs_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Return the context of every token, and on request the weights that made it.

        Args:
            hidden_states: One vector per token.
            additive_mask: 0 where a query may look, the most negative number where not; broadcasts
                to shape (batch, heads, seq, seq).
            output_attentions: Whether to return the weights: row i says how much token i looks at
                each token. Rows sum to 1; in training, dropout has already thinned them.
        """
        query = self.split_heads(self.query(hidden_states))  # (batch, heads, seq, head_size)
        key = self.split_heads(self.key(hidden_states))  # (batch, heads, seq, head_size)
        value = self.split_heads(self.value(hidden_states))  # (batch, heads, seq, head_size)
        scores = query @ key.transpose(-1, -2)  # (batch, heads, seq, seq)
        scores = scores / math.sqrt(self.head_size)
        if additive_mask is not None:
            if additive_mask.dtype != scores.dtype:
                additive_mask = fit_mask(additive_mask, scores)
            scores = scores + additive_mask
        probs = self.dropout(scores.softmax(dim=-1))  # each row sums to 1
        context = self.join_heads(probs @ value)  # (batch, seq, hidden)
        return context, probs if output_attentions else None

    def split_heads(
        self, x: Float[Tensor, "batch seq hidden"]
    ) -> Float[Tensor, "batch heads seq head_size"]:
        """Return one piece per head of each vector of `x`, and let each head see all tokens."""
        pieces = x.unflatten(-1, (-1, self.head_size))  # (batch, seq, heads, head_size)
        return pieces.transpose(1, 2)  # (batch, heads, seq, head_size)

    def join_heads(
        self, x: Float[Tensor, "batch heads seq head_size"]
    ) -> Float[Tensor, "batch seq hidden"]:
        """Return the pieces of all heads of `x` side by side again."""
        pieces = x.transpose(1, 2)  # (batch, seq, heads, head_size)
        return pieces.flatten(2)  # (batch, seq, hidden)


def fit_mask(
    additive_mask: Shaped[Tensor, "..."], scores: Float[Tensor, "..."]
) -> Float[Tensor, "..."]:
    """Return an additive mask in the precision of the scores; raise if it is another mask."""
    name = "additive_mask, as additive_mask(attention_mask) makes it,"
    require_tensor(name, additive_mask, FLOATS)
    # The most negative number of a wider type would become minus infinity; so would that of
    # float16 plus a score, but half of it hides as well.
    return additive_mask.to(scores.dtype).clamp(min=torch.finfo(scores.dtype).min / 2)


class BertSelfOutput(nn.Module):
    """Mix what the heads found, and add it to what the token already was.

    ``LayerNorm(dropout(dense(hidden_states)) + input_tensor)``: the normalization comes after the
    sum (post-norm).

    >>> output = BertSelfOutput(BertConfig.tiny())
    >>> output(torch.ones(1, 4, 128), torch.zeros(1, 4, 128)).shape  # (batch, seq, hidden)
    torch.Size([1, 4, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = part(nn.LayerNorm)(config.hidden_size, config.layer_norm_eps)
        self.dropout = part(nn.Dropout)(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        input_tensor: Float[Tensor, "batch seq hidden"],
    ) -> Float[Tensor, "batch seq hidden"]:
        """Return the contexts of all heads, `hidden_states`, mixed and added to `input_tensor`."""
        mixed = self.dropout(self.dense(hidden_states))
        return self.LayerNorm(mixed + input_tensor)


class BertAttention(nn.Module):
    """Join self-attention and its output: the first half of a layer.

    ``output(self_attention(hidden_states), hidden_states)``.

    >>> BertAttention(BertConfig.tiny())(torch.randn(1, 5, 128))[0].shape
    torch.Size([1, 5, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.self = part(BertSelfAttention)(config)
        self.output = part(BertSelfOutput)(config)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Return the vectors after attention, and the weights if they are wanted.

        `hidden_states`, `additive_mask`, `output_attentions`: as `BertSelfAttention` takes them.
        """
        context, probs = self.self(hidden_states, additive_mask, output_attentions)
        return self.output(context, hidden_states), probs
