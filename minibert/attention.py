"""Self-attention with many heads: who may look at whom, who does, and what it brings home."""

import math

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn
from torch.nn import functional

from .config import BertConfig
from .dropout import Dropout


def additive_mask(
    attention_mask: Shaped[Tensor, "batch seq"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "batch 1 1 seq"]:
    """Turn a mask of ones and zeros into numbers to add to the scores of every head and query.

    ``additive_mask = (1 - attention_mask) * m``, with m the most negative finite number of `dtype`.
    It is finite so that a sentence of nothing but padding gets equal weights instead of NaN.
    Combine two such masks with ``torch.minimum``: their sum would be minus infinity.

    Parameters
    ----------
    attention_mask : Shaped[Tensor, "batch seq"]
        1 for a token that may be looked at, 0 for padding; integers, bools or floats.
    dtype : torch.dtype, default torch.float32
        The precision of the scores.

    Returns
    -------
    Float[Tensor, "batch 1 1 seq"]
        0 (in fact -0.0) or m; the new axes stand for every head and every query.

    Raises
    ------
    ValueError
        If the mask is not a table, or an entry is neither 0 nor 1. Entries on a GPU are not
        looked at, since the CPU would have to wait for them.

    References
    ----------
    Chapter 8.
    Numpy twin: minibert.reference.additive_mask.

    Examples
    --------
    >>> import torch
    >>> additive_mask(torch.tensor([[1, 1, 0]])) < 0
    tensor([[[[False, False,  True]]]])
    """
    if attention_mask.dim() != 2:
        raise ValueError(
            f"attention_mask must have the shape (batch, seq), not {tuple(attention_mask.shape)}"
        )
    if _may_look_at(attention_mask):
        strange = attention_mask[(attention_mask != 0) & (attention_mask != 1)]
        if strange.numel():
            raise ValueError(
                "attention_mask holds only 1 (may be looked at) and 0 (padding), not "
                f"{strange[0].item()}"
            )
    return (1 - attention_mask[:, None, None, :].to(dtype)) * torch.finfo(dtype).min


def mask_if_padded(
    attention_mask: Shaped[Tensor, "batch seq"],
) -> Float[Tensor, "batch 1 1 seq"] | None:
    """Return the additive mask, or None if every entry is 1: adding 0 everywhere is no work to do.

    Parameters
    ----------
    attention_mask : Shaped[Tensor, "batch seq"]
        1 for a token that may be looked at, 0 for padding.

    Returns
    -------
    Float[Tensor, "batch 1 1 seq"] or None
        ``additive_mask(attention_mask)``; on a GPU always, since looking at the entries would
        make the CPU wait for them.

    Raises
    ------
    ValueError
        As `additive_mask` does.

    References
    ----------
    Chapter 8.

    Examples
    --------
    >>> import torch
    >>> mask_if_padded(torch.ones(2, 3)) is None
    True
    """
    if _may_look_at(attention_mask) and (attention_mask == 1).all():
        return None
    return additive_mask(attention_mask)


def _may_look_at(tensor: Tensor) -> bool:
    """Say whether a look at the entries is free: on a GPU it is not, and a compiler cannot."""
    compiling = torch.compiler.is_compiling() or torch.jit.is_tracing()
    return tensor.device.type == "cpu" and not compiling


def causal_mask(seq: int, dtype: torch.dtype = torch.float32) -> Float[Tensor, "{seq} {seq}"]:
    """Hide the future, as a model that writes text must and BERT does not.

    ``causal_mask[i, j] = 0 if j <= i else m``, with m the most negative finite number of `dtype`.

    Parameters
    ----------
    seq : int
        Number of tokens, at least 1.
    dtype : torch.dtype, default torch.float32
        The precision of the scores.

    Returns
    -------
    Float[Tensor, "{seq} {seq}"]
        0 on and below the diagonal, m above it.

    Raises
    ------
    ValueError
        If `seq` is smaller than 1.

    References
    ----------
    Vaswani et al. (2017), section 3.2.3. Chapter 8.
    Numpy twin: minibert.reference.causal_mask.

    Examples
    --------
    >>> causal_mask(2) < 0
    tensor([[False,  True],
            [False, False]])
    """
    if seq < 1:
        raise ValueError(f"a causal mask needs at least 1 token, not {seq}")
    return torch.full((seq, seq), torch.finfo(dtype).min, dtype=dtype).triu(diagonal=1)


class BertSelfAttention(nn.Module):
    """Let every token ask all others a question, in several heads at once.

    In each head ``probs = softmax(query @ key.T / sqrt(head_size) + additive_mask)`` and
    ``context = dropout(probs) @ value``; the heads' contexts stand side by side in the result.

    Two ways lead there. Written out, the weights can be seen. PyTorch's fused function, SDPA, never
    stores them and is faster, but not with dropout on a CPU; and where a query may look at nothing,
    its gradient is wrong. In these cases, too, attention is written out.

    Parameters
    ----------
    config : BertConfig
        Gives hidden_size, the number of heads and the dropout of the weights.

    References
    ----------
    Vaswani et al. (2017), section 3.2.2. Chapter 8.
    Numpy twin: minibert.reference.attention.

    Examples
    --------
    >>> import torch
    >>> attention = BertSelfAttention(BertConfig.tiny()).eval()
    >>> context, probs = attention(torch.randn(1, 5, 128), return_attention=True)
    >>> context.shape, probs.shape
    (torch.Size([1, 5, 128]), torch.Size([1, 2, 5, 5]))
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.head_size = config.head_size
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = Dropout(config.attention_probs_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        return_attention: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Attend.

        Parameters
        ----------
        hidden_states : Float[Tensor, "batch seq hidden"]
            One vector per token.
        additive_mask : float tensor that broadcasts to shape (batch, heads, seq, seq), optional
            0 where a query may look, the most negative number where not.
        return_attention : bool, default False
            Whether to return the weights.

        Returns
        -------
        context : Float[Tensor, "batch seq hidden"]
            One vector per token.
        probs : Float[Tensor, "batch heads seq seq"] or None
            The weights that made it, if asked for: row i says how much token i looks at each
            token. Rows sum to 1; in training, dropout has already thinned them.

        Raises
        ------
        TypeError, ValueError
            If the mask is not made of floats or does not fit the scores.
        """
        query = self._split_heads(self.query(hidden_states))
        key = self._split_heads(self.key(hidden_states))
        value = self._split_heads(self.value(hidden_states))
        if additive_mask is not None:
            additive_mask = _fit_mask(additive_mask, query)
        if return_attention or self._must_write_out(query, additive_mask):
            context, probs = self._written_out(query, key, value, additive_mask)
        else:
            dropout_p = self.dropout.p if self.training else 0.0
            context = functional.scaled_dot_product_attention(
                query, key, value, additive_mask, dropout_p
            )
            probs = None
        return self._join_heads(context), probs if return_attention else None

    def _written_out(
        self, query: Tensor, key: Tensor, value: Tensor, additive_mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Compute the scores, the weights and the context one after the other."""
        scores = (query / math.sqrt(self.head_size)) @ key.transpose(-1, -2)
        if additive_mask is not None:
            scores = scores + additive_mask
        probs = self.dropout(scores.softmax(dim=-1))
        return probs @ value, probs

    def _split_heads(self, x: Tensor) -> Tensor:
        """Go from (batch, seq, hidden) to (batch, heads, seq, head_size)."""
        return x.unflatten(-1, (-1, self.head_size)).transpose(1, 2)

    def _join_heads(self, x: Tensor) -> Tensor:
        """Go back from (batch, heads, seq, head_size) to (batch, seq, hidden)."""
        return x.transpose(1, 2).flatten(2)

    def _must_write_out(self, query: Tensor, additive_mask: Tensor | None) -> bool:
        """Say where SDPA is slower, or where its gradient is wrong."""
        drops_on_cpu = self.training and self.dropout.p > 0 and query.device.type == "cpu"
        masked = query.requires_grad and additive_mask is not None
        return drops_on_cpu or (masked and _hides_a_row(additive_mask))


def _hides_a_row(additive_mask: Tensor) -> bool:
    """Say whether some query may look at nothing, if a look at the mask is free.

    For such a row SDPA recomputes every weight as exp(m - (m + log(seq))). Next to m the logarithm
    is lost, so its gradient comes out seq times too large.
    """
    return _may_look_at(additive_mask) and bool((additive_mask.amax(dim=-1) < 0).any())


def _fit_mask(additive_mask: Tensor, query: Tensor) -> Tensor:
    """Check a mask and bring it to the dimensions and the precision of the scores."""
    if not additive_mask.is_floating_point():
        raise TypeError(
            f"an additive mask holds floats, 0 or very negative, not {additive_mask.dtype}; make "
            "one with additive_mask(attention_mask)"
        )
    scores = (*query.shape[:-1], query.shape[-2])
    try:
        additive_mask.expand(scores)
    except RuntimeError:
        raise ValueError(
            f"an additive mask of shape {tuple(additive_mask.shape)} does not fit scores of shape "
            f"{scores}, (batch, heads, seq, seq)"
        ) from None
    four = additive_mask.reshape((1,) * (4 - additive_mask.dim()) + additive_mask.shape)
    # The most negative number of a wider type would become minus infinity.
    return four.to(query.dtype).clamp(min=torch.finfo(query.dtype).min)


class BertSelfOutput(nn.Module):
    """Mix what the heads found, and add it to what the token already was.

    ``LayerNorm(dropout(dense(hidden_states)) + input_tensor)``: the normalization comes after the
    sum (post-norm).

    Parameters
    ----------
    config : BertConfig
        Gives hidden_size, the dropout and LayerNorm's epsilon.

    References
    ----------
    Vaswani et al. (2017), section 3.1. Chapter 8.
    Numpy twin: minibert.reference.linear, minibert.reference.layer_norm.

    Examples
    --------
    >>> import torch
    >>> output = BertSelfOutput(BertConfig.tiny())
    >>> output(torch.randn(1, 5, 128), torch.randn(1, 5, 128)).shape
    torch.Size([1, 5, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        input_tensor: Float[Tensor, "batch seq hidden"],
    ) -> Float[Tensor, "batch seq hidden"]:
        """Mix, add and normalize.

        Parameters
        ----------
        hidden_states : Float[Tensor, "batch seq hidden"]
            The contexts of all heads, side by side.
        input_tensor : Float[Tensor, "batch seq hidden"]
            What went into attention.

        Returns
        -------
        Float[Tensor, "batch seq hidden"]
            One vector per token.
        """
        return self.LayerNorm(self.dropout(self.dense(hidden_states)) + input_tensor)


class BertAttention(nn.Module):
    """Join self-attention and its output: the first half of a layer.

    ``output(self_attention(hidden_states), hidden_states)``.

    Parameters
    ----------
    config : BertConfig
        Gives the sizes.

    References
    ----------
    Vaswani et al. (2017), section 3.1. Chapter 8.

    Examples
    --------
    >>> import torch
    >>> attention_output, probs = BertAttention(BertConfig.tiny())(torch.randn(1, 5, 128))
    >>> attention_output.shape
    torch.Size([1, 5, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.self = BertSelfAttention(config)
        self.output = BertSelfOutput(config)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        return_attention: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Attend, mix, add and normalize.

        Parameters
        ----------
        hidden_states : Float[Tensor, "batch seq hidden"]
            One vector per token.
        additive_mask : float tensor that broadcasts to shape (batch, heads, seq, seq), optional
            0 where a query may look, the most negative number where not.
        return_attention : bool, default False
            Whether to return the weights.

        Returns
        -------
        attention_output : Float[Tensor, "batch seq hidden"]
            One vector per token.
        probs : Float[Tensor, "batch heads seq seq"] or None
            The weights, if asked for.
        """
        context, probs = self.self(hidden_states, additive_mask, return_attention)
        return self.output(context, hidden_states), probs
