"""Counted words and a linear classifier on them: the rival to beat. Chapter 19."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from .linear import Linear, fit_linear
from .table import LabeledTable
from .weighting import Labels

PENALTIES = (1.0, 0.1, 0.01)
MOST_TERMS = 100_000


class CountedWords:
    """Logistic regression on the words and word pairs of a text.

    ``softmax(x W + b)``: for each term that is in a text, x has ``1 + ln((1 + texts) / (1 + texts
    with the term))``, scaled to length 1. The fit minimizes the weighted mean loss plus ``penalty /
    texts * |W|**2 / 2``.

    Parameters
    ----------
    texts : sequence of str
        What to learn from; its 100,000 most frequent terms are known.
    labels : sequence of int, or int array, shape (rows,)
        A class for each text, from 0 on.
    weights : Float[Tensor, "classes"]
        What a text of each class counts, as `class_weights` gives it.
    penalty : float, default 0.1
        Pull towards 0, above 0.

    Examples
    --------
    >>> texts = ["the box hums", "the box hums loudly", "the bill is wrong", "a wrong bill"]
    >>> words = CountedWords(texts, [0, 0, 1, 1], torch.ones(2))
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
        found = Counter(term for text in texts for term in _terms(text)).most_common(MOST_TERMS)
        counts = torch.tensor([count for _, count in found], dtype=torch.float64)
        self._know([term for term, _ in found], 1 + ((1 + len(texts)) / (1 + counts)).log())
        self.linear = fit_linear(self._rows(texts), torch.as_tensor(labels), weights, penalty)

    @classmethod
    def from_parts(
        cls, terms: Sequence[str], rarity: Float[Tensor, " terms"], linear: Linear
    ) -> CountedWords:
        """Put together what was fitted before."""
        words = cls.__new__(cls)
        words._know(terms, rarity)
        words.linear = linear
        return words

    def probabilities(self, texts: Sequence[str]) -> Float[np.ndarray, "rows classes"]:
        """Return the probability of each class for each text."""
        return self.linear.logits(self._rows(texts)).softmax(-1).numpy()

    def logits(self, table: LabeledTable) -> Float[np.ndarray, "rows classes"]:
        """Score the texts of a table."""
        return self.linear.logits(self._rows(table.whole_texts)).numpy()

    def _know(self, terms: Sequence[str], rarity: Float[Tensor, " terms"]) -> None:
        self.place = {term: place for place, term in enumerate(terms)}
        self.rarity = rarity

    def _rows(self, texts: Sequence[str]) -> Tensor:
        """Return a sparse matrix: a row for each text, a column for each term."""
        own = [[self.place[t] for t in _terms(text) if t in self.place] for text in texts]
        row = torch.arange(len(own)).repeat_interleave(torch.tensor([*map(len, own)]))
        column = torch.tensor([place for places in own for place in places], dtype=torch.int64)
        values = self.rarity[column]
        length = torch.zeros(len(own), dtype=torch.float64).index_add(0, row, values.square())
        shape = len(own), len(self.place)
        return torch.sparse_coo_tensor(
            torch.stack([row, column]), values / length.sqrt()[row], shape, check_invariants=False
        ).coalesce()


def best_counted_words(
    texts: tuple[Sequence[str], Sequence[str]],
    labels: tuple[Labels, Labels],
    weights: Float[Tensor, " classes"],
) -> CountedWords:
    """Fit on the first texts with each of `PENALTIES`, and keep what fits the second ones best."""
    fits = [CountedWords(texts[0], labels[0], weights, penalty) for penalty in PENALTIES]
    chosen = np.arange(len(labels[1])), np.asarray(labels[1])
    return min(fits, key=lambda fit: -np.log(fit.probabilities(texts[1])[chosen] + 1e-12).sum())


def _terms(text: str) -> dict[str, None]:
    """Cut a text into words in small letters, and pairs of neighbors, always in one order."""
    words = re.findall(r"\w+", text.casefold())
    return dict.fromkeys([*words, *map(" ".join, zip(words, words[1:], strict=False))])
