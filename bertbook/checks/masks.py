"""Exercises of Chapter 3: two masks, both at once, whose loss counts, a test for every mask."""

from __future__ import annotations

import numpy as np

from minibert.reference import additive_mask, causal_mask

from .attentions import BROKEN, RIGHT, has_zeros, sums_to_one
from .exercise import Exercise

_LOWEST = np.finfo(np.float64).min
_BATCH = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]])


def _additive_mask(attention_mask):
    lowest = np.finfo(np.float64).min
    return np.where(attention_mask == 1, 0.0, lowest)[..., None, :]


def _is_lower_there(got, want, *_):
    """Return whether the right places are hidden, by finite numbers that are not the lowest."""
    return np.isfinite(got).all() and ((got < 0) == (want < 0)).all() and not got[want == 0].any()


check_additive_mask = Exercise(
    "Turn ones and zeros into numbers that are added to scores, in shape (…, 1, seq).",
    _additive_mask,
    cases=[(np.array([1, 1, 1, 0, 0]),), (np.array([0, 0, 1]),), (_BATCH,)],
    forbidden=["a loop", "additive_mask"],
    mistakes={
        "→ attention_mask[..., None, :]": "This is still a mask of ones and zeros. What does "
            "adding 1 to a score do to its probability? A little, and to the wrong tokens.",
        "np.finfo(np.float64).min → 1.0": "You found where the padding is. But adding 1 to a score "
            "makes its probability larger. Which number makes it vanish?",
        "0.0, lowest → 1.0, lowest": "The padding is hidden. But what may be looked at gets 1, and "
            "should get 0: adding 0 changes nothing.",
        "attention_mask == 1 → attention_mask == 0": "Your mask is the wrong way round: it hides "
            "the words and shows the padding. In an attention mask, what does 1 stand for?",
        "np.finfo(np.float64).min → np.finfo(np.float64).max": "Your number is the largest, not "
            "the lowest: all attention now goes to the padding. Which sign hides?",
        "→ (1 - attention_mask[..., None, :]) * -np.inf": "0 times infinity is not a number, so "
            "your words became nan. Which finite number hides just as well?",
        "np.finfo(np.float64).min → -np.inf": "With −∞ every usual row comes out right. What comes "
            "out of a row in which everything is hidden? Use the lowest finite number.",
        "np.finfo(np.float64).min → float(np.finfo(np.float32).min)": "This is the lowest number "
            "of float32. Our scores are float64.",
        "np.finfo(np.float64).min → np.finfo(np.float64).tiny": "Your number is next to 0, as "
            "finfo.tiny and finfo.eps are, and hides nothing. Which entry is the lowest?",
        "np.finfo(np.float64).min → -1e9": ("The right places, but not the lowest number: in a row "
            "in which everything is hidden, the scores still shine through. Ask np.finfo for the "
            "lowest finite number.", _is_lower_there),
        "[..., None, :] →": "The right numbers, but an axis is missing. Every query needs the same "
            "row: mask[..., None, :].",
        "→ np.repeat(right(attention_mask), attention_mask.shape[-1], axis=-2)": "You write the "
            "row once for each query. One row serves all: the axis before the last has size 1.",
        "→ right(attention_mask).swapaxes(-1, -2)": "The new axis stands last. Columns are looked "
            "at, so that seq must be the last axis.",
    },
)  # fmt: skip


def _causal_mask(seq):
    position = np.arange(seq)
    is_later = position[None, :] > position[:, None]
    return np.where(is_later, np.finfo(np.float64).min, 0.0)


check_causal_mask = Exercise(
    "Write the additive mask of shape (seq, seq) that hides the future.",
    _causal_mask,
    cases=[(1,), (2,), (4,), (5,)],
    forbidden=["triu", "tril", "causal_mask"],
    mistakes={
        "position[None, :] > → position[None, :] >=": "Your first token sees nothing at all, not "
            "even itself. May a token look at itself?",
        "position[None, :] > → position[None, :] <": "Your tokens see themselves and the future, "
            "and nothing of the past. Rows look, columns are looked at: which triangle has to "
            "close?",
        "position[:, None] → position[:, None] + 1": "Your tokens see one step into the future. "
            "Where does the triangle begin?",
        "position[None, :] > → position[None, :] <=": "Your tokens see only the future: the past "
            "and the token itself are hidden. Which triangle has to close?",
        "np.finfo(np.float64).min → -np.inf": "The right places, with −∞. Use the lowest finite "
            "number: with padding on the left, a row can end up with nothing to see, and −∞ makes "
            "it nan.",
        "np.finfo(np.float64).min → -1e9": ("The right places. Is this the lowest number a float64 "
            "can hold?", _is_lower_there),
        "→ np.full((seq, seq), np.finfo(np.float64).min)": "Everything is hidden. A token may look "
            "at itself and at what stands before it.",
        "np.finfo(np.float64).min → np.finfo(np.float64).max": "The right places, but the largest "
            "number: now everybody looks at the future only. Which sign hides?",
        "→ np.tri(seq)": "These are the right ones and zeros: 1 where a token may look. But this "
            "mask is added to scores. Which two numbers does it need?",
        "np.finfo(np.float64).min → 1.0": "The right places, but adding 1 to a score hides "
            "nothing. Which number does?",
        "→ (1 - np.tri(seq)) * -np.inf": "0 times infinity is not a number. Which finite number "
            "hides just as well?",
        "→ np.zeros((seq, seq))": "Nothing is hidden.",
        "> position[:, None] → == position[:, None] + 1": "Only the next token is hidden. What "
            "about those after it?",
        "position[None, :] > → position[None, :] !=": "Each token sees only itself. What about the "
            "past?",
    },
)  # fmt: skip


def _rows(mask):
    return additive_mask(mask).swapaxes(-1, -2)


def _exactly_one(padding, future):
    return np.where((padding < 0) ^ (future < 0), _LOWEST, 0.0)


def _padding_and_causal(attention_mask):
    seq = attention_mask.shape[-1]
    return np.minimum(additive_mask(attention_mask), causal_mask(seq))


def _seeing_oneself(attention_mask):
    return _padding_and_causal(attention_mask) * (1 - np.eye(attention_mask.shape[-1]))


def _all_after(attention_mask):
    return _padding_and_causal(np.cumprod(attention_mask, axis=-1))


check_padding_and_causal = Exercise(
    "Turn an attention mask into one additive mask that hides both the padding and the future.",
    _padding_and_causal,
    cases=[(np.array([1, 1, 1, 0, 0]),), (np.array([[1, 1, 1, 0], [0, 1, 1, 1]]),)],
    mistakes={
        "→ 0 * right(attention_mask)": "Nothing is hidden.",
        "np.minimum → np.add": "Where both masks hide, the two lowest numbers add up to −∞, the "
            "number that makes nan in a row with nothing else. Which function takes the smaller of "
            "two numbers?",
        "np.minimum → np.maximum": "Your mask hides only what both masks hide. A token must stay "
            "hidden as soon as one of them says so.",
        ("causal_mask(seq) → 0 * causal_mask(seq)", "→ additive_mask(attention_mask)"): "The "
            "padding is hidden. Where is the causal mask?",
        ("additive_mask(attention_mask) → 0 * additive_mask(attention_mask)",
         "→ causal_mask(attention_mask.shape[-1])"): "The future is hidden. Where is the padding "
            "mask?",
        "causal_mask(seq) → causal_mask(seq).T": "Your causal mask lies on its side: tokens see "
            "the future and not the past.",
        "causal_mask(seq) → causal_mask(seq + 1)[:-1, 1:]": "Your causal mask hides the token "
            "itself. May it?",
        "causal_mask(seq) → causal_mask(seq + 1)[1:, :-1]": "Your tokens see one step into the "
            "future.",
        "np.minimum( → _exactly_one(": "Where both masks hide, yours opens the door again. Which "
            "function takes the smaller of two numbers?",
        ("additive_mask(attention_mask) → np.minimum(additive_mask(attention_mask), "
         "_rows(attention_mask))"): "You close rows as well: padding may look, and nobody reads "
            "what it gets. Only the columns of padding close.",
        "additive_mask(attention_mask) → _rows(attention_mask)": "You hide rows: padding may not "
            "look. It is the columns that must close, so that nobody looks at padding.",
        "additive_mask(attention_mask) → additive_mask(1 - attention_mask)": "You hide the words "
            "and show the padding. What does 1 stand for?",
        _seeing_oneself: "In yours every token sees itself. A column of padding closes in every "
            "row, that of the padding, too.",
        "→ np.minimum(additive_mask(attention_mask), causal_mask(len(attention_mask)))": "The "
            "length of a batch is the number of its sentences. Which axis holds the tokens?",
        _all_after: "You close all that follows the first padding. Padding may stand on the left.",
        "np.minimum → np.multiply": "A product of masks: two minus signs make a plus, and 0 times "
            "anything opens the door. Which function takes the smaller of two numbers?",
        "→ (right(attention_mask) < 0) * 1.0": "These are the right places. But adding 1 to a "
            "score hides nothing. Which number does?",
        "→ np.tri(attention_mask.shape[-1]) * attention_mask[..., None, :]": "These are the right "
            "ones and zeros. But this mask is added to scores. Which two numbers has it?",
        "→ np.maximum(right(attention_mask), -1e9)": ("The right places. Is this the lowest number "
            "a float64 can hold?", _is_lower_there),
        "→ np.where(right(attention_mask) < 0, -np.inf, 0.0)": "The right places, with −∞. In the "
            "second sentence a row has nothing to see. What does softmax make of it?",
    },
)  # fmt: skip


def _mean_loss(losses, labels):
    return losses[labels != -100].mean()


_LOSSES = np.array([[2.0, 0.0, 3.0, 5.0], [4.0, 7.0, 1.0, 6.0]])
_LABELS = np.array([[8, 5, -100, -100], [-100, 0, 9, 3]])

check_mean_loss = Exercise(
    "Take the mean of the losses of all positions that have a label.",
    _mean_loss,
    cases=[(_LOSSES, _LABELS), (_LOSSES[:1], _LABELS[:1]), (_LOSSES[1:], _LABELS[1:])],
    mistakes={
        "[labels != -100] →": "This is the mean over all positions, with a label or without. Keep "
            "the losses whose label is not −100, and take the mean of those.",
        "losses[labels != -100] → (losses * (labels != -100))": "You set the other losses to 0 but "
            "still divide by all positions. By how many should it be?",
        "→ losses.sum() / (labels != -100).sum()": "You divide by the right number, but add up all "
            "losses.",
        "mean → sum": "This is a sum. It grows with the number of labels. Divide by how many?",
        (".mean() → .sum() / len(labels)", ".mean() → .sum() / labels.shape[1]"): "You divide by "
            "the length of an axis. How many positions have a label?",
        "→ losses[labels > 0].sum() / (labels != -100).sum()": "You divide by the right number, "
            "but leave the label 0 out of the sum. It is the id of a word like any other.",
        ("→ losses.sum() / (losses != 0).sum()",
         ".mean() → .sum() / (losses * (labels != -100) != 0).sum()"): "You divide by the number "
            "of losses that are not 0. A labeled position may have loss 0, and it counts. What "
            "marks a labeled position?",
        "labels != -100 → labels > 0": "You left out the label 0. It is the id of a word like any "
            "other. Which number means “no label”?",
        "labels != -100 → labels != 0": "You left out the label 0 and kept −100. Which number "
            "means “no label”?",
        "labels != -100 → labels == -100": "These are the positions without a label. Turn the "
            "choice around.",
        "→ np.mean([right(*row) for row in zip(losses, labels)])": "A mean of means: each sentence "
            "counts the same, however many labels it has. Every labeled position should.",
        ".mean() →": "These are the right losses. Now take their mean.",
        "mean() → max()": "This is the largest of the right losses. Take their mean.",
        ".mean() → .sum() / np.count_nonzero(labels)": "You count the labels that are not 0. −100 "
            "is one of them, and the label 0 is not.",
        "→ [right(losses[i : i + 1], labels[i : i + 1]) for i in range(len(losses))]": "These are "
            "the means of the rows. One number is wanted, the mean over all labeled positions.",
    },
)  # fmt: skip


def _promises(attend):
    for seen in ([1, 1, 1, 1, 0, 0], [0, 1, 1, 0, 1, 1]):
        x = np.random.default_rng(0).standard_normal((6, 4))
        words = np.array(seen) == 1
        x[~words] = 1000  # the padding's scores are enormous
        padded, _ = attend(x, x, x, words * 1)
        alone, _ = attend(x[words], x[words], x[words], np.ones(4))
        if not np.allclose(padded[words], alone):
            return False
    empty, _ = attend(x, x, x, np.zeros(6))
    return bool(np.isfinite(empty).all())


check_promises = Exercise(
    "Say of somebody's attention whether it keeps the promises of a padding mask.",
    _promises,
    cases=[(RIGHT,), *((broken,) for broken in BROKEN)],
    mistakes={
        "bool(np.isfinite(empty).all()) → True": "What gives nan slips through. Which text leaves "
            "a row nothing to look at?",
        "1000 → 1": "The one that divides each row by its sum slips through. It is right while the "
            "scores of padding are ordinary, or low. Make them high.",
        ", [0, 1, 1, 0, 1, 1] → ,": "Your padding stands at the end only. The mask may hide any "
            "positions: who counts words instead of looking where they stand?",
        "[0, 1, 1, 0, 1, 1] → [0, 0, 1, 1, 1, 1]": "Your padding stands at an end only. The mask "
            "may hide any positions: what if it hides one between two words?",
        "alone, _ = attend(x[words], x[words], x[words], np.ones(4)) → "
        "y = np.where(words[:, None], x, 7.0); alone = attend(y, y, y, words * 1)[0][words]": "You "
            "change what stands in the padding. How much padding there is must not matter either: "
            "compare with the text alone.",
        "np.allclose(padded[words], alone) → np.allclose(padded[words], alone, atol=1)": "Your "
            "tolerance is so wide that a broken one fits in. How near can a right one come?",
        "→ True": "Everything passes. Compare a text alone with the same text and padding: what "
            "may change?",
        "→ False": "The right one fails, too.",
        has_zeros: "You look at the weight of padding only. It is 0 in several broken ones. "
            "Compare the words' vectors with those of the text alone.",
        sums_to_one: "You look at the row sums only. They are 1 even without a mask. Compare the "
            "words' vectors with those of the text alone.",
        lambda attend: sums_to_one(attend) and has_zeros(attend): "Weights and sums look right in "
            "some broken ones. Compare vectors, make the padding's scores large, and try an empty "
            "text.",
        "not np.allclose(padded[words], alone) → False": "You ask for finite numbers only. Compare "
            "the words' vectors with those of the text alone.",
        "→ not right(attend)": "The right one fails and the broken ones pass: turn the answer "
            "around.",
    },
)  # fmt: skip
