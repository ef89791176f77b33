"""Checkers of Chapter 11: expected shares, labels, the replacement by one draw, the head."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import gelu, layer_norm, linear, softmax

from .verdict import Mistake, Verdict, check

MASK_ID, IGNORED = 4, -100


def check_expected(function: Callable) -> Verdict:
    """Check how many of some tokens are masked, replaced and kept on average.

    Parameters
    ----------
    function : callable
        Takes the number of tokens and the share that is chosen; returns three numbers: those
        that become [MASK], those that become a random word, those that are chosen and stay.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 11.
    """
    mistakes = [
        Mistake(_expected(0.8, 0.1, 0.1, all_tokens=True), "You take the three shares of all "
                "tokens. They are shares of the chosen ones."),
        Mistake(_expected(0.8, 0.1, 0.1, kept_as_well=True), "The third number is of the chosen "
                "tokens that stay. You count those that were never chosen as well."),
        Mistake(_expected(0.8, 0.1, 0.09), "One draw decides among three. The tokens that stay "
                "are a tenth of the chosen, not nine tenths of a tenth."),
        Mistake(_expected(0.8, 0.02, 0.18), "A random word for a tenth of the chosen, not for a "
                "tenth of those that [MASK] left over."),
        Mistake(_expected(0.8, 0.1, 0.2), "The three numbers add up to more than was chosen."),
        Mistake(_expected(1, 0, 0), "You mask all that are chosen. What about the other two?"),
    ]  # fmt: skip
    cases = [(100, 0.15), (1000, 0.15), (512, 0.15), (40, 0.4), (7, 1.0)]
    return check(function, right=_expected(0.8, 0.1, 0.1), cases=cases, mistakes=mistakes)


def check_labels(function: Callable) -> Verdict:
    """Check the labels that belong to chosen tokens.

    Parameters
    ----------
    function : callable
        Takes ids and, of the same shape, which of them are chosen; returns labels.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 11.
    """
    mistakes = [
        Mistake(lambda ids, chosen: np.where(chosen, IGNORED, ids), "You ask for the tokens that "
                "were not chosen, and for no other."),
        Mistake(lambda ids, chosen: ids, "You ask for every token. What stands where nothing is "
                "asked?"),
        Mistake(lambda ids, chosen: np.where(chosen, ids, 0), "0 is the id of a token, here of "
                "[PAD]. Which number is the id of none?"),
        Mistake(lambda ids, chosen: np.where(chosen, ids, -1), "The loss passes over one number "
                "only, and it is not -1."),
        Mistake(lambda ids, chosen: np.where(chosen, MASK_ID, IGNORED), "A label is the answer, "
                "not the question: the true id, not that of [MASK]."),
        Mistake(lambda ids, chosen: chosen.astype(int), "A label says which token is right, not "
                "only that one is asked for."),
    ]  # fmt: skip
    rng = np.random.default_rng(11)
    cases = [
        (np.array([2, 9, 7, 8, 3]), np.array([False, True, False, False, False])),
        *((rng.integers(5, 60, size), rng.random(size) < 0.5) for size in ((8,), (3, 6))),
        (np.array([2, 9, 3, 0]), np.array([False] * 4)),
    ]
    return check(
        function, right=lambda ids, chosen: np.where(chosen, ids, IGNORED), cases=cases,
        mistakes=mistakes,
    )  # fmt: skip


def check_replacement(function: Callable) -> Verdict:
    """Check the replacement of chosen tokens: one draw decides among three fates.

    Parameters
    ----------
    function : callable
        Takes ids, which are chosen, a draw between 0 and 1 and a random word for each token, and
        the id of [MASK]; returns new ids. A draw on a border belongs to the fate above it.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 11.
    """
    mistakes = [
        Mistake(_replaced(everywhere=True), "Tokens that nobody chose are changed, too."),
        Mistake(_replaced(mask_below=1.0), "All chosen tokens become [MASK]. Only draws below "
                "0.8 should."),
        Mistake(_replaced(random_below=1.0), "No chosen token stays. Draws from 0.9 on leave a "
                "token as it is."),
        Mistake(_replaced(random_below=0.8), "No token becomes a random word. What do draws from "
                "0.8 to 0.9 do?"),
        Mistake(_replaced(mask_below=0.1, random_below=0.9), "The large share goes to the random "
                "words. It belongs to [MASK]."),
        Mistake(_replaced(mask_below=0.8, random_below=0.82), "A random word comes for a tenth "
                "of the chosen tokens, not for a tenth of what [MASK] left over."),
        Mistake(_replaced(mask_last=False), "A draw below 0.8 is below 0.9 as well. Which of the "
                "two lines has the last word?"),
        Mistake(_replaced(upside_down=True), "[MASK] belongs to draws below 0.8, not above 0.2."),
    ]  # fmt: skip
    rng = np.random.default_rng(12)
    border = np.array([0.0, 0.05, 0.5, 0.79, 0.8, 0.81, 0.85, 0.89, 0.9, 0.95])
    cases = [
        (np.arange(10, 20), np.full(10, True), border, np.arange(30, 40), MASK_ID),
        *((rng.integers(5, 60, size), rng.random(size) < 0.5, rng.random(size),
           rng.integers(60, 99, size), 4) for size in ((12,), (6, 8))),
    ]  # fmt: skip
    return check(function, right=_replaced(), cases=cases, mistakes=mistakes)


def check_head(function: Callable) -> Verdict:
    """Check the loss of one hidden word, from its vector to minus the logarithm of its share.

    Parameters
    ----------
    function : callable
        Takes a vector of shape (hidden,), weight and bias of the dense layer as PyTorch stores
        them, the table of shape (vocab, hidden), the bias of shape (vocab,) and the id of the
        true word; returns the loss. Its LayerNorm has weight 1, bias 0 and epsilon 1e-12.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 11.
    """
    mistakes = [
        Mistake(_head_loss(bend=lambda x: x), "The bend is missing between the linear layer and "
                "LayerNorm."),
        Mistake(_head_loss(bend=lambda x: np.maximum(x, 0)), "You bend with ReLU. BERT's bend is "
                "GELU."),
        Mistake(_head_loss(bend=np.tanh), "You bend with tanh, as the pooler does. The head takes "
                "GELU."),
        Mistake(_head_loss(normalize=False), "LayerNorm is missing."),
        Mistake(_head_loss(transform=False), "You compare the vector with the table right away. "
                "The transform comes first."),
        Mistake(_head_loss(use_bias=False), "Each word has a bias of its own. Add it to the "
                "scores."),
        Mistake(_head_loss(turn=True), "You multiply by the weight itself. PyTorch stores one row "
                "for each output."),
        Mistake(_head_loss(answer=lambda share: share), "You return the share of the true word. "
                "The loss is minus its logarithm."),
        Mistake(_head_loss(answer=np.log), "The sign is wrong: a loss is never negative."),
        Mistake(_head_loss(answer=lambda share: -np.log2(share)), "You take the logarithm to base "
                "2. The book counts in nats."),
    ]  # fmt: skip
    rng = np.random.default_rng(13)
    cases = [
        (rng.normal(size=hidden), rng.normal(size=(hidden, hidden)), rng.normal(size=hidden),
         rng.normal(size=(vocab, hidden)), rng.normal(size=vocab), word)
        for hidden, vocab, word in ((3, 4, 0), (4, 7, 6), (6, 5, 2))
    ]  # fmt: skip
    return check(function, right=_head_loss(), cases=cases, mistakes=mistakes, rtol=1e-7)


def _expected(
    masked: float,
    replaced: float,
    kept: float,
    all_tokens: bool = False,
    kept_as_well: bool = False,
) -> Callable:
    """Build a count of fates; the right one, or with a usual mistake."""

    def count(tokens: int, share: float) -> tuple[float, float, float]:
        asked = tokens if all_tokens else tokens * share
        rest = tokens - asked if kept_as_well else 0
        return masked * asked, replaced * asked, kept * asked + rest

    return count


def _replaced(
    mask_below: float = 0.8,
    random_below: float = 0.9,
    everywhere: bool = False,
    mask_last: bool = True,
    upside_down: bool = False,
) -> Callable:
    """Build a replacement; the right one, or with a usual mistake."""

    def replace(
        ids: np.ndarray, chosen: np.ndarray, draws: np.ndarray, words: np.ndarray, mask_id: int
    ) -> np.ndarray:
        draws = 1 - draws if upside_down else draws
        masked, swapped = draws < mask_below, draws < random_below
        if mask_last:
            new = np.where(masked, mask_id, np.where(swapped, words, ids))
        else:
            new = np.where(swapped, words, np.where(masked, mask_id, ids))
        return new if everywhere else np.where(chosen, new, ids)

    return replace


def _head_loss(
    bend: Callable = gelu,
    normalize: bool = True,
    transform: bool = True,
    use_bias: bool = True,
    turn: bool = False,
    answer: Callable = lambda share: -np.log(share),
) -> Callable:
    """Build a prediction head with its loss; the right one, or with a usual mistake."""

    def loss(
        vector: np.ndarray, weight: np.ndarray, dense_bias: np.ndarray, table: np.ndarray,
        bias: np.ndarray, word: int,
    ) -> float:  # fmt: skip
        if transform:
            vector = bend(linear(vector, weight.T if turn else weight, dense_bias))
            if normalize:
                vector = layer_norm(vector, np.ones(len(vector)), np.zeros(len(vector)), 1e-12)
        logits = table @ vector + (bias if use_bias else 0)
        return answer(softmax(logits)[word])

    return loss
