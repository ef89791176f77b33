"""A rival for the next sentence: how many rare pieces two verses share. Chapter 14."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float

from .questions import Question


class SharedWords:
    """Say whether a verse is the next one by the pieces that both have, rare ones counting more."""

    def __init__(
        self, rows: Sequence[Sequence[int]], vocab_size: int, tune: Sequence[Question]
    ) -> None:
        having = np.bincount([p for row in rows for p in set(row)], minlength=vocab_size)
        self.weights = np.log((len(rows) + 1) / (having + 1))
        self.weights[:5] = 0  # the special tokens
        self.slope, self.bias = self._fit(tune)

    def _shares(self, asked: Sequence[Question]) -> Float[np.ndarray, " pairs"]:
        """Sum the weights of shared pieces, as a share of those of the shorter verse."""
        return np.array([self._share(question) for question in asked])

    def _share(self, question: Question) -> float:
        sides = [
            {p for p, kind in zip(question.input_ids, question.token_type_ids) if kind == side}
            for side in (0, 1)
        ]
        first, second, both = (
            self.weights[[*pieces]].sum() if pieces else 0.0
            for pieces in (*sides, sides[0] & sides[1])
        )
        return float(both / max(min(first, second), 1e-9))

    def _fit(self, tune: Sequence[Question]) -> tuple[float, float]:
        shares = torch.tensor(self._shares(tune))
        truth = torch.tensor([1.0 - q.next_sentence_label for q in tune], dtype=torch.float64)
        line = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([line], max_iter=50, line_search_fn="strong_wolfe")

        def loss() -> torch.Tensor:
            optimizer.zero_grad()
            value = torch.nn.functional.binary_cross_entropy_with_logits(
                line[0] * shares + line[1], truth
            )
            value.backward()
            return value

        optimizer.step(loss)
        return tuple(line.detach().tolist())

    def losses(self, asked: Sequence[Question]) -> Float[np.ndarray, " pairs"]:
        """Compute what it pays for each pair, in nats."""
        scores = self.slope * self._shares(asked) + self.bias
        signs = np.array([1 - 2 * question.next_sentence_label for question in asked])
        return np.logaddexp(0, -signs * scores)
