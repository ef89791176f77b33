"""From ids to the vectors that enter the first layer. Chapter 7."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from .config import BertConfig
from .parts import part


class BertEmbeddings(nn.Module):
    """Add up what a token is, where it stands and to which segment it belongs.

    ``dropout(LayerNorm(word[input_ids] + position[position_ids] + token_type[token_type_ids]))``,
    each of the three a learned table. The row of the padding token starts at 0 and stays there.
    `inputs_embeds` take the place of ``word[input_ids]``.

    Parameters
    ----------
    config : BertConfig
        Gives the sizes of the tables.

    References
    ----------
    Devlin et al. (2019), section 3, figure 2.
    Numpy twin: minibert.reference.embedding_lookup, minibert.reference.layer_norm.

    Examples
    --------
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
        self.LayerNorm = part("layer_norm")(hidden, config.layer_norm_eps)
        self.dropout = part("dropout")(config.hidden_dropout_prob)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
    ) -> Float[Tensor, "batch seq hidden"]:
        """Look up three vectors for each token, add them, and normalize.

        Parameters
        ----------
        input_ids : Int[Tensor, "batch seq"], optional
            Ids from 0 to ``vocab_size - 1``. Give these or `inputs_embeds`, not both.
        token_type_ids : Int[Tensor, "batch seq"], optional
            Segment of each token, 0 to ``type_vocab_size - 1``; all 0 by default.
        position_ids : Int[Tensor, "#batch seq"], optional
            Place of each token, 0 to ``max_position_embeddings - 1``; by default 0, 1, 2, ….
        inputs_embeds : Float[Tensor, "batch seq hidden"], optional
            One vector for each token instead of the one from the table of words; positions and
            segments are still added.

        Returns
        -------
        Float[Tensor, "batch seq hidden"]
            One vector per token; outside training each has mean 0 and variance 1 until LayerNorm
            learns otherwise.

        Raises
        ------
        TypeError
            If ids are not a tensor of integers, or vectors not one of floats.
        ValueError
            If none or both of ids and vectors are given, a shape does not fit, a sequence is too
            long, or an id has no row. An id is looked for only once the lookup itself has failed,
            so that good ids cost nothing. On a GPU the lookup fails with CUDA's own message.
        """
        self._check(input_ids, token_type_ids, position_ids, inputs_embeds)
        words = inputs_embeds
        if words is None:  # (batch, seq) becomes (batch, seq, hidden)
            words = _look_up(input_ids, self.word_embeddings, "input_ids", "vocab_size")  # pyright: ignore[reportArgumentType] (_check saw them)
        if token_type_ids is None:
            token_type_ids = torch.zeros(1, dtype=torch.long, device=words.device)  # (1)
        if position_ids is None:
            position_ids = torch.arange(words.shape[1], device=words.device)  # (seq)
        segments = _look_up(
            token_type_ids, self.token_type_embeddings, "token_type_ids", "type_vocab_size"
        )  # (batch, seq, hidden) or (1, hidden)
        positions = _look_up(
            position_ids, self.position_embeddings, "position_ids", "max_position_embeddings"
        )  # (batch, seq, hidden) or (seq, hidden)
        embeddings = words + (segments + positions)  # (batch, seq, hidden)
        return self.dropout(self.LayerNorm(embeddings))

    def _check(
        self,
        input_ids: Tensor | None,
        token_type_ids: Tensor | None,
        position_ids: Tensor | None,
        inputs_embeds: Tensor | None,
    ) -> None:
        """Raise if the arguments do not fit each other or the tables."""
        if (input_ids is None) == (inputs_embeds is None):
            given = "neither is" if input_ids is None else "both are"
            raise ValueError(f"give either input_ids or inputs_embeds; {given} given")
        if inputs_embeds is None:
            _require_ids(input_ids)  # pyright: ignore[reportArgumentType] (see above)
            batch, seq = input_ids.shape  # pyright: ignore[reportOptionalMemberAccess]
        else:
            _require_vectors(inputs_embeds, self.word_embeddings.embedding_dim)
            batch, seq, _ = inputs_embeds.shape
        longest = self.position_embeddings.num_embeddings
        if position_ids is None and seq > longest:
            raise ValueError(
                f"a sequence of {seq} tokens is longer than "
                f"max_position_embeddings ({longest}); truncate it, or cut it into windows"
            )
        if token_type_ids is not None:
            _require_shape("token_type_ids", token_type_ids, [(batch, seq)])
        if position_ids is not None:
            _require_shape("position_ids", position_ids, [(batch, seq), (1, seq)])


def _require_ids(input_ids: Tensor) -> None:
    _require_integers("input_ids", input_ids)
    shape = tuple(input_ids.shape)
    if len(shape) != 2:
        raise ValueError(
            f"input_ids must have the shape (batch, seq), not {shape}; one sentence is a batch of "
            "one, input_ids[None]"
        )
    if 0 in shape:
        raise ValueError(f"input_ids of shape {shape} hold no token; give at least one")


def _require_vectors(inputs_embeds: object, hidden: int) -> None:
    if not isinstance(inputs_embeds, Tensor) or not inputs_embeds.is_floating_point():
        kind = getattr(inputs_embeds, "dtype", type(inputs_embeds).__name__)
        raise TypeError(f"inputs_embeds must be a tensor of floats, not {kind}")
    shape = tuple(inputs_embeds.shape)
    if len(shape) != 3 or shape[2] != hidden or 0 in shape:
        raise ValueError(
            f"inputs_embeds must have the shape (batch, seq, {hidden}), with at least one token, "
            f"not {shape}"
        )


def _require_shape(name: str, ids: Tensor, shapes: list[tuple[int, int]]) -> None:
    _require_integers(name, ids)
    if not any(ids.shape == shape for shape in shapes):  # a set would need sizes of known value
        allowed = " or ".join(str(shape) for shape in dict.fromkeys(shapes))
        raise ValueError(
            f"{name} of shape {tuple(ids.shape)} do not fit the tokens; they need the shape "
            f"{allowed}"
        )


def _require_integers(name: str, ids: object) -> None:
    if not isinstance(ids, Tensor):
        raise TypeError(f"{name} must be a tensor of integers, not a {type(ids).__name__}")
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must be integers, torch.int64 or torch.int32, not {ids.dtype}")


def _look_up(ids: Tensor, table: Any, name: str, field: str) -> Tensor:
    """Look up ids in a table; if that fails, raise with the id that has no row."""
    try:
        return table(ids)
    except IndexError:
        outside = ids[(ids < 0) | (ids >= table.num_embeddings)]
        raise ValueError(
            f"{name} contain {outside[0].item()}, but with {field} = {table.num_embeddings} they "
            f"run from 0 to {table.num_embeddings - 1}"
        ) from None


def sinusoidal_positions(
    seq: int, hidden_size: int, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "{seq} {hidden_size}"]:
    """Compute the fixed position vectors of the first transformer, which BERT learns instead.

    ``PE[pos, 2i] = sin(pos / 10000 ** (2i / hidden_size))`` and ``PE[pos, 2i + 1]`` is the cosine
    of the same angle: clock hands, each pair slower than the one before.

    Parameters
    ----------
    seq : int
        Number of positions, at least 1.
    hidden_size : int
        Length of each vector, even.
    dtype : torch.dtype, default torch.float32
        Precision of the result; the angles are computed in float64.

    Returns
    -------
    Float[Tensor, "{seq} {hidden_size}"]
        Numbers from -1 to 1; moving on by k positions turns every pair by a fixed angle, which is
        a linear map.

    Raises
    ------
    ValueError
        If there is no position, or `hidden_size` is not a positive even number.

    References
    ----------
    Vaswani et al. (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_positions(2, 4)
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    if seq < 1:
        raise ValueError(f"seq ({seq}) must be at least 1; nearest is 1")
    if hidden_size < 2 or hidden_size % 2:
        nearest = f"{hidden_size - 1} and {hidden_size + 1}" if hidden_size > 2 else "2"
        raise ValueError(
            f"hidden_size ({hidden_size}) must be even, for pairs of sine and cosine; nearest: "
            f"{nearest}"
        )
    even = torch.arange(0, hidden_size, 2, dtype=torch.float64)  # (pairs)
    angles = torch.arange(seq)[:, None] / 10000 ** (even / hidden_size)  # (seq, pairs)
    points = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (seq, pairs, 2)
    return points.flatten(1).to(dtype)  # (seq, hidden)
