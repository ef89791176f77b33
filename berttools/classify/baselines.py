"""What a fine-tuned encoder has to beat: logistic regression on words, and on frozen vectors.

Chapter 19.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from minibert.fast import fast_parts
from minibert.loading import load_pretrained
from minibert.model import BertModel
from minibert.parts import override

from .calibration import Scores, with_temperature

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer

Labels = Sequence[int] | Int[np.ndarray, "..."]  # a class for each row
Weights = Float[Tensor, " classes"]  # what a row of each class counts
PENALTIES = (1.0, 0.1, 0.01)
MOST_TERMS = 100_000
NEVER_LEARNED = -16.0  # the score of a class that was never seen: a probability of about 1e-7
HEADS = ("pooler", "cls", "qa_outputs", "classifier")  # of a folder, and not used


class Linear(NamedTuple):
    """Scores ``x W + b``, in 64 bits."""

    matrix: Float[np.ndarray, "features classes"]
    bias: Float[np.ndarray, " classes"]

    def logits(self, rows: Any) -> Scores:
        """Score rows, dense or sparse."""
        return rows @ self.matrix + self.bias


def fit_linear(rows: Any, labels: Labels, weights: Weights, penalty: float) -> Linear:
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


def best_linear(rows: Mapping[str, Any], labels: Mapping[str, Labels], weights: Weights) -> Linear:
    """Fit on the rows to learn from with each penalty; keep what fits those to choose with best."""
    asked, truth = rows["validation"], np.asarray(labels["validation"])

    def loss(fit: Linear) -> float:
        probs = with_temperature(fit.logits(asked), 1.0)
        return -np.log(probs[np.arange(len(truth)), truth] + 1e-12).sum()

    return min(
        (fit_linear(rows["train"], labels["train"], weights, p) for p in PENALTIES), key=loss
    )


class BagOfWords:
    """Logistic regression on the words and word pairs of a text: the bag-of-words baseline.

    ``softmax(x W + b)``: for each term that is in a text, x has ``1 + ln((1 + texts) / (1 + texts
    with the term))``, scaled to length 1. The fit minimizes the weighted mean loss plus ``penalty /
    texts * |W|**2 / 2``.

    Args:
        texts: What to learn from; its 100,000 most frequent terms are known.
        labels: A class for each text, from 0 on; shape (rows,).
        weights: What a text of each class counts; all 1 if classes count by their texts.
        penalty: Pull towards 0, above 0.

    >>> import torch
    >>> texts = ["the box hums", "the box hums loudly", "the bill is wrong", "a wrong bill"]
    >>> words = BagOfWords(texts, [0, 0, 1, 1], torch.ones(2))
    >>> words.probabilities(["my box", "wrong bill"]).argmax(1).tolist()
    [0, 1]
    """

    def __init__(
        self, texts: Sequence[str], labels: Labels, weights: Weights, penalty: float = 0.1
    ) -> None:
        self.vectors = vectorizer().fit(texts)
        self.linear = fit_linear(self.vectors.transform(texts), labels, weights, penalty)

    def probabilities(self, texts: Sequence[str]) -> Scores:
        """Return the probability of each class for each of `texts`; rows sum to 1."""
        return with_temperature(self.linear.logits(self.vectors.transform(texts)), 1.0)


def vectorizer(terms: Sequence[str] | None = None) -> TfidfVectorizer:
    """Return what turns texts into vectors of their words and word pairs."""
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


def frozen_encoder(folder: str | Path) -> BertModel:
    """Load the encoder of a folder, without any head."""
    with override(fast_parts()):
        return load_pretrained(BertModel, folder, unused=HEADS, add_pooling_layer=False)
