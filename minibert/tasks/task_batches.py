"""Batches of labeled rows for any task, in a new order in every epoch. Chapter 16."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from jaxtyping import Shaped
from torch import Tensor

from minibert.data import bucket_by_length
from minibert.inputs import require_number
from minibert.losses import ENDS_OF_ANSWER, IGNORED_LABEL
from minibert.wordpiece.encode_batch import pad_rows

Row = Mapping[str, Any]


class TaskBatches:
    """Turn labeled rows into the batches of fine-tuning, the same ones for the same seed.

    Rows that are about equally long make a batch; the order is drawn again in every epoch.

    Args:
        rows: Each with ``input_ids`` and ``token_type_ids``, lists of int of one length, and with
            what the model takes as labels: a number, or a list of numbers. They are not padded yet.
            ``start_positions`` and ``end_positions`` that lie beyond the row become -100, for the
            longer rows of a batch have tokens there.
        batch_size: Rows of a batch, at least 1; one batch of an epoch may have fewer.
        seed: At least 0.
        pad_token_id: The id of ``[PAD]``.
        per_token: The names of labels that are lists with one number for each token.

    >>> rows = [
    ...     {"input_ids": [2, 7, 3], "token_type_ids": [0, 0, 0], "labels": 1},
    ...     {"input_ids": [2, 3], "token_type_ids": [0, 0], "labels": 0},
    ... ]
    >>> (batch,) = TaskBatches(rows, batch_size=2, seed=0, pad_token_id=0)
    >>> batch["input_ids"].tolist(), batch["labels"].tolist()
    ([[2, 3, 0], [2, 7, 3]], [0, 1])
    """

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        batch_size: int,
        seed: int,
        pad_token_id: int,
        per_token: Sequence[str] = (),
    ) -> None:
        require_number("batch_size", batch_size, 1)
        require_number("seed", seed, 0)
        self.rows, self.batch_size, self.seed = list(rows), batch_size, seed
        self.pad_token_id, self.per_token = pad_token_id, tuple(per_token)
        self._check()

    @property
    def identity(self) -> dict[str, Any]:
        """Return what determines these batches; a run resumes only with the same."""
        check_sum = 0
        for row in self.rows:
            check_sum = zlib.crc32(repr(sorted(row.items())).encode(), check_sum)
        return {
            "seed": self.seed,
            "batch_size": self.batch_size,
            "rows": len(self.rows),
            "fingerprint_of_rows": check_sum,
        }

    def __len__(self) -> int:
        """Count the batches of an epoch."""
        return -(-len(self.rows) // self.batch_size)

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        """Return the batches of epoch 0, always the same ones: for evaluation."""
        return self.epoch(0)

    def epoch(self, number: int, start: int = 0) -> Iterator[dict[str, Shaped[Tensor, "..."]]]:
        """Yield the batches of epoch `number`, from batch `start` on, with ids, mask and labels."""
        rng = np.random.default_rng((self.seed, number))
        lengths = [len(row["input_ids"]) for row in self.rows]
        for bucket in islice(bucket_by_length(lengths, self.batch_size, rng=rng), start, None):
            yield self._batch([self.rows[place] for place in bucket])

    def _batch(self, rows: list[Row]) -> dict[str, Tensor]:
        ids = [(row["input_ids"], row["token_type_ids"]) for row in rows]
        batch = pad_rows(ids, self.pad_token_id)
        seq = batch["input_ids"].shape[1]
        for name in rows[0].keys() - {"input_ids", "token_type_ids"}:
            values = [row[name] for row in rows]
            if name in ENDS_OF_ANSWER:
                beyond = [row[name] >= len(row["input_ids"]) for row in rows]
                values = [IGNORED_LABEL if b else v for v, b in zip(values, beyond, strict=True)]
            if name in self.per_token:
                values = [[*value, *[IGNORED_LABEL] * (seq - len(value))] for value in values]
            batch[name] = torch.tensor(values)
        return batch

    def _check(self) -> None:
        if not self.rows:
            raise ValueError("there is no row; give at least one")
        names = set(self.rows[0])
        if "attention_mask" in names:
            raise ValueError(
                "row 0 holds an attention_mask; rows are padded here, each batch to its longest: "
                "give them without padding, and without a mask"
            )
        if missing := {"input_ids", "token_type_ids", *self.per_token} - names:
            raise ValueError(f"row 0 holds no {sorted(missing)[0]!r}, only {sorted(names)}")
        for number, row in enumerate(self.rows):
            if set(row) != names:
                raise ValueError(
                    f"row {number} holds {sorted(row)}, and row 0 {sorted(names)}; "
                    "let every row hold the same"
                )
            for name in ("token_type_ids", *self.per_token):
                if len(row[name]) != len(row["input_ids"]):
                    raise ValueError(
                        f"row {number} has {len(row['input_ids'])} input_ids and "
                        f"{len(row[name])} {name}; give one for each token"
                    )
            for name in names - {"input_ids", "token_type_ids"}:
                _require_numbers(f"row {number} has {{!r}} in {name!r}", row[name])


def _require_numbers(sentence: str, value: Any) -> None:
    """Raise for a label that is a name, or is missing."""
    if isinstance(value, str):
        raise TypeError(
            f"{sentence.format(value)}, and a label is a number: number the names, such as with "
            "{name: number for number, name in enumerate(sorted(set(names)))}"
        )
    if value is None or value != value:  # NaN equals nothing
        raise ValueError(f"{sentence.format(value)}, which is no label; leave out rows without one")
    if isinstance(value, Sequence):
        for one in value:
            _require_numbers(sentence, one)
