"""Checkers of Chapter 10: index of [MASK], the stack, parameters from sizes, the pooler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from minibert.reference import linear, softmax

from .verdict import Mistake, Verdict, check

MASK = "[MASK]"


def check_mask_index(function: Callable) -> Verdict:
    """Check where [MASK] stands in the row that a BERT reads.

    Parameters
    ----------
    function : callable
        Takes the tokens of the first text and those of the second, which may be none; one of all
        these tokens is [MASK]. Returns its index in the row, special tokens included.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 10.
    """
    mistakes = [
        Mistake(lambda first, second: _row(first, second).index(MASK) - 1, "You count the tokens "
                "of the text. Which token stands before all of them?"),
        Mistake(lambda first, second: _row(first, second).index(MASK) + 1, "Your first token has "
                "number 1. An index starts at 0."),
        Mistake(lambda first, second: ["[CLS]", *first, *second].index(MASK), "Right for the "
                "first text. What stands between the two texts?"),
        Mistake(lambda first, second: [*first, *second].index(MASK), "You count the tokens of "
                "both texts. Which special tokens stand before them?"),
        Mistake(lambda first, second: (second if MASK in second else first).index(MASK) + 1,
                "Right for the first text. The second does not begin a row of its own."),
    ]  # fmt: skip
    cases = [
        ([*"我喜欢学习人工", MASK], []),
        (["the", MASK, "sleeps"], []),
        ([MASK], ["a", "cat"]),
        (["is", "it", "a", "cat"], ["no", MASK]),
        (["who", "sleeps"], [MASK, "sleeps"]),
    ]
    return check(
        function, right=lambda first, second: _row(first, second).index(MASK), cases=cases,
        mistakes=mistakes,
    )  # fmt: skip


def check_parameters(function: Callable) -> Verdict:
    """Check the number of parameters of a BERT with pooler.

    Parameters
    ----------
    function : callable
        Takes vocab, positions, segments, hidden, intermediate and layers, returns a whole number.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 10.
    """
    mistakes = [
        Mistake(_counted(bias=0), "You count no biases. Every linear layer has one number for "
                "each output."),
        Mistake(_counted(norm=0), "You count no LayerNorm. Each has a weight and a bias, and a "
                "layer has two of them."),
        Mistake(_counted(norm=1), "A LayerNorm has two numbers for each entry of a vector: a "
                "weight and a bias."),
        Mistake(_counted(bias=0, norm=0), "You count matrices only. Linear layers have biases, "
                "and LayerNorms have parameters, too."),
        Mistake(_counted(attention=3), "Query, key and value make three. Which linear layer mixes "
                "what the heads found?"),
        Mistake(_counted(pooler=0), "The pooler is missing: one more linear layer."),
        Mistake(_counted(embedding_norm=0), "The embeddings have a LayerNorm of their own."),
        Mistake(_counted(feed_forward=1), "The feed-forward network has two linear layers: one "
                "widens, one narrows."),
        Mistake(_counted(one_layer=True), "You count one layer. How many are there?"),
    ]  # fmt: skip
    cases = [
        (10, 6, 2, 4, 8, 1),
        (10, 6, 2, 4, 8, 3),
        (89, 16, 2, 12, 20, 2),
        (30522, 512, 2, 128, 512, 2),
        (30522, 512, 2, 768, 3072, 12),
    ]
    return check(function, right=_counted(), cases=cases, mistakes=mistakes, rtol=1e-12)


def check_pooler(function: Callable) -> Verdict:
    """Check the pooler.

    Parameters
    ----------
    function : callable
        Takes hidden states of shape (batch, seq, hidden), and weight and bias as PyTorch stores
        them; returns an array of shape (batch, hidden).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 10.
    """
    mistakes = [
        Mistake(_pooled(squash=lambda x: x), "The bend is missing. Which function brings every "
                "number between -1 and 1?"),
        Mistake(_pooled(pick=lambda h: h.mean(axis=1)), "You take the mean of all tokens. BERT's "
                "pooler reads one of them."),
        Mistake(_pooled(pick=lambda h: h[:, -1]), "You take the last token. Where does [CLS] "
                "stand?"),
        Mistake(_pooled(turn=True), "You multiply by the weight itself. PyTorch stores one row "
                "for each output."),
        Mistake(lambda h, weight, bias: linear(np.tanh(h[:, 0]), weight, bias), "You bend before "
                "the linear layer. It comes after."),
        Mistake(lambda h, weight, bias: np.tanh(linear(h[:, 0], weight)), "The bias is missing."),
    ]  # fmt: skip
    rng = np.random.default_rng(10)
    cases = [
        (rng.normal(size=(batch, seq, 4)), rng.normal(size=(4, 4)), rng.normal(size=4))
        for batch, seq in ((1, 3), (2, 5), (3, 1))
    ]
    return check(function, right=_pooled(), cases=cases, mistakes=mistakes)


@dataclass(frozen=True)
class SmallLayer:
    """A layer without weights: scaled attention of the vectors to themselves, and a residual.

    Parameters
    ----------
    scale : float
        How sharp its attention is.

    References
    ----------
    Chapter 10.
    """

    scale: float

    def __call__(self, hidden_states: np.ndarray, additive_mask: np.ndarray) -> np.ndarray:
        """Attend, and add the result to the input."""
        scores = self.scale * hidden_states @ hidden_states.T + additive_mask
        return hidden_states + softmax(scores) @ hidden_states


def check_stack(function: Callable) -> Verdict:
    """Check a stack of layers that returns the hidden states before, between and after them.

    Parameters
    ----------
    function : callable
        Takes hidden states of shape (seq, hidden), an additive mask of shape (seq,), and a list of
        layers, each a function of both; returns an array of shape (layers + 1, seq, hidden).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 10.
    """
    mistakes = [
        Mistake(_stack(mask=lambda mask, k: mask * (k == 0)), "Only the first layer gets the "
                "mask. After it, everybody looks at the padding."),
        Mistake(_stack(mask=lambda mask, k: mask * 0), "No layer gets the mask."),
        Mistake(_stack(chained=False), "Every layer gets the embeddings. What should the second "
                "layer get?"),
        Mistake(_stack(layer=lambda layers, k: layers[0]), "You go through the first layer again "
                "and again. Each layer has weights of its own."),
        Mistake(_stack(layer=lambda layers, k: layers[-1 - k]), "You go through the layers from "
                "the last to the first."),
        Mistake(lambda h, mask, layers: _stack()(h, mask, layers)[::-1], "The order is turned "
                "around: what goes into the first layer comes first."),
    ]  # fmt: skip
    rng = np.random.default_rng(11)
    lowest = np.finfo(float).min
    cases = [
        (rng.normal(size=(len(mask), 3)), np.where(mask, lowest, 0), _layers(number))
        for mask, number in (([0, 0, 1], 1), ([0, 0, 0, 1, 1], 2), ([0, 1, 0], 3), ([0, 0], 2))
    ]
    return check(function, right=_stack(), cases=cases, mistakes=mistakes)


def _row(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Frame one text or two."""
    row = ["[CLS]", *first, "[SEP]"]
    return [*row, *second, "[SEP]"] if second else row


def _counted(
    bias: int = 1, norm: int = 2, attention: int = 4, pooler: int = 1, embedding_norm: int = 1,
    feed_forward: int = 2, one_layer: bool = False,
) -> Callable:  # fmt: skip
    """Build a count of parameters; the right one, or with something left out."""

    def count(
        vocab: int, positions: int, segments: int, hidden: int, intermediate: int, layers: int
    ) -> int:
        tables = (vocab + positions + segments) * hidden + embedding_norm * norm * hidden
        mixing = attention * (hidden * hidden + bias * hidden)
        widths = (intermediate, hidden)[:feed_forward]
        thinking = feed_forward * hidden * intermediate + bias * sum(widths)
        layer = mixing + thinking + 2 * norm * hidden
        summary = pooler * (hidden * hidden + bias * hidden)
        return tables + (1 if one_layer else layers) * layer + summary

    return count


def _pooled(
    squash: Callable = np.tanh, pick: Callable = lambda h: h[:, 0], turn: bool = False
) -> Callable:
    """Build a pooler; the right one, or with a usual mistake."""

    def pool(hidden_states: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return squash(linear(pick(hidden_states), weight.T if turn else weight, bias))

    return pool


def _layers(number: int) -> list[SmallLayer]:
    """Make layers of which no two are alike."""
    return [SmallLayer(0.5 * (k + 1)) for k in range(number)]


def _stack(
    mask: Callable = lambda mask, k: mask,
    layer: Callable = lambda layers, k: layers[k],
    chained: bool = True,
) -> Callable:
    """Build a stack of layers; the right one, or with a usual mistake."""

    def stack(hidden_states: np.ndarray, additive_mask: np.ndarray, layers: Sequence) -> np.ndarray:
        states = [hidden_states]
        for k in range(len(layers)):
            given = states[-1] if chained else hidden_states
            states.append(layer(layers, k)(given, mask(additive_mask, k)))
        return np.stack(states)

    return stack
