"""Checkers of Chapter 13: the schedule, clipping, what decays, the mean over batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from minibert.training import learning_rate_factor

from .verdict import Mistake, Verdict, check


def check_schedule(function: Callable) -> Verdict:
    """Check the learning rate of an update, with warm-up and linear decay.

    Parameters
    ----------
    function : callable
        Takes step, peak rate, warmup_steps and max_steps; returns the rate of the update that
        follows `step` others.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 13.
    """
    mistakes = [
        Mistake(lambda step, peak, warm, end: peak * (step / warm if step < warm else 1), "It "
                "rises as it should. After the warm-up, where does it have to arrive?"),
        Mistake(lambda step, peak, warm, end: peak * (end - step) / end, "It falls from the very "
                "first step. What about the warm-up?"),
        Mistake(lambda step, peak, warm, end: peak * (step / warm if step < warm else
                (end - step) / end), "Right up to the peak, and then it jumps. How many steps has "
                "the fall, if the warm-up is over?"),
        Mistake(_rate(shift=1), "You are one step ahead. How many updates were made before the "
                "first one?"),
        Mistake(_rate(shift=-1), "You are one step late. The rate is highest when as many updates "
                "were made as the warm-up has."),
        Mistake(lambda step, peak, warm, end: _rate()(step, 1, warm, end), "You return a share of "
                "the peak. Multiply it by the peak itself."),
    ]  # fmt: skip
    cases = [
        (step, peak, warm, end)
        for peak, warm, end in ((1.0, 4, 9), (1e-4, 10, 100))
        for step in (1, 3, warm, warm + 1, end - 1, end)
    ]
    return check(function, right=_rate(), cases=cases, mistakes=mistakes)


def check_clipping(function: Callable) -> Verdict:
    """Check that gradients are shortened together.

    Parameters
    ----------
    function : callable
        Takes the gradients of a weight and of a bias, and the longest length allowed; returns both
        gradients, together no longer than that.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 13.
    """
    mistakes = [
        Mistake(lambda w, b, longest: (_clip(w, longest), _clip(b, longest)), "Each gradient is "
                "shortened on its own. That turns the direction of the whole: there is one length "
                "for both."),
        Mistake(lambda w, b, longest: tuple(g * longest / _length(w, b) for g in (w, b)), "Long "
                "gradients are right. What should happen to one that is short enough?"),
        Mistake(lambda w, b, longest: (w.clip(-longest, longest), b.clip(-longest, longest)), "You "
                "cut each number off. That turns the direction; scale all numbers by one factor."),
        Mistake(_clipped(length=lambda w, b: _length(w, b) ** 2), "You divide by the square of the "
                "length. Where is the root?"),
        Mistake(_clipped(length=lambda w, b: np.abs(w).sum() + np.abs(b).sum()), "You measure the "
                "length by adding up sizes. Add up squares, then take the root."),
        Mistake(lambda w, b, longest: (w, b), "Nothing is shortened."),
        Mistake(lambda w, b, longest: tuple(g / max(1, _length(w, b)) for g in (w, b)), "You make "
                "the length 1. Which length is allowed?"),
    ]  # fmt: skip
    rng = np.random.default_rng(13)
    cases = [
        (np.array([[3.0]]), np.array([4.0]), 1.0),
        (rng.normal(size=(2, 3)), rng.normal(size=2), 0.5),
        (rng.normal(size=(2, 2)), 5 * rng.normal(size=2), 2.0),
        (np.array([[0.3, 0.0]]), np.array([0.4]), 1.0),
    ]
    return check(function, right=_clipped(), cases=cases, mistakes=mistakes)


def check_decays(function: Callable) -> Verdict:
    """Check which parameters weight decay may shrink, told by their names.

    Parameters
    ----------
    function : callable
        Takes the name of a parameter of BERT, returns True or False.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 13.
    """
    mistakes = [
        Mistake(lambda name: not _decays(name), "Turned around: return True for what decays."),
        Mistake(lambda name: not name.endswith("bias"), "Biases are right. Which other parameters "
                "would be harmed by a pull toward 0? Think of what is 1 at the start."),
        Mistake(lambda name: "LayerNorm" not in name, "LayerNorms are right. What about the "
                "biases of linear layers?"),
        Mistake(lambda name: _decays(name) and "embeddings" not in name, "The tables of the "
                "embeddings are matrices, and decay like any other."),
        Mistake(lambda name: True, "Everything decays. Which parameters should be left in peace?"),
    ]  # fmt: skip
    cases = [
        ("bert.embeddings.word_embeddings.weight",),
        ("bert.embeddings.position_embeddings.weight",),
        ("bert.embeddings.LayerNorm.weight",),
        ("bert.embeddings.LayerNorm.bias",),
        ("bert.encoder.layer.0.attention.self.query.weight",),
        ("bert.encoder.layer.0.attention.self.query.bias",),
        ("bert.encoder.layer.0.output.LayerNorm.weight",),
        ("bert.encoder.layer.0.output.dense.weight",),
        ("cls.predictions.transform.LayerNorm.bias",),
        ("cls.predictions.bias",),
    ]
    return check(function, right=_decays, cases=cases, mistakes=mistakes)


def check_mean_loss(function: Callable) -> Verdict:
    """Check the mean loss over the labels of several batches.

    Parameters
    ----------
    function : callable
        Takes the mean loss of each batch and its number of labels; the mean of a batch without a
        label is NaN. Returns the mean over all labels.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 13.
    """
    mistakes = [
        Mistake(lambda means, labels: float(np.mean(means)), "The mean of the means. A label in a "
                "small batch counts more there than one in a large batch."),
        Mistake(lambda means, labels: float(np.nanmean(means)), "The mean of the means, NaN left "
                "out. A label in a small batch counts more there than one in a large batch."),
        Mistake(lambda means, labels: float(np.dot(means, labels) / sum(labels)), "Right, as long "
                "as every batch has a label. What is 0 times NaN?"),
        Mistake(lambda means, labels: _total(means, labels) / len(means), "The sum is right. It is "
                "a sum over labels, so divide by their number."),
        Mistake(lambda means, labels: _total(means, labels), "That is the sum over all labels. A "
                "mean is wanted."),
    ]  # fmt: skip
    cases = [
        ([4.0, 2.0], [1, 3]),
        ([1.0, 3.0], [8, 2]),
        ([2.5, 0.5, 1.5], [7, 1, 30]),
        ([2.0, math.nan, 4.0], [3, 0, 1]),
    ]
    return check(
        function,
        right=lambda means, labels: _total(means, labels) / sum(labels),
        cases=cases,
        mistakes=mistakes,
    )


def _rate(shift: int = 0) -> Callable:
    """Build a schedule; the right one, or one that is early or late."""

    def rate(step: int, peak: float, warmup_steps: int, max_steps: int) -> float:
        sizes = {"warmup_steps": warmup_steps, "max_steps": max_steps}
        return peak * learning_rate_factor(step + shift, **sizes)

    return rate


def _length(*gradients: np.ndarray) -> float:
    """Measure the length of all numbers together."""
    return math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients))


def _clip(gradient: np.ndarray, longest: float) -> np.ndarray:
    """Shorten one gradient on its own."""
    return gradient * min(1.0, longest / _length(gradient))


def _clipped(length: Callable = _length) -> Callable:
    """Build a clipping; the right one, or with another idea of length."""

    def clip(weight: np.ndarray, bias: np.ndarray, longest: float) -> tuple:
        factor = min(1.0, longest / length(weight, bias))
        return weight * factor, bias * factor

    return clip


def _decays(name: str) -> bool:
    """Say whether a parameter of BERT decays."""
    return not name.endswith("bias") and "LayerNorm" not in name


def _total(means: Sequence[float], labels: Sequence[int]) -> float:
    """Add up the losses of all labels."""
    return sum(mean * count for mean, count in zip(means, labels, strict=True) if count)
