"""Vectors of an encoder that stays as it is, and a linear classifier on them. Chapter 19."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from minibert.fast import fast_parts
from minibert.loading import load_pretrained
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import encode_rows, mean_pool, predict
from minibert.wordpiece import WordPieceTokenizer

from .linear import Linear, fit_linear
from .table import LabeledTable
from .weighting import Labels

PENALTIES = (1.0, 0.1, 0.01)
HEADS = ("pooler", "cls", "qa_outputs", "classifier")  # of a folder, and not used


class FrozenVectors(nn.Module):
    """A linear classifier on the mean of an encoder's vectors, scaled to length 1.

    Parameters
    ----------
    encoder : BertModel
        Without a pooler; it is not trained.
    linear : Linear
        What was fitted on its vectors.
    """

    def __init__(self, encoder: BertModel, linear: Linear) -> None:
        super().__init__()
        self.encoder, self.linear = encoder, linear
        self.config = encoder.config

    def logits(
        self, tokenizer: WordPieceTokenizer, table: LabeledTable, max_length: int
    ) -> Float[np.ndarray, "rows classes"]:
        """Score the texts of a table, cut to so many tokens."""
        return self.linear.logits(mean_vectors(self.encoder, tokenizer, table, max_length)).numpy()


def frozen_encoder(folder: str | Path) -> BertModel:
    """Load the encoder of a folder, without any head."""
    with override(fast_parts()):
        return load_pretrained(BertModel, folder, unused=HEADS, add_pooling_layer=False)


def mean_vectors(
    encoder: BertModel, tokenizer: WordPieceTokenizer, table: LabeledTable, max_length: int
) -> Float[Tensor, "rows hidden"]:
    """Turn each text, or pair of texts, into one vector of length 1, in 64 bits."""
    vectors = predict(
        encoder,
        encode_rows(tokenizer, table.texts, table.pairs, max_length=max_length),
        lambda output, mask: mean_pool(output.last_hidden_state, mask),
        pad_token_id=tokenizer.pad_token_id,
    )
    return functional.normalize(torch.stack(vectors).double(), dim=-1)


def best_on_vectors(
    vectors: Mapping[str, Float[Tensor, "rows hidden"]],
    labels: Mapping[str, Labels],
    weights: Float[Tensor, " classes"],
    penalties: Sequence[float] = PENALTIES,
) -> Linear:
    """Fit on the rows to learn from with each penalty; keep what fits those to choose with best."""
    train, validation = (torch.as_tensor(labels[part]) for part in ("train", "validation"))
    fits = [fit_linear(vectors["train"], train, weights, penalty) for penalty in penalties]
    return min(
        fits,
        key=lambda fit: functional.cross_entropy(fit.logits(vectors["validation"]), validation),
    )
