"""What vectors hold: whether classes lie apart, and what a linear probe reads. Chapter 21."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch.nn import functional


def cosine_gap(vectors: Float[np.ndarray, "rows dim"], labels: Sequence[Hashable]) -> float:
    """Measure how much nearer vectors of one label are to each other than to the others.

    The mean cosine similarity of all pairs with equal labels, minus that of all other pairs.

    Args:
        vectors: One vector each; none may be 0.
        labels: Two different ones at least, and one of them twice; length rows.

    Returns:
        0 if the label makes no difference; at most 2.

    Raises:
        ValueError: If there are no pairs to compare.

    >>> cosine_gap(np.array([[1.0, 0], [2, 0], [0, 1]]), ["a", "a", "b"])
    1.0
    """
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    first, second = np.triu_indices(len(unit), k=1)
    cosines = (unit @ unit.T)[first, second]
    numbers = _numbers(labels)
    same = numbers[first] == numbers[second]
    if same.all() or not same.any():
        raise ValueError(
            f"{len(unit)} vectors with {len(set(labels))} labels have no pairs to compare; give "
            "two labels, one of them twice"
        )
    return float(cosines[same].mean() - cosines[~same].mean())


def nearest_mean(
    vectors: Float[np.ndarray, "rows dim"],
    labels: Sequence[Hashable],
    groups: Sequence[Hashable],
) -> Float[np.ndarray, " rows"]:
    """Give each vector the label of the nearest mean, learned from all other groups.

    A group is kept out, the mean vector of each label is taken over the rest, and each vector of
    the group goes to the nearest one. Every group is kept out once.

    Args:
        vectors: One vector each.
        labels: The truth; length rows.
        groups: What is kept out together, such as the number of a story; length rows.

    Returns:
        1 where the label comes out right and 0 where not; NaN where it cannot, since no other group
        has it.

    >>> nearest_mean(np.array([[0.0], [1], [8], [9]]), list("aabb"), [0, 1, 0, 1])
    array([1., 1., 1., 1.])
    """
    numbers, parts = _numbers(labels), _numbers(groups)
    answers = np.full(len(numbers), np.nan)
    for part in np.unique(parts):
        kept_out = parts == part
        known = np.unique(numbers[~kept_out])
        means = np.stack([vectors[~kept_out & (numbers == k)].mean(axis=0) for k in known])
        tested = np.flatnonzero(kept_out & np.isin(numbers, known))
        distances = ((vectors[tested, None] - means) ** 2).sum(axis=-1)
        answers[tested] = known[distances.argmin(axis=1)] == numbers[tested]
    return answers


def control_labels(
    classes: Mapping[str, Hashable], *, rng: np.random.Generator
) -> dict[str, Hashable]:
    """Shuffle the classes of the words: a task that only memory can solve.

    Each word keeps one class wherever it stands, and each class keeps its number of words.

    Args:
        classes: Word to class.
        rng: The source of chance.

    Returns:
        The same words with dealt classes.

    Source: Hewitt & Liang (2019), section 2.

    >>> dealt = control_labels(dict(cat=1, sings=2, old=3), rng=np.random.default_rng(0))
    >>> list(dealt), sorted(dealt.values())
    (['cat', 'sings', 'old'], [1, 2, 3])
    """
    words, dealt = list(classes), list(classes.values())
    return {word: dealt[i] for word, i in zip(words, rng.permutation(len(words)))}


class Probe(NamedTuple):
    """A linear classifier.

    Args:
        weight: One row for each class.
        bias: One number for each class.
    """

    weight: Float[np.ndarray, "classes dim"]
    bias: Float[np.ndarray, " classes"]

    def answers(self, vectors: Float[np.ndarray, "rows dim"]) -> Int[np.ndarray, " rows"]:
        """Return the class with the highest score.

        Args:
            vectors: One vector each, of as many numbers as the probe was fitted on.

        Returns:
            Number of the class with the highest score.
        """
        return (vectors @ self.weight.T + self.bias).argmax(axis=1)


def fit_probe(
    vectors: Float[np.ndarray, "rows dim"],
    labels: Int[np.ndarray, " rows"],
    classes: int,
    penalty: float = 1.0,
) -> Probe:
    """Find the linear classifier with the smallest penalized loss: unique, up to the sum of biases.

    Minimizes ``sum(cross_entropy) + penalty / 2 * sum(weight**2)``, in float64.

    Args:
        vectors: One vector each.
        labels: Numbers from 0 to ``classes - 1``.
        classes: How many classes there are.
        penalty: How much large weights cost; what scikit-learn calls ``1 / C``; positive.

    Returns:
        The minimum.

    Raises:
        ValueError: If the penalty is not positive: the minimum may then lie at infinity.

    Source: Alain & Bengio (2017).

    >>> probe = fit_probe(np.array([[-1.0], [1.0]]), np.array([0, 1]), classes=2)
    >>> probe.answers(np.array([[-0.1], [0.1]]))
    array([0, 1])
    """
    if penalty <= 0:
        raise ValueError(f"penalty must be positive, not {penalty}; try 1.0")
    x, y = torch.tensor(vectors, dtype=torch.float64), torch.tensor(labels)
    weight = torch.zeros(classes, x.shape[1], dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(classes, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weight, bias],
        max_iter=2000,
        tolerance_grad=1e-7,
        tolerance_change=1e-14,
        line_search_fn="strong_wolfe",
    )

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        scores = x @ weight.T + bias
        total = functional.cross_entropy(scores, y, reduction="sum")
        total = total + penalty / 2 * (weight**2).sum()
        total.backward()
        return total

    optimizer.step(loss)
    return Probe(weight.detach().numpy(), bias.detach().numpy())


def _numbers(labels: Sequence[Hashable]) -> np.ndarray:
    """Assign numbers to labels in the order of their first appearance."""
    known = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([known[label] for label in labels])
