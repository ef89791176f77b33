"""Exercises of Chapter 3: two masks, both at once, whose loss counts, a test for every mask."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.reference import additive_mask, causal_mask

from .candidates import BROKEN, RIGHT, has_zeros, sums_to_one

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
        ("→ attention_mask[..., None, :]", "np.finfo(…).min → 1.0"): "Which number hides?",
        "0.0, → 1.0,": "What may be looked at gets 1. Adding 0 changes nothing.",
        "== 1 → == 0": "The wrong way round: what does 1 stand for in an attention mask?",
        "float64).min → float64).max": "All attention now goes to the padding. Which sign hides?",
        "→ (1 - attention_mask[..., None, :]) * -np.inf": "0 · −∞ is nan. Take a finite number.",
        "np.finfo(…).min → -np.inf": "A row in which everything is hidden becomes nan with −∞.",
        "float64).min → float32).min.item()": "That is float32. Our scores are float64.",
        "float64).min → float64).tiny": "Which entry of finfo is the lowest?",
        "np.finfo(…).min → -1e9": ("Does np.finfo know a lower number?", _is_lower_there),
        "[..., None, :] → ¦ [None, :]": "An axis of size 1 stands before the last.",
        "→ np.repeat(right(attention_mask), attention_mask.shape[-1], axis=-2)": "One row serves "
            "all queries: the axis before the last has size 1.",
        "→ right(attention_mask).swapaxes(-1, -2)": "Columns are looked at: seq is last.",
    },
)  # fmt: skip


def _causal_mask(seq):
    position = np.arange(seq)
    is_later = position[None, :] > position[:, None]
    return np.where(is_later, np.finfo(np.float64).min, 0.0)


check_causal_mask = Exercise(
    "Write the additive mask of shape (seq, seq) that hides the future.",
    _causal_mask,
    cases=[(1,), (2,), (4,), (5,)], forbidden=["a loop", "triu", "tril", "causal_mask"],
    mistakes={
        "> position → >= position ¦ >= 0 * position": "May a token look at itself?",
        "> position → < position ¦ <= position ¦ != position": "Which triangle has to close?",
        "position[:, None] → position[:, None] + 1": "Your tokens see one step into the future.",
        "np.finfo(…).min → -np.inf": "Behind padding a row may see nothing, and −∞ makes it nan.",
        "np.finfo(…).min → -1e9": ("Does a float64 go lower?", _is_lower_there),
        "float64).min → float64).max": "All look at the future only. Which sign hides?",
        ("→ np.tri(seq)", "np.finfo(…).min → 1.0", "0.0 → 1.0"): "Does adding 1 hide?",
        "→ (1 - np.tri(seq)) * -np.inf": "0 times infinity is nan. Take the lowest finite number.",
        "→ np.zeros((seq, seq))": "Nothing is hidden.",
        "> position[:, None] → == position[:, None] + 1": "What about later tokens?",
    },
)  # fmt: skip


def _rows(mask):
    return additive_mask(mask).swapaxes(-1, -2)


def _padding_and_causal(attention_mask):
    seq = attention_mask.shape[-1]
    return np.minimum(additive_mask(attention_mask), causal_mask(seq))


check_padding_and_causal = Exercise(
    "Turn an attention mask into one additive mask that hides both the padding and the future.",
    _padding_and_causal,
    cases=[(np.array([1, 1, 1, 0, 0]),), (np.array([[1, 1, 1, 0], [0, 1, 1, 1]]),)],
    mistakes={
        "np.minimum → np.add": "Two lowest numbers add up to −∞. What takes the smaller one?",
        "np.minimum → np.maximum": "You hide only what both masks hide. Is one of them not enough?",
        "causal_mask(seq) → 0.0 ¦ 0 * causal_mask(seq)": "Where is the causal mask?",
        "additive_mask(…) → 0 * additive_mask(…)": "Where is the padding mask?",
        "causal_mask(seq) → causal_mask(seq).T": "It is the rows that look. Which triangle closes?",
        "causal_mask(seq) → causal_mask(seq + 1)[:-1, 1:]": "May a token look at itself?",
        "causal_mask(seq) → causal_mask(seq + 1)[1:, :-1]": "Your tokens see one step ahead.",
        "np.minimum( → np.multiply(": "And where both hide?",
        "→ right(attention_mask) < 0 ¦ np.tri(attention_mask.shape[-1]) * attention_mask[..., "
            "None, :]": "Which two numbers are added to scores?",
        "np.minimum(…) → (additive_mask(attention_mask) + causal_mask(seq)) / 2 ¦ "
            "additive_mask(attention_mask) - causal_mask(seq)": "What takes the smaller of two?",
        "additive_mask( → _rows(": "You hide rows. Nobody may look at padding: its columns close.",
        "additive_mask( → additive_mask(1 -": "You hide the words. What does 1 stand for?",
        "attention_mask.shape[-1] → len(attention_mask) ¦ attention_mask.sum()": "What is seq?",
        "→ np.maximum(right(attention_mask), -1e9)": ("Does a float64 go lower?", _is_lower_there),
        "→ np.where(right(attention_mask) < 0, -np.inf, 0.0)": "A row with −∞ alone becomes nan.",
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
        ("[labels != -100] →", "losses[labels != -100] → (losses * (labels != -100))",
            ".mean() → .sum() / len(labels)"): "How many positions have a label?",
        "→ losses.sum() / (labels != -100).sum()": "You add up all losses.",
        "→ (losses * labels).sum() / (labels != -100).sum()": "A label is an id, not a weight.",
        "mean → sum": "This is a sum. It grows with the number of labels. Divide by how many?",
        ("→ losses[labels > 0].sum() / (labels != -100).sum()", "labels != -100 → labels > 0"):
            "You leave out the label 0. It is the id of a word like any other.",
        ("→ losses.sum() / (losses != 0).sum()", ".mean() → .sum() / (losses * (labels != -100) != "
            "0).sum()"): "A labeled position may have loss 0, and it counts.",
        "labels != -100 → labels != 0": "You leave out 0 and keep −100. Which means “no label”?",
        "labels != -100 → labels == -100": "You choose the positions without a label.",
        "→ np.mean([right(*row) for row in zip(losses, labels)])": "Each label counts the same.",
        (".mean() →", "mean() → max()"): "These are the right losses. Take their mean.",
        ".mean() → .sum() / np.count_nonzero(labels)": "Which number means “no label”?",
        "→ [right(losses[i : i + 1], labels[i : i + 1]) for i in range(len(losses))]": "One mean "
            "over all labeled positions is wanted, not one for each row.",
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


def _lets(word):
    return lambda passes, want, attend: passes == 1 or not (want or word in attend.told)


check_promises = Exercise(
    "Say of somebody's attention whether it keeps the promises of a padding mask.",
    _promises,
    cases=[(RIGHT,), *((broken,) for broken in BROKEN)],
    mistakes={
        "[0, 1, 1, 0, 1, 1] → [0, 0, 1, 1, 1, 1]": ("What if padding stands between two words?",
            _lets("to the last")),
        "np.allclose(…) → np.isclose(padded[words].sum(), alone.sum())": "Compare row by row.",
        "1000 → 1": ("What if padding has much higher scores?", _lets("divides")),
        "bool(np.isfinite(empty).all()) → True": ("What if all is padding?", _lets("−∞")),
        "alone, _ = attend(…) → y = np.where(words[:, None], x, 7.0); alone = attend(y, y, y, "
            "words * 1)[0][words]": "How much padding there is must not matter either.",
        (lambda attend: sums_to_one(attend) and has_zeros(attend)): "Broken ones slip through, "
            "such as one that sees all from the first word to the last. What if padding stands "
            "between two words, if its scores are enormous, or if all is padding?",
        "not np.allclose → np.allclose": "Turned around: the right one fails.",
        "→ True": "Compare vectors with those of the text alone: weights can look right.",
    },
)  # fmt: skip
