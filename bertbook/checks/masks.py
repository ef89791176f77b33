"""Exercises of Chapter 3: two masks, both at once, whose loss counts, a test for every mask."""

from __future__ import annotations

import numpy as np

from minibert.losses import IGNORED_LABEL
from minibert.reference import additive_mask, causal_mask

from .attentions import BROKEN, RIGHT, has_zeros, keeps_all_promises, sums_to_one
from .exercise import Exercise, Mistake

_LOWEST = np.finfo(np.float64).min
_LOWEST_32 = float(np.finfo(np.float32).min)
_BATCH = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]])


def _hide(mask, *, number=_LOWEST, hidden=0):
    """Write a number wherever the attention mask has the one that hides."""
    return np.where(mask[..., None, :] == hidden, number, 0.0)


def _is_lower_there(got, want, *_):
    """Return whether the right places are hidden, by finite numbers that are not the lowest."""
    return np.isfinite(got).all() and ((got < 0) == (want < 0)).all() and not got[want == 0].any()


check_additive_mask = Exercise(
    "Turn ones and zeros into numbers that are added to scores, in shape (…, 1, seq).",
    _hide,
    cases=[(np.array([1, 1, 1, 0, 0]),), (np.array([0, 0, 1]),), (_BATCH,)],
    forbidden=["a loop", "additive_mask"],
    mistakes=[
        Mistake(lambda mask: mask[..., None, :], "This is still a mask of ones and zeros. What "
                "does adding 1 to a score do to its probability? A little, and to the wrong "
                "tokens."),
        Mistake({"number": 1.0}, "You found where the padding is. But adding 1 to a score makes "
                "its probability larger. Which number makes it vanish?"),
        Mistake(lambda mask: np.where(mask == 1, 1.0, _LOWEST)[..., None, :], "The padding is "
                "hidden. But what may be looked at gets 1, and should get 0: adding 0 changes "
                "nothing."),
        Mistake({"hidden": 1}, "Your mask is the wrong way round: it hides the words and shows the "
                "padding. In an attention mask, what does 1 stand for?"),
        Mistake({"number": -_LOWEST}, "Your number is the largest, not the lowest: all attention "
                "now goes to the padding. Which sign hides?"),
        Mistake(lambda mask: (1 - mask[..., None, :]) * -np.inf, "0 times infinity is not a "
                "number, so your words became nan. Which finite number hides just as well?"),
        Mistake({"number": -np.inf}, "With −∞ every usual row comes out right. What comes out of a "
                "row in which everything is hidden? Use the lowest finite number."),
        Mistake({"number": _LOWEST_32}, "This is the lowest number of float32. Our scores are "
                "float64."),
        Mistake({"number": float(np.finfo(np.float64).tiny)}, "Your number is next to 0, as "
                "finfo.tiny and finfo.eps are, and hides nothing. Which entry is the lowest?"),
        Mistake({"number": -1e9}, "The right places, but not the lowest number: in a row in which "
                "everything is hidden, the scores still shine through. Ask np.finfo for the lowest "
                "finite number.", trace=_is_lower_there),
        Mistake(lambda mask: _hide(mask)[..., 0, :], "The right numbers, but an axis is missing. "
                "Every query needs the same row: mask[..., None, :]."),
        Mistake(lambda mask: _hide(mask).swapaxes(-1, -2), "The new axis stands last. Columns are "
                "looked at, so that seq must be the last axis."),
    ],
)  # fmt: skip


def _future(seq, *, number=_LOWEST, first=1, turned=False):
    """Hide the columns from some diagonal on, or below it."""
    mask = np.where(np.subtract.outer(np.arange(seq), np.arange(seq)) <= -first, number, 0.0)
    return mask.T if turned else mask


check_causal_mask = Exercise(
    "Write the additive mask of shape (seq, seq) that hides the future.",
    _future,
    cases=[(1,), (2,), (4,), (5,)],
    forbidden=["triu", "tril", "causal_mask"],
    mistakes=[
        Mistake({"first": 0}, "Your first token sees nothing at all, not even itself. May a token "
                "look at itself?"),
        Mistake({"turned": True}, "Your tokens see themselves and the future, and nothing of the "
                "past. Rows look, columns are looked at: which triangle has to close?"),
        Mistake({"first": 2}, "Your tokens see one step into the future. Where does the triangle "
                "begin?"),
        Mistake({"first": 0, "turned": True}, "Your tokens see only the future: the past and the "
                "token itself are hidden. Which triangle has to close?"),
        Mistake({"number": -np.inf}, "The right places, with −∞. Use the lowest finite number: "
                "with padding on the left, a row can end up with nothing to see, and −∞ makes it "
                "nan."),
        Mistake({"number": -1e9}, "The right places. Is this the lowest number a float64 can hold?",
                trace=_is_lower_there),
        Mistake(lambda seq: np.full((seq, seq), _LOWEST), "Everything is hidden. A token may look "
                "at itself and at what stands before it."),
        Mistake({"number": -_LOWEST}, "The right places, but the largest number: now everybody "
                "looks at the future only. Which sign hides?"),
        Mistake(np.tri, "These are the right ones and zeros: 1 where a token may look. But this "
                "mask is added to scores. Which two numbers does it need?"),
        Mistake({"number": 1.0}, "The right places, but adding 1 to a score hides nothing. Which "
                "number does?"),
        Mistake(lambda seq: (1 - np.tri(seq)) * -np.inf, "0 times infinity is not a number. Which "
                "finite number hides just as well?"),
        Mistake(lambda seq: np.zeros((seq, seq)), "Nothing is hidden."),
        Mistake(lambda seq: _LOWEST * (1 - np.eye(seq)), "Each token sees only itself. What about "
                "the past?"),
    ],
)  # fmt: skip


def _causal(mask):
    return np.broadcast_to(causal_mask(mask.shape[-1]), (*mask.shape, mask.shape[-1]))


def _but(**how):
    """Make another triangle of the same size."""
    return lambda mask: _future(mask.shape[-1], **how) + np.zeros((*mask.shape, 1))


def _rows(mask):
    return additive_mask(mask).swapaxes(-1, -2)


def _both(mask, *, combine=np.minimum, padding=additive_mask, future=_causal, number=_LOWEST):
    mask = combine(padding(mask) + np.zeros(_causal(mask).shape), future(mask))
    return np.where(mask == _LOWEST, number, mask)


check_padding_and_causal = Exercise(
    "Turn an attention mask into one additive mask that hides both the padding and the future.",
    _both,
    cases=[(np.array([1, 1, 1, 0, 0]),), (np.array([[1, 1, 1, 0], [0, 1, 1, 1]]),)],
    mistakes=[
        Mistake({"combine": np.add}, "Where both masks hide, the two lowest numbers add up to −∞, "
                "the number that makes nan in a row with nothing else. Which function takes the "
                "smaller of two numbers?"),
        Mistake({"combine": np.maximum}, "Your mask hides only what both masks hide. A token must "
                "stay hidden as soon as one of them says so."),
        Mistake({"combine": lambda padding, future: padding}, "The padding is hidden. Where is the "
                "causal mask?"),
        Mistake({"combine": lambda padding, future: future}, "The future is hidden. Where is the "
                "padding mask?"),
        Mistake(additive_mask, "The padding is hidden. Where is the causal mask?"),
        Mistake(lambda mask: causal_mask(mask.shape[-1]), "The future is hidden. Where is the "
                "padding mask?"),
        Mistake({"future": lambda mask: _causal(mask).swapaxes(-1, -2)}, "Your causal mask lies on "
                "its side: tokens see the future and not the past."),
        Mistake({"future": _but(first=0)}, "Your causal mask hides the token itself. May it?"),
        Mistake({"future": _but(first=2)}, "Your tokens see one step into the future."),
        Mistake({"combine": lambda a, b: np.where((a < 0) ^ (b < 0), _LOWEST, 0.0)}, "Where both "
                "masks hide, yours opens the door again. Which function takes the smaller of two "
                "numbers?"),
        Mistake({"padding": lambda mask: np.minimum(additive_mask(mask), _rows(mask))}, "You close "
                "rows as well: padding may look, and nobody reads what it gets. Only the columns "
                "of padding close."),
        Mistake({"padding": _rows}, "You hide rows: padding may not look. It is the columns that "
                "must close, so that nobody looks at padding."),
        Mistake({"padding": lambda mask: additive_mask(1 - mask)}, "You hide the words and show "
                "the padding. What does 1 stand for?"),
        Mistake({"combine": np.multiply}, "A product of masks: two minus signs make a plus, and 0 "
                "times anything opens the door. Which function takes the smaller of two numbers?"),
        Mistake(lambda mask: (_both(mask) < 0) * 1.0, "These are the right places. But adding 1 to "
                "a score hides nothing. Which number does?"),
        Mistake(lambda mask: np.tri(mask.shape[-1]) * mask[..., None, :], "These are the right "
                "ones and zeros. But this mask is added to scores. Which two numbers has it?"),
        Mistake({"number": -1e9}, "The right places. Is this the lowest number a float64 can hold?",
                trace=_is_lower_there),
        Mistake({"number": -np.inf}, "The right places, with −∞. In the second sentence a row has "
                "nothing to see. What does softmax make of it?"),
    ],
)  # fmt: skip


def _labeled(losses, labels):
    return labels != IGNORED_LABEL


def _mean_loss(losses, labels, *, chosen=_labeled):
    return losses[chosen(losses, labels)].mean()


def _zeroed(losses, labels):
    return np.where(_labeled(losses, labels), losses, 0.0)


def _mean_of_means(losses, labels):
    return np.mean([_mean_loss(*row) for row in zip(losses, labels)])


_LOSSES = np.array([[2.0, 0.0, 3.0, 5.0], [4.0, 7.0, 1.0, 6.0]])
_LABELS = np.array([[8, 5, -100, -100], [-100, 0, 9, 3]])

check_mean_loss = Exercise(
    "Take the mean of the losses of all positions that have a label.",
    _mean_loss,
    cases=[(_LOSSES, _LABELS), (_LOSSES[:1], _LABELS[:1]), (_LOSSES[1:], _LABELS[1:])],
    mistakes=[
        Mistake(lambda losses, labels: losses.mean(), "This is the mean over all positions, asked "
                "or not. Keep the losses whose label is not −100, and take the mean of those."),
        Mistake(lambda losses, labels: _zeroed(losses, labels).mean(), "You set the other losses "
                "to 0 but still divide by all positions. By how many should it be?"),
        Mistake(lambda losses, labels: losses.sum() / _labeled(losses, labels).sum(), "You divide "
                "by the right number, but add up all losses."),
        Mistake(lambda losses, labels: _zeroed(losses, labels).sum(), "This is a sum. It grows "
                "with the number of labels. Divide by how many?"),
        *(Mistake(lambda losses, labels, axis=axis: _zeroed(losses, labels).sum()
                  / labels.shape[axis], "You divide by the length of an axis. How many positions "
                  "have a label?") for axis in (0, 1)),
        Mistake(lambda losses, labels: losses[labels > 0].sum() / _labeled(losses, labels).sum(),
                "You divide by the right number, but leave the label 0 out of the sum. It is the "
                "id of a word like any other."),
        *(Mistake(wrong, "You divide by the number of losses that are not 0. A labeled position "
                  "may have loss 0, and it counts. What marks a labeled position?")
          for wrong in (
              lambda losses, labels: losses.sum() / (losses != 0).sum(),
              lambda losses, labels: _zeroed(losses, labels).sum()
              / (_zeroed(losses, labels) != 0).sum())),
        Mistake({"chosen": lambda losses, labels: labels > 0}, "You left out the label 0. It is "
                "the id of a word like any other. Which number means “no label”?"),
        Mistake({"chosen": lambda losses, labels: labels != 0}, "You left out the label 0 and kept "
                "−100. Which number means “no label”?"),
        Mistake({"chosen": lambda losses, labels: labels == -100}, "These are the positions "
                "without a label. Turn the choice around."),
        Mistake(_mean_of_means, "A mean of means: each sentence counts the same, however many "
                "labels it has. Every labeled position should."),
        Mistake(lambda losses, labels: losses[labels != -100], "These are the right losses. Now "
                "take their mean."),
    ],
)  # fmt: skip

check_promises = Exercise(
    "Say of somebody's attention whether it keeps the promises of a padding mask.",
    keeps_all_promises,
    cases=[(RIGHT,), *((broken,) for broken in BROKEN)],
    mistakes=[
        Mistake({"finite": False}, "What gives nan slips through. Which text leaves a row nothing "
                "to look at?"),
        Mistake({"size": 1.0}, "The one that divides each row by its sum slips through. It is "
                "right while the scores of padding are ordinary, or low. Make them high."),
        Mistake({"masks": [[1, 1, 1, 0]]}, "Your padding stands at the end only. The mask may hide "
                "any positions: who counts words instead of looking where they stand?"),
        Mistake({"masks": [[0, 1, 1, 1]]}, "Your padding stands at an end only. The mask may hide "
                "any positions: what if it hides one between two words?"),
        Mistake(lambda attend: True, "Everything passes. Compare a text alone with the same text "
                "and padding: what may change?"),
        Mistake(lambda attend: False, "The right one fails, too."),
        Mistake(has_zeros, "You look at the weight of padding only. It is 0 in several "
                "broken ones. Compare the words' vectors with those of the text alone."),
        Mistake(sums_to_one, "You look at the row sums only. They are 1 even without a "
                "mask. Compare the words' vectors with those of the text alone."),
        Mistake(lambda attend: sums_to_one(attend) and has_zeros(attend), "Weights and sums "
                "look right in some broken ones. Compare vectors, make the padding's scores large, "
                "and try an empty text."),
        Mistake({"alone": False}, "You ask for finite numbers only. Compare the words' vectors "
                "with those of the text alone."),
        Mistake(lambda attend: not keeps_all_promises(attend), "The right one fails and the "
                "broken ones pass: turn the answer around."),
    ],
)  # fmt: skip
