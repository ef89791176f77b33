"""Counted words and a linear classifier on them: the rival to beat. Chapter 19."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from .weighting import weighted_loss

PENALTIES = (1.0, 0.1, 0.01)  # the strongest first: each fit begins where the one before ended
UPDATES = 100


class CountedWords:
    """Logistic regression on the words and word pairs of a text.

    ``softmax(x W + b)``, where x holds ``ln(number of texts / number of texts with the word)`` for
    each word and each pair of neighbors that occur in the text and in at least two texts to learn
    from, scaled to length 1. The fit minimizes the weighted mean loss plus
    ``penalty / rows * |W|**2 / 2``.

    Parameters
    ----------
    texts : sequence of str
        What to learn from.
    labels : sequence of int
        A class for each text, from 0 on.
    weights : Float[Tensor, "classes"]
        What a row of each class counts, as `class_weights` gives it.
    penalty : float, default 1.0
        Pull towards 0, above 0.
    start : CountedWords, optional
        One of the same texts, from whose weights the fit begins; that saves time.

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
        labels: Sequence[int],
        weights: Float[Tensor, " classes"],
        penalty: float = 1.0,
        start: CountedWords | None = None,
    ) -> None:
        found = Counter(term for text in texts for term in set(_terms(text)))
        known = sorted(term for term, count in found.items() if count > 1)
        self.place = {term: place for place, term in enumerate(known)}
        rarity = [np.log(len(texts) / found[term]) for term in known]
        self.rarity = torch.tensor(rarity, dtype=torch.float64)
        shape = max(1, len(known)), len(weights)
        self.matrix = torch.zeros(shape, dtype=torch.float64) if start is None else start.matrix
        self.bias = torch.zeros(len(weights), dtype=torch.float64) if start is None else start.bias
        self._fit(self._rows(texts), torch.tensor(labels), weights.double(), penalty / len(texts))

    def probabilities(self, texts: Sequence[str]) -> Float[np.ndarray, "rows classes"]:
        """Return the probability of each class for each text."""
        return self._logits(self._rows(texts)).softmax(-1).numpy()

    def _rows(self, texts: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the places of all known terms, where each text begins, and their values."""
        places, begins, values = [], [], []
        for text in texts:
            own = [self.place[term] for term in {*_terms(text)} if term in self.place]
            begins.append(len(places))
            places += sorted(own)
        index = torch.tensor(places, dtype=torch.int64)
        values = self.rarity[index]
        length = torch.zeros(len(begins), dtype=torch.float64)
        row = torch.bucketize(torch.arange(len(places)), torch.tensor(begins), right=True) - 1
        length.index_add_(0, row, values.square())
        return index, torch.tensor(begins), values / length.sqrt().clamp(min=1e-12)[row]

    def _logits(self, rows: tuple[Tensor, Tensor, Tensor]) -> Float[Tensor, "rows classes"]:
        index, begins, values = rows
        total = functional.embedding_bag(
            index, self.matrix, begins, mode="sum", per_sample_weights=values
        )
        return total + self.bias

    def _fit(
        self,
        rows: tuple[Tensor, Tensor, Tensor],
        labels: Int[Tensor, " rows"],
        weights: Float[Tensor, " classes"],
        penalty: float,
    ) -> None:
        """Minimize the loss with its second derivatives estimated (L-BFGS)."""
        self.matrix, self.bias = (x.clone().requires_grad_() for x in (self.matrix, self.bias))
        optimizer = torch.optim.LBFGS(
            [self.matrix, self.bias], max_iter=UPDATES, line_search_fn="strong_wolfe"
        )

        def loss() -> Tensor:
            optimizer.zero_grad()
            fit = weighted_loss(self._logits(rows), labels, weights)
            total = fit + penalty / 2 * self.matrix.square().sum()
            total.backward()
            return total

        optimizer.step(loss)
        self.matrix, self.bias = self.matrix.detach(), self.bias.detach()


def best_counted_words(
    texts: tuple[Sequence[str], Sequence[str]],
    labels: tuple[Sequence[int], Sequence[int]],
    weights: Float[Tensor, " classes"],
) -> CountedWords:
    """Fit on the first texts with each of `PENALTIES`, and keep what fits the second ones best."""
    best, lowest, fitted = None, np.inf, None
    for penalty in PENALTIES:
        fitted = CountedWords(texts[0], labels[0], weights, penalty, fitted)
        probs = fitted.probabilities(texts[1])[np.arange(len(labels[1])), labels[1]]
        loss = -np.log(np.maximum(probs, 1e-12)).mean()
        if best is None or loss < lowest:
            best, lowest = fitted, loss
    assert best is not None
    return best


def _terms(text: str) -> list[str]:
    """Cut a text into words in small letters, and pairs of neighbors."""
    words = re.findall(r"\w+", text.casefold())
    return words + [f"{one} {two}" for one, two in zip(words, words[1:])]
