"""Checkers of Chapter 3: additive and causal masks, both at once, and whose loss counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minibert.reference import additive_mask, causal_mask

from .verdict import Mistake, Verdict, check

LOWEST = np.finfo(np.float64).min


def _hide(attention_mask: np.ndarray, number: float) -> np.ndarray:
    """Write a number wherever the attention mask is 0, and 0 elsewhere."""
    return np.where(attention_mask[..., None, :] == 0, number, 0.0)


def check_additive_mask(function: Callable) -> Verdict:
    """Check the step from ones and zeros to numbers that are added to scores.

    Parameters
    ----------
    function : callable
        Takes an attention mask (..., seq), returns an additive mask (..., 1, seq).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 3.
    """
    batch = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]])
    return check(
        function,
        right=additive_mask,
        cases=[(np.array([1, 1, 1, 0, 0]),), (batch,), (np.array([0, 0, 1]),)],
        mistakes=[
            Mistake(lambda mask: mask[..., None, :], "This is still a mask of ones and zeros. "
                    "What does adding 1 to a score do to its share? A little, and to the wrong "
                    "tokens."),
            Mistake(lambda mask: 1 - mask[..., None, :], "You found where the padding is. But "
                    "adding 1 to a score makes its share larger. Which number makes it vanish?"),
            Mistake(lambda mask: mask[..., None, :] * LOWEST, "Your mask is the wrong way round: "
                    "it hides the words and shows the padding. In an attention mask, what does 1 "
                    "stand for?"),
            Mistake(lambda mask: (1 - mask[..., None, :]) * -LOWEST, "Your number is the largest, "
                    "not the lowest: all attention now goes to the padding. Which sign hides?"),
            Mistake(lambda mask: (1 - mask[..., None, :]) * -np.inf, "0 times infinity is not a "
                    "number, so your words became nan. Which finite number hides just as well?"),
            Mistake(lambda mask: _hide(mask, -np.inf), "With −∞ every usual row comes out right. "
                    "What comes out of a row in which everything is hidden? Use the lowest finite "
                    "number."),
            *(Mistake(lambda mask, number=number: _hide(mask, number), "Your number is large, but "
                      "not the lowest: in a row in which everything is hidden, the scores still "
                      "shine through. Ask np.finfo for the lowest finite number.")
              for number in (-1e3, -1e4, -1e5, -1e6, -1e9, -1e10, -1e30)),
            Mistake(lambda mask: _hide(mask, float(np.finfo(np.float32).min)), "This is the lowest "
                    "number of float32. Our scores are float64."),
            Mistake(lambda mask: _hide(mask, float(np.finfo(np.float64).tiny)), "finfo.tiny is the "
                    "smallest positive number, next to 0. Which entry of finfo is the lowest?"),
        ],
    )  # fmt: skip


def check_causal_mask(function: Callable) -> Verdict:
    """Check a mask that hides the future.

    Parameters
    ----------
    function : callable
        Takes the number of tokens, returns an additive mask (seq, seq).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 3.
    """

    def full(seq, number=LOWEST):
        return np.full((seq, seq), number)

    return check(
        function,
        right=causal_mask,
        cases=[(1,), (2,), (4,), (5,)],
        mistakes=[
            Mistake(lambda seq: np.triu(full(seq)), "Your first token sees nothing at all, not "
                    "even itself. May a token look at itself?"),
            Mistake(lambda seq: np.tril(full(seq), k=-1), "Your tokens see themselves and the "
                    "future, and nothing of the past. Rows look, columns are looked at: which "
                    "triangle has to close?"),
            Mistake(lambda seq: np.tril(full(seq)), "Your tokens see only the future: the past and "
                    "the token itself are hidden. Which triangle has to close?"),
            Mistake(lambda seq: np.triu(full(seq, -np.inf), k=1), "The right places, with −∞. Use "
                    "the lowest finite number: with padding on the left, a row can end up with "
                    "nothing to see, and −∞ makes it nan."),
            *(Mistake(lambda seq, number=number: np.triu(full(seq, number), k=1), "The right "
                      "places. Is this the lowest number a float64 can hold?")
              for number in (-1e4, -1e9)),
            Mistake(lambda seq: np.triu(full(seq, -LOWEST), k=1), "The right places, but the "
                    "largest number: now everybody looks at the future only. Which sign hides?"),
            Mistake(lambda seq: np.tril(full(seq, 1.0)), "These are the right ones and zeros: 1 "
                    "where a token may look. But this mask is added to scores. Which two numbers "
                    "does it need?"),
            Mistake(lambda seq: np.triu(full(seq, 1.0), k=1), "The right places, but adding 1 to a "
                    "score hides nothing. Which number does?"),
            Mistake(lambda seq: np.triu(np.ones((seq, seq)), k=1) * -np.inf, "0 times infinity is "
                    "not a number. Which finite number hides just as well?"),
            Mistake(lambda seq: full(seq) * (1 - np.eye(seq)), "Each token sees only itself. What "
                    "about the past?"),
        ],
    )  # fmt: skip


def check_padding_and_causal(function: Callable) -> Verdict:
    """Check one mask that hides both the padding and the future.

    Parameters
    ----------
    function : callable
        Takes an attention mask (..., seq), returns an additive mask (..., seq, seq).

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 3.
    """

    def causal(mask):
        return np.broadcast_to(causal_mask(mask.shape[-1]), (*mask.shape, mask.shape[-1]))

    def padding(mask):
        return additive_mask(mask) + np.zeros(causal(mask).shape)

    def together(mask):
        return np.minimum(padding(mask), causal(mask))

    def of_the_rows(mask):
        return np.minimum(np.swapaxes(additive_mask(mask), -1, -2), causal(mask))

    batch = np.array([[1, 1, 1, 0], [0, 1, 1, 1]])
    return check(
        function,
        right=together,
        cases=[(np.array([1, 1, 1, 0, 0]),), (batch,)],
        mistakes=[
            Mistake(lambda mask: padding(mask) + causal(mask), "Where both masks hide, the two "
                    "lowest numbers add up to −∞, the number that makes nan in a row with nothing "
                    "else. Which function takes the smaller of two numbers?"),
            Mistake(lambda mask: np.maximum(padding(mask), causal(mask)), "Your mask hides only "
                    "what both masks hide. A token must stay hidden as soon as one of them says "
                    "so."),
            Mistake(padding, "The padding is hidden. Where is the causal mask?"),
            Mistake(causal, "The future is hidden. Where is the padding mask?"),
            Mistake(lambda mask: np.minimum(padding(mask), np.swapaxes(causal(mask), -1, -2)),
                    "Your causal mask lies on its side: tokens see the future and not the past."),
            Mistake(of_the_rows, "You hide rows: padding may not look. It is the columns that must "
                    "close, so that nobody looks at padding."),
            Mistake(lambda mask: padding(mask) * causal(mask), "A product of masks: two minus "
                    "signs make a plus, and 0 times anything opens the door. Which function takes "
                    "the smaller of two numbers?"),
            Mistake(lambda mask: np.where(together(mask) < 0, -np.inf, 0.0), "The right places, "
                    "with −∞. In the second sentence a row has nothing to see. What does softmax "
                    "make of it?"),
        ],
    )  # fmt: skip


def check_mean_loss(function: Callable) -> Verdict:
    """Check a mean loss over the labeled positions.

    Parameters
    ----------
    function : callable
        Takes losses (batch, seq) and labels (batch, seq), returns one number.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 3.
    """

    def labeled(labels):
        return labels != -100

    def zeroed(losses, labels):
        return np.where(labeled(labels), losses, 0.0)

    def mean_of_means(losses, labels):
        rows = zip(losses, labeled(labels), strict=True)
        return np.mean([row[chosen].mean() for row, chosen in rows])

    losses = np.array([[2.0, 0.0, 3.0, 5.0], [4.0, 7.0, 1.0, 6.0]])
    labels = np.array([[8, 5, -100, -100], [-100, 0, 9, 3]])
    return check(
        function,
        right=lambda losses, labels: losses[labeled(labels)].mean(),
        cases=[(losses, labels), (losses[:1], labels[:1]), (losses[1:], labels[1:])],
        mistakes=[
            Mistake(lambda losses, labels: losses.mean(), "This is the mean over all positions. "
                    "Did you multiply a mean by the weights and divide by their sum? Then the "
                    "weights cancel. Choose first, average after."),
            Mistake(lambda losses, labels: zeroed(losses, labels).mean(), "You set the other "
                    "losses to 0 but still divide by all positions. By how many should it be?"),
            Mistake(lambda losses, labels: zeroed(losses, labels).sum(), "This is a sum. It grows "
                    "with the number of labels. Divide by how many?"),
            *(Mistake(lambda losses, labels, chosen=chosen: chosen(losses, labels).sum()
                      / (chosen(losses, labels) != 0).sum(), "You divide by the number of "
                      "losses that are not 0. A labeled position may have loss 0, and it counts. "
                      "What marks a labeled position?")
              for chosen in (zeroed, lambda losses, labels: losses)),
            Mistake(lambda losses, labels: losses[labels > 0].mean(), "You left out the label 0. "
                    "It is the id of a word like any other. Which number means “not asked”?"),
            Mistake(lambda losses, labels: losses[labels != 0].mean(), "You left out the label 0 "
                    "and kept −100. Which number means “not asked”?"),
            Mistake(lambda losses, labels: losses[~labeled(labels)].mean(), "These are the "
                    "positions that are not asked. Turn the choice around."),
            Mistake(mean_of_means, "A mean of means: each sentence counts the same, however many "
                    "labels it has. Every labeled position should."),
        ],
    )  # fmt: skip
