"""From ids to the vectors that enter the first layer. Chapter 7."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .config import BertConfig
from .inputs import check_tokens, require_multiple
from .parts import part


class BertEmbeddings(nn.Module):
    """Add up what a token is, where it stands and to which segment it belongs.

    ``dropout(LayerNorm(word[input_ids] + position[position_ids] + token_type[token_type_ids]))``,
    each of the three a learned table. The row of the padding token starts at 0 and stays there.

    Source: Devlin et al. (2019), section 3, figure 2. Numpy twin:
    minibert.reference.embedding_lookup, minibert.reference.layer_norm.

    >>> embeddings = BertEmbeddings(BertConfig.tiny(vocab_size=89))
    >>> embeddings(torch.tensor([[1, 5, 2], [1, 7, 2]])).shape
    torch.Size([2, 3, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        hidden = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, hidden, config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, hidden)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, hidden)
        self.LayerNorm = part(nn.LayerNorm)(hidden, config.layer_norm_eps)
        self.dropout = part(nn.Dropout)(config.hidden_dropout_prob)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
    ) -> Float[Tensor, "batch seq hidden"]:
        """Return the sum of three vectors for each token, normalized.

        Args:
            input_ids: Ids from 0 to ``vocab_size - 1``. Give these or `inputs_embeds`, not both.
            token_type_ids: Segment of each token, 0 to ``type_vocab_size - 1``; all 0 by default.
            position_ids: Place of each token, below `max_position_embeddings`; 0, 1, … by default.
            inputs_embeds: One vector for each token instead of the one from the table of words.
        """
        check_tokens(self, input_ids, token_type_ids, position_ids, inputs_embeds)
        words = self.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        if token_type_ids is None:
            token_type_ids = torch.zeros(1, dtype=torch.long, device=words.device)  # (1)
        if position_ids is None:
            position_ids = torch.arange(words.shape[1], device=words.device)  # (seq)
        segments = self.token_type_embeddings(token_type_ids)  # (batch, seq, hidden) or (1, hidden)
        positions = self.position_embeddings(position_ids)  # (batch, seq, hidden) or (seq, hidden)
        embeddings = words + (segments + positions)  # (batch, seq, hidden)
        return self.dropout(self.LayerNorm(embeddings))


def sinusoidal_positions(
    seq: int, hidden_size: int, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "{seq} {hidden_size}"]:
    """Return the fixed position vectors of the first transformer, which BERT learns instead.

    ``PE[pos, 2i] = sin(pos / 10000 ** (2i / hidden_size))`` and ``PE[pos, 2i + 1]`` is the cosine
    of the same angle: clock hands, each pair slower than the one before. There are `seq` positions,
    at least 1, with vectors of `hidden_size` numbers, which is even. The angles are computed in
    float64, and the result is in `dtype`.

    Source: Vaswani et al. (2017), section 3.5.

    >>> sinusoidal_positions(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    require_multiple("hidden_size", hidden_size, 2, "a pair of sine and cosine")
    even = torch.arange(0, hidden_size, 2, dtype=torch.float64)  # (pairs)
    angles = torch.arange(seq)[:, None] / 10000 ** (even / hidden_size)  # (seq, pairs)
    points = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (seq, pairs, 2)
    return points.flatten(1).to(dtype)  # (seq, hidden)
