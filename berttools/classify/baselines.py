"""What a fine-tuned encoder has to beat: logistic regression on words, and on frozen vectors.

Chapter 19.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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

from .calibration import with_temperature
from .table import LabeledTable
from .weighting import Labels

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

PENALTIES = (1.0, 0.1, 0.01)
MOST_TERMS = 100_000
NEVER_LEARNED = -16.0  # the score of a class that was never seen: a probability of about 1e-7
HEADS = ("pooler", "cls", "qa_outputs", "classifier")  # of a folder, and not used


class Linear(NamedTuple):
    """Scores ``x W + b``, in 64 bits."""

    matrix: Float[np.ndarray, "features classes"]
    bias: Float[np.ndarray, " classes"]

    def logits(self, rows: Any) -> Float[np.ndarray, "rows classes"]:
        """Score rows, dense or sparse."""
        return rows @ self.matrix + self.bias


def fit_linear(
    rows: Any, labels: Labels, weights: Float[Tensor, " classes"], penalty: float
) -> Linear:
    """Minimize the class-weighted mean loss plus ``penalty / rows * |W|**2 / 2``."""
    from sklearn.linear_model import LogisticRegression

    weight_of = {c: weights[c].item() for c in np.unique(labels).tolist()}
    # Of two classes scikit-learn keeps one vector w, where W is (-w / 2, w / 2): half its square.
    freedom = (2 if len(weight_of) == 2 else 1) / penalty
    fitted = LogisticRegression(C=freedom, class_weight=weight_of, tol=1e-8, max_iter=5000)
    fitted.fit(rows, labels)
    matrix, bias = fitted.coef_.T, fitted.intercept_
    if len(weight_of) == 2:
        matrix, bias = np.hstack([-matrix, matrix]) / 2, np.hstack([-bias, bias]) / 2
    whole = Linear(np.zeros((rows.shape[1], len(weights))), np.full(len(weights), NEVER_LEARNED))
    whole.matrix[:, fitted.classes_], whole.bias[fitted.classes_] = matrix, bias
    return whole


def best_linear(
    rows: Mapping[str, Any], labels: Mapping[str, Labels], weights: Float[Tensor, " classes"]
) -> Linear:
    """Fit on the rows to learn from with each penalty; keep what fits those to choose with best."""
    fits = [fit_linear(rows["train"], labels["train"], weights, each) for each in PENALTIES]
    return min(fits, key=lambda fit: _loss(fit.logits(rows["validation"]), labels["validation"]))


def _loss(logits: Float[np.ndarray, "rows classes"], labels: Labels) -> float:
    probs = with_temperature(logits, 1.0)
    return -np.log(probs[np.arange(len(labels)), np.asarray(labels)] + 1e-12).sum()


class BagOfWords:
    """Logistic regression on the words and word pairs of a text: the bag-of-words baseline.

    ``softmax(x W + b)``: for each term that is in a text, x has ``1 + ln((1 + texts) / (1 + texts
    with the term))``, scaled to length 1. The fit minimizes the weighted mean loss plus ``penalty /
    texts * |W|**2 / 2``.

    Args:
        texts: What to learn from; its 100,000 most frequent terms are known.
        labels: A class for each text, from 0 on; shape (rows,).
        weights: What a text of each class counts, as `class_weights` gives it.
        penalty: Pull towards 0, above 0.

    >>> texts = ["the box hums", "the box hums loudly", "the bill is wrong", "a wrong bill"]
    >>> words = BagOfWords(texts, [0, 0, 1, 1], torch.ones(2))
    >>> words.probabilities(["my box", "wrong bill"]).argmax(1).tolist()
    [0, 1]
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Labels,
        weights: Float[Tensor, " classes"],
        penalty: float = 0.1,
    ) -> None:
        has_words = any(re.search(r"\w", text) for text in texts)
        self.vectors = _vectorizer(None if has_words else ["no word"]).fit(texts)
        self.linear = fit_linear(self.vectors.transform(texts), labels, weights, penalty)

    @classmethod
    def best(
        cls,
        texts: Mapping[str, Sequence[str]],
        labels: Mapping[str, Labels],
        weights: Float[Tensor, " classes"],
    ) -> BagOfWords:
        """Fit on the part ``train``, with the penalty that fits the part ``validation`` best.

        Args:
            texts, labels: Both parts by name; texts and their classes as above.
            weights: What a text of each class counts.

        Returns:
            The best of three, by the loss on ``validation``.
        """
        fits = [cls(texts["train"], labels["train"], weights, each) for each in PENALTIES]
        asked, truth = texts["validation"], labels["validation"]
        return min(fits, key=lambda fit: _loss(fit.logits(asked), truth))

    @classmethod
    def from_parts(
        cls, terms: Sequence[str], rarity: Float[np.ndarray, " terms"], linear: Linear
    ) -> BagOfWords:
        """Put together what was fitted before.

        Args:
            terms: The terms it knows.
            rarity: ``vectors.idf_``, at least 1.
            linear: Weights and bias.

        Returns:
            As it was.
        """
        words = cls.__new__(cls)
        words.vectors, words.linear = _vectorizer(terms), linear
        words.vectors.idf_ = rarity
        return words

    @property
    def terms(self) -> list[str]:
        """The words and word pairs, in the order of the rows of the matrix."""
        return self.vectors.get_feature_names_out().tolist()

    def probabilities(self, texts: Sequence[str]) -> Float[np.ndarray, "rows classes"]:
        """Return the probability of each class for each text.

        Args:
            texts: Any texts.

        Returns:
            Rows sum to 1.
        """
        return with_temperature(self.logits(texts), 1.0)

    def logits(self, texts: Sequence[str]) -> Float[np.ndarray, "rows classes"]:
        """Score texts, before the softmax.

        Args:
            texts: Any texts.

        Returns:
            Any numbers.
        """
        return self.linear.logits(self.vectors.transform(texts))


def _vectorizer(terms: Sequence[str] | None) -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        lowercase=False,
        preprocessor=str.casefold,
        token_pattern=r"\w+",
        ngram_range=(1, 2),
        binary=True,
        max_features=MOST_TERMS,
        vocabulary=terms,
    )


class FrozenVectors(nn.Module):
    """A linear classifier on the mean of an encoder's vectors, which is not trained."""

    def __init__(self, encoder: BertModel, linear: Linear) -> None:
        super().__init__()
        self.encoder, self.linear = encoder, linear
        self.config = encoder.config

    def logits(
        self, tokenizer: WordPieceTokenizer, table: LabeledTable, max_length: int
    ) -> Float[np.ndarray, "rows classes"]:
        """Score the texts of a table, cut to so many tokens."""
        return self.linear.logits(mean_vectors(self.encoder, tokenizer, table, max_length))


def frozen_encoder(folder: str | Path) -> BertModel:
    """Load the encoder of a folder, without any head."""
    with override(fast_parts()):
        return load_pretrained(BertModel, folder, unused=HEADS, add_pooling_layer=False)


def mean_vectors(
    encoder: BertModel, tokenizer: WordPieceTokenizer, table: LabeledTable, max_length: int
) -> Float[np.ndarray, "rows hidden"]:
    """Turn each text into one vector of length 1, in 64 bits."""
    vectors = predict(
        encoder,
        encode_rows(tokenizer, table.texts, max_length=max_length),
        lambda output, mask: mean_pool(output.last_hidden_state, mask),
        pad_token_id=tokenizer.pad_token_id,
    )
    return functional.normalize(torch.stack(vectors).double(), dim=-1).numpy()
