"""Batches of one size without padding, packed before the model sees them, and a model for them.

No entry decides about a shape, and nothing has to be read back: a GPU does not wait, and a compiler
makes one graph. Chapter 23.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert.heads import BertLMPredictionHead
from minibert.losses import IGNORED_LABEL, masked_lm_loss
from minibert.pretraining import BertForMaskedLM, MaskedLMOutput

from .unpadded import UnpaddedSelfAttention

Row = Mapping[str, Shaped[Tensor, "..."]]


class PackedShape(NamedTuple):
    """The sizes of a packed batch.

    Args:
        tokens: Positions of the row.
        sentences: Room for so many sentences, with those of filler at the end.
        labels: Room for so many labeled positions.
        longest: The most tokens of a sentence.
    """

    tokens: int
    sentences: int
    labels: int
    longest: int


def _sentence_lengths(rows: Sequence[Row], shape: PackedShape) -> list[int]:
    """List the lengths of the rows, then of the sentences of filler that end the packed row."""
    lengths = [len(row["input_ids"]) for row in rows]
    left = shape.tokens - sum(lengths)
    return lengths + [min(shape.longest, left - at) for at in range(0, left, shape.longest)]


def _count_row_labels(rows: Sequence[Row]) -> int:
    return sum(int((row["labels"] != IGNORED_LABEL).sum()) for row in rows)


def _fits(rows: Sequence[Row], shape: PackedShape) -> bool:
    lengths = _sentence_lengths(rows, shape)
    enough = sum(lengths) <= shape.tokens and len(lengths) <= shape.sentences
    short = bool(rows) and max(lengths) <= shape.longest
    return enough and short and _count_row_labels(rows) <= shape.labels


def pack(
    rows: Sequence[Row], shape: PackedShape, filler: int = 0
) -> dict[str, Shaped[Tensor, "..."]]:
    """Pack rows of tokens with labels into one row of a fixed size.

    What is left over at the end is filled up with sentences of filler without labels, so that every
    position belongs to a sentence. The last offset and the label -100 fill the other tables.

    Args:
        rows: Each with ``input_ids`` and ``labels`` of the same length, perhaps ``token_type_ids``.
        shape: How large the batch is.
        filler: Id of the padding token.

    Returns:
        ``input_ids``, ``position_ids`` and perhaps ``token_type_ids`` of shape (1, tokens);
        ``offsets`` of shape (sentences + 1), where each sentence begins and the last one ends;
        ``places`` and ``labels`` of shape (labels), the labeled positions and their true words.

    >>> row = {"input_ids": torch.tensor([7, 8, 9]), "labels": torch.tensor([-100, 5, -100])}
    >>> batch = pack([row, row], PackedShape(tokens=8, sentences=4, labels=3, longest=4))
    >>> batch["position_ids"], batch["offsets"]
    (tensor([[0, 1, 2, 0, 1, 2, 0, 1]]), tensor([0., 3., 6., 8., 8.], dtype=torch.float64))
    >>> batch["places"], batch["labels"]
    (tensor([1, 4, 0]), tensor([   5,    5, -100]))
    """
    if not _fits(rows, shape):
        lengths = [len(row["input_ids"]) for row in rows]
        raise ValueError(
            f"{len(rows)} rows of {sum(lengths)} tokens with {_count_row_labels(rows)} labels do "
            f"not fit into {shape}; give fewer and shorter ones, or see `packed_batches`"
        )
    lengths = _sentence_lengths(rows, shape)
    ends = torch.tensor([0, *lengths]).cumsum(0)  # (sentences of rows and of filler + 1)
    labels = _join([row["labels"] for row in rows], shape.tokens, IGNORED_LABEL)
    (places,) = torch.nonzero(labels != IGNORED_LABEL, as_tuple=True)
    batch = {
        name: _join([row[name] for row in rows], shape.tokens, value)[None]
        for name, value in (("input_ids", filler), ("token_type_ids", 0))
        if name in rows[0]
    }
    return batch | {
        "position_ids": torch.cat([torch.arange(length) for length in lengths])[None],
        "offsets": _join([ends], shape.sentences + 1, shape.tokens).double(),
        "places": _join([places], shape.labels, 0),
        "labels": _join([labels[places]], shape.labels, IGNORED_LABEL),
    }


def _join(pieces: Iterable[Tensor], size: int, filler: int) -> Tensor:
    joined = torch.full((size,), filler)
    pieces = torch.cat([*pieces])
    joined[: len(pieces)] = pieces
    return joined


def packed_batches(
    rows: Iterable[Row], shape: PackedShape, filler: int = 0
) -> Iterator[dict[str, Shaped[Tensor, "..."]]]:
    """Yield batches of rows in their order, as `pack` makes them of `rows`, `shape` and `filler`.

    A new batch begins where a row does not fit.

    >>> row = {"input_ids": torch.tensor([7, 8, 9]), "labels": torch.tensor([-100, 5, -100])}
    >>> shape = PackedShape(tokens=8, sentences=4, labels=3, longest=4)
    >>> [batch["offsets"].tolist() for batch in packed_batches([row] * 3, shape)]
    [[0.0, 3.0, 6.0, 8.0, 8.0], [0.0, 3.0, 7.0, 8.0, 8.0]]
    """
    waiting: list[Row] = []
    for row in rows:
        if not _fits([row], shape):
            raise ValueError(
                f"a row of {len(row['input_ids'])} tokens with {_count_row_labels([row])} labels "
                f"does not fit into {shape}; cut it"
            )
        if not _fits([*waiting, row], shape):
            yield pack(waiting, shape, filler)
            waiting = []
        waiting.append(row)
    if waiting:
        yield pack(waiting, shape, filler)


def plain_word_loss(
    head: BertLMPredictionHead,
    vectors: Float[Tensor, "labels hidden"],
    labels: Int[Tensor, " labels"],
) -> Float[Tensor, ""]:
    """Score all words for each vector, and compute the mean loss of the labels."""
    return masked_lm_loss(head(vectors), labels)


class PackedMaskedLM(nn.Module):
    """Train a masked-word model on batches that name the places of their labels.

    ``loss = masked_lm_loss(cls(encoder(embeddings(ids))[places]), labels)``, with the weights of
    the model, which are trained. Words are scored at the labeled positions only.

    Args:
        model: Built while `UnpaddedSelfAttention` played, if its batches have offsets.
        word_loss: Gives the loss of the labeled words, called with the head that scores words, its
            vectors (labels, hidden) and the labels.
    """

    def __init__(
        self, model: BertForMaskedLM, word_loss: Callable[..., Tensor] = plain_word_loss
    ) -> None:
        super().__init__()
        self.model, self.word_loss = model, word_loss

    def forward(
        self,
        input_ids: Int[Tensor, "rows tokens"],
        places: Int[Tensor, " labels"],
        labels: Int[Tensor, " labels"],
        position_ids: Int[Tensor, "rows tokens"] | None = None,
        offsets: Float[Tensor, " ends"] | None = None,
        token_type_ids: Int[Tensor, "rows tokens"] | None = None,
    ) -> MaskedLMOutput:
        """Return the loss of a batch, and no scores.

        `input_ids`, `position_ids`, `token_type_ids`, `offsets`, `places` and `labels` are as
        `pack` returns them; without `offsets` each row is one sentence.
        """
        bert, head = self.model.bert, self.model.cls.predictions
        if offsets is not None:
            _require_offsets_known(bert.encoder)
        states = bert.embeddings(input_ids, token_type_ids, position_ids)  # (rows, tokens, hidden)
        states = bert.encoder(states, offsets).last_hidden_state.flatten(0, 1)
        return MaskedLMOutput(self.word_loss(head, states.index_select(0, places), labels))


def _require_offsets_known(encoder: nn.Module) -> None:
    """Raise unless every layer attends within the sentences of a packed row."""
    for name, attention in encoder.named_modules():
        if name.endswith("attention.self") and not isinstance(attention, UnpaddedSelfAttention):
            raise ValueError(
                f"{type(attention).__name__} does not know where a sentence of a packed row ends; "
                "build the model in a block of override({BertSelfAttention: UnpaddedSelfAttention})"
            )
