"""No padding at all: the tokens of all sentences in one row, each hearing its own sentence only.

Replaces minibert.model.BertEncoder and minibert.attention.BertSelfAttention. Chapter 23.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from minibert.config import BertConfig
from minibert.inputs import is_compiling
from minibert.model import BertEncoder, BertModelOutput

from .attention import FastSelfAttention

HAS_VARLEN = find_spec("torch.nn.attention.varlen") is not None  # in PyTorch from 2.10 on


def block_mask(
    lengths: Sequence[int], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "1 1 seq seq"]:
    """Return a mask that hides from every token of a row all sentences but its own.

    ``block_mask[0, 0, i, j] = 0`` if tokens i and j are of the same sentence, otherwise the most
    negative finite number of `dtype`; `lengths` are those of the sentences, in order.

    >>> block_mask([1, 2])[0, 0] < 0
    tensor([[False,  True,  True],
            [ True, False, False],
            [ True, False, False]])
    """
    if not lengths or min(lengths) < 1:
        raise ValueError(f"every sentence needs at least 1 token, not {list(lengths)}")
    sentence = torch.repeat_interleave(torch.tensor(lengths))  # (tokens)
    hidden = sentence[:, None] != sentence  # (tokens, tokens)
    return hidden.to(dtype)[None, None] * torch.finfo(dtype).min


class UnpaddedEncoder(BertEncoder):
    """Pack the real tokens of a batch into one row, send it through all layers, and unpack it.

    What comes out at padding is 0. An `UnpaddedSelfAttention` gets the offsets of the sentences,
    any other a `block_mask`. A mask that hides more than padding, and the wish for attention
    weights, are left to the plain way. How many tokens are real decides about shapes, for which a
    GPU has to wait and which a compiler cannot follow: `pack` makes rows of one size beforehand.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> BertModelOutput:
        """Pass the vectors of the real tokens through the stack."""
        real = None if output_attentions else _real_tokens(additive_mask)  # (batch, seq)
        if real is None:
            wishes = output_attentions, output_hidden_states
            return super().forward(hidden_states, additive_mask, *wishes)
        row = hidden_states[real][None]  # (1, tokens, hidden)
        lengths = real.sum(dim=1)  # (batch)
        informed = [part for part in self.modules() if isinstance(part, UnpaddedSelfAttention)]
        if len(informed) == len(self.layer):
            mask = functional.pad(lengths.cumsum(0), (1, 0)).double()  # (batch + 1), for a mask
        else:
            mask = block_mask(lengths.tolist(), row.dtype).to(row)
        output = super().forward(row, mask, False, output_hidden_states)
        states = [_unpack(state, real) for state in output.hidden_states or ()]
        return output._replace(
            last_hidden_state=_unpack(output.last_hidden_state, real),
            hidden_states=tuple(states) if output_hidden_states else None,
        )


class UnpaddedSelfAttention(FastSelfAttention):
    """Attend within each sentence of a row of many; without offsets, as `FastSelfAttention`.

    The offsets of the sentences come in the place of the mask, as a tensor with one dimension:
    where each begins, and where the last one ends. One that ends where it begins is none. On a GPU,
    in 16 bits and without dropout of the weights, PyTorch's kernel for sequences of various lengths
    (varlen) takes all sentences at once. Elsewhere they go one after the other.

    Source: Dao (2024), FlashAttention-2, whose lengths are called cu_seqlens.

    >>> attention = UnpaddedSelfAttention(BertConfig.tiny()).eval()
    >>> x, offsets = torch.rand(1, 5, 128), torch.tensor([0.0, 3.0, 5.0])  # 3 tokens, and 2
    >>> alone, together = attention(x[:, :3])[0], attention(x, offsets)[0]
    >>> torch.allclose(together[:, :3], alone, atol=1e-6)
    True
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.longest = config.max_position_embeddings

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Compute the context of every token out of its own sentence, without any weights."""
        if additive_mask is None or additive_mask.dim() != 1:
            return super().forward(hidden_states, additive_mask, output_attentions)
        parts, offsets = self.project(hidden_states), additive_mask.int()
        if self._has_kernel(parts[0]):
            return self._all_at_once(parts, offsets), None  # (1, tokens, hidden)
        lengths = [length for length in offsets.diff().tolist() if length]
        return self._one_by_one(parts, lengths), None

    def _one_by_one(self, parts: list[Tensor], lengths: list[int]) -> Tensor:
        """Cut the row into sentences, and let each attend to itself."""
        cut = [self.split_heads(part).split(lengths, dim=2) for part in parts]
        contexts = [self._attend(*sentence) for sentence in zip(*cut, strict=True)]
        return self.join_heads(torch.cat(contexts, dim=2))  # (1, tokens, hidden)

    def _attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Compute the context of one sentence, (1, heads, length, head_size)."""
        if self._may_fuse(query, None):
            return functional.scaled_dot_product_attention(query, key, value)
        return self._write_out(query, key, value, None)[0]

    def _has_kernel(self, query: Tensor) -> bool:
        """Return whether the kernel takes it: on a GPU, in 16 bits, without dropout."""
        drops = self.training and self.dropout.p > 0
        in_16_bits = query.dtype in (torch.bfloat16, torch.float16)
        return HAS_VARLEN and query.is_cuda and in_16_bits and not drops

    def _all_at_once(self, parts: list[Tensor], offsets: Tensor) -> Tensor:
        """Attend with one kernel for all sentences, imported here since it imports the compiler."""
        from torch.nn.attention.varlen import varlen_attn

        query, key, value = (part[0].unflatten(-1, (-1, self.head_size)) for part in parts)
        ends = offsets, offsets, self.longest, self.longest  # of the queries, and of the keys
        context: Any = varlen_attn(query, key, value, *ends)  # (tokens, heads, head_size)
        return context.flatten(1)[None]  # (1, tokens, hidden)


def _real_tokens(additive_mask: Tensor | None) -> Tensor | None:
    """Return which tokens a mask of padding leaves visible; None if there is no use in packing."""
    if additive_mask is None or additive_mask.dim() != 4 or is_compiling():
        return None
    if additive_mask.shape[1:3] != (1, 1):  # not one row for each sentence
        return None
    real = additive_mask[:, 0, 0] == 0  # (batch, seq)
    return real if bool(real.any(dim=1).all()) and not bool(real.all()) else None


def _unpack(row: Tensor, real: Tensor) -> Tensor:
    """Put the tokens of a row back to where they were in the batch, (batch, seq, hidden)."""
    padded = row.new_zeros(*real.shape, row.shape[-1])
    return padded.masked_scatter(real[..., None], row)
