"""Exercises of Chapter 22: RoBERTa's positions, ALBERT's parameters, windows, RoPE and ALiBi."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise
from .tensors import gradients_flow, to_tensor


def _positions(ids, padding):
    is_token = (ids != padding).astype(int)
    return np.cumsum(is_token, axis=1) * is_token + padding


_ROWS = np.array([[0, 31, 7, 2, 1, 1], [0, 31, 7, 9, 8, 2]])


def _not_whole(function):
    """Return that positions are no whole numbers, if they are not."""
    if np.asarray(function(to_tensor(_ROWS), 1)).dtype.kind in "iu":
        return ""
    return "they are no whole numbers, and an embedding looks up rows by whole numbers: .long()."


check_positions = Exercise(
    "Number the tokens of each row as RoBERTa does.",
    _positions,
    cases=[
        (_ROWS, 1),
        (np.array([[1, 1, 0, 5, 2], [0, 6, 2, 1, 1], [0, 5, 6, 7, 2]]), 1),
        (np.array([[5, 6, 3, 3], [4, 3, 3, 3]]), 3),
    ],
    given=to_tensor,
    then=_not_whole,
    mistakes={
        "→ 0 * ids + np.arange(ids.shape[1])": "These are BERT's positions: 0, 1, 2, …. RoBERTa's "
            "begin behind the padding id.",
        ("→ 0 * ids + np.arange(ids.shape[1]) + padding + 1",
            "np.cumsum(is_token, axis=1) → (np.arange(ids.shape[1]) + 1)"):
            "You number places, padding among them. Only tokens are counted: padding on the left "
            "must not move a sentence.",
        "* is_token →": "Padding behind a sentence gets the number of its last token. It stands at "
            "the padding id.",
        "+ padding →": "The counting is right, but it begins with 1 for every padding id. It shall "
            "begin behind the padding id.",
        ("+ padding → + padding - 1", "+ padding → + padding - is_token"):
            "You are one too early: your first token stands at the padding id, and that row of the "
            "table is empty.",
        ("+ padding → + padding + 1", "+ padding → + padding + is_token"):
            "You are one too late: the first token stands at the padding id plus 1.",
        "axis=1 → axis=0": "You count down the columns. Each row is a sentence.",
        "np.cumsum(is_token, axis=1) * →": "You have found out which ids are tokens. Now count "
            "them along the row.",
        ("→ right(ids, 0)", "!= padding → != 0"): "You take 0 for the padding id. That is BERT's; "
            "here it is given.",
        "→ right(ids, 1)": "You take 1 for the padding id. That is RoBERTa's own; here it is "
            "given.",
        "!= → >": "An id below that of padding is a token, too. Ask which ids are not padding.",
        "!= → ==": "You count the padding. It is the tokens that are numbered.",
        "np.cumsum(is_token, axis=1) → np.cumsum(is_token).reshape(ids.shape)":
            "Your counter goes on where the row before has ended. Each row begins anew.",
        "cumsum(is_token → cumsum(ids": "You add up the ids. Each token counts as one, whatever "
            "its id is.",
        "np.cumsum(is_token, axis=1) → np.cumsum(is_token[:, ::-1], axis=1)[:, ::-1]":
            "You count from the right end of the row.",
        "→ np.where(ids != padding, right(ids, padding), -100)": "-100 is for labels. Padding "
            "stands at the padding id.",
        "→ np.where(ids != padding, right(ids, padding), 0)": "Padding stands at the padding id, "
            "not at 0: row 0 of the table belongs to somebody else.",
    },
)  # fmt: skip


def _albert(vocab, narrow, hidden, wide, layers):
    tables = (vocab + 512 + 2) * narrow + 2 * narrow
    bridge = narrow * hidden + hidden
    attention = 4 * (hidden * hidden + hidden) + 2 * hidden
    feed_forward = 2 * hidden * wide + wide + hidden + 2 * hidden
    return tables + bridge + attention + feed_forward


_TABLES = "All rows of the embeddings have embedding_size numbers: words, positions, segments, and"


check_albert_parameters = Exercise(
    "Count the parameters of an ALBERT without its pooler.",
    _albert,
    cases=[(30_000, 128, 768, 3072, 12), (100, 4, 8, 16, 3), (30_000, 128, 4096, 16_384, 12)],
    rtol=1e-12,
    mistakes={
        "attention + feed_forward → layers * (attention + feed_forward)":
            "You count every layer. They are one and the same, and its weights are kept once.",
        "+ 2 * narrow →": "Twice embedding_size numbers are missing. Did you count the two rows of "
            "the segments, and the weight and bias of the LayerNorm?",
        "vocab + 512 + 2 → vocab": "There are positions, 512, and segments, 2: their tables are "
            "narrow, too.",
        "512 + →": "The table of the 512 positions is missing.",
        "+ bridge →": "Who widens the vectors? There is a linear map from embedding_size to "
            "hidden_size, with a bias.",
        "narrow * hidden + hidden → narrow * hidden": "Almost: the map that widens the vectors has "
            "a bias.",
        "hidden * hidden + hidden → hidden * hidden||+ wide + hidden →":
            "The linear maps of the layer have biases.",
        "+ 2 * hidden →": "The two LayerNorms of the layer are missing.",
        "4 * ( → 3 * (": "Attention has four linear maps: query, key, value, and the one behind "
            "them.",
        ") + 2 * hidden → )": "Twice hidden_size numbers are missing in the layer. It has two "
            "LayerNorms, and each has a weight and a bias.",
        "+ wide + hidden →": "The two maps of the feed-forward part have biases.",
        "2 * hidden * wide + wide + hidden → hidden * wide + wide": "The feed-forward part has two "
            "maps: one widens, one narrows.",
        "2 * hidden * wide → 3 * hidden * wide": "A gate is ModernBERT's. Here the feed-forward "
            "part has two maps.",
        "attention = → wide = 4 * hidden\n    attention =": "You take four times hidden_size for "
            "the feed-forward part. Its size is given.",
        "4 * ( → 5 * (": "You count a pooler, or a fifth map.",
        "(vocab + 512 + 2) * narrow + 2 * narrow → vocab * narrow": "You count the words only. "
            "There are positions, 512, segments, 2, and a LayerNorm: all are narrow.",
        "+ 2 * narrow → + narrow": "embedding_size numbers are missing. A LayerNorm has a weight "
            "and a bias.",
        "2) * narrow + 2 * narrow → 2) * hidden + 2 * hidden":
            f"{_TABLES} the LayerNorm behind them.",
        "(vocab + 512 + 2) * narrow → vocab * narrow + 514 * hidden": f"{_TABLES} their LayerNorm.",
        "(vocab + 512 + 2) * narrow + 2 * narrow → vocab * narrow + 516 * hidden":
            f"{_TABLES} that LayerNorm.",
        "+ 2 * narrow → + 2 * hidden": "The LayerNorm of the embeddings stands before the map that "
            "widens.",
        "return → return vocab * hidden +": "The narrow table stands in the place of the wide one.",
        "→ layers * right(vocab, narrow, hidden, wide, layers)": "You count everything once for "
            "each layer, the tables too. And the layers are one and the same.",
        "→ round(right(vocab, narrow, hidden, wide, layers) / 1e6)": "Return the number itself, "
            "not millions.",
    },
)  # fmt: skip


def _heard(kinds, reach, seq):
    if "global" in kinds:
        return seq
    return min(seq, 1 + reach * len(kinds))


check_heard = Exercise(
    "Say from how many tokens the first one can have heard.",
    _heard,
    cases=[
        (["local", "local"], 2, 13),
        (["global", "local", "local"], 64, 8192),
        (["local"] * 6, 3, 10),
        (["local", "local", "global"], 1, 9),
        (["local"], 4, 20),
        (["local", "local"], 3, 20),
    ],
    edges=[([], 2, 7)],
    mistakes={
        "len(kinds) → bool(kinds)": "A second local layer looks at vectors that have looked around "
            "already: what stands two windows away comes in two steps.",
        "1 + →": "The token has heard from itself, too.",
        "\"global\" in kinds → False||len(kinds) → kinds.count('local')":
            "One global layer is enough: there every token looks at all others.",
        "reach * → 2 * reach *": "The first token has nobody on its left.",
        "min(seq, 1 + reach * len(kinds)) → 1 + reach * len(kinds)": "There are no more than seq "
            "tokens.",
        "→ min(seq, 1 + reach ** kinds.count('local'))": "Each local layer adds its window; it "
            "does not multiply.",
        "1 + reach * → (1 + reach) **": "Each local layer adds its window; it does not multiply "
            "with what was there.",
        "1 + reach * → (1 + reach) *": "The token itself is counted once, not in every layer.",
        "reach * → reach // 2 *": "reach is the way to one side already. Do not halve it.",
        "→ min(seq, 1 + reach * len(kinds))": "You count a global layer as a local one. In it "
            "every token looks at all others.",
        "→ max(seq, 1 + reach * kinds.count('local'))": "There are no more than seq tokens, but it "
            "can be fewer. Take the smaller number.",
        "→ right(kinds, reach, seq) - 1": "The token has heard from itself, too, also where it "
            "hears all.",
        "\"global\" in kinds → kinds[:1] == ['global']||len(kinds) → kinds.count('local')":
            "You ask what the first layer is. A later global layer lets every token hear all "
            "others.",
        "\"global\" in kinds → kinds[:1] == ['global']": "You ask what the first layer is. A later "
            "global layer is no local one.",
        "\"global\" in kinds → kinds[-1:] == ['global']||len(kinds) → kinds.count('local')":
            "You ask what the last layer is. An earlier global layer has told every token about "
            "all others.",
    },
)  # fmt: skip


_RNG = np.random.default_rng(22)


def _rotate(x, theta):
    seq, size = x.shape[-2:]
    angles = np.arange(seq)[:, None] * theta ** (-2.0 * np.arange(size // 2) / size)
    (first, second), cosine, sine = np.split(x, 2, axis=-1), np.cos(angles), np.sin(angles)
    turned = first * cosine - second * sine, second * cosine + first * sine
    return np.concatenate(turned, axis=-1)


check_rotate = Exercise(
    "Turn each vector by an angle for its position, pair by pair.",
    _rotate,
    cases=[
        (_RNG.normal(size=(1, 1, 3, 2)), 10.0),
        (_RNG.normal(size=(2, 2, 5, 6)), 50.0),
        (_RNG.normal(size=(1, 3, 4, 8)), 10_000.0),
    ],
    given=to_tensor,
    rtol=1e-7,
    forbidden=["a loop", "rotate"],
    then=gradients_flow(np.ones((1, 1, 3, 4)), 10.0, to=1),
    mistakes={
        "np.split(x, 2, axis=-1) → (x[..., ::2], x[..., 1::2])||np.concatenate(turned, axis=-1) → "
            "np.stack(turned, axis=-1).reshape(x.shape)": "You turn neighbors: 0 with 1, 2 with 3. "
            "The paper does so too, but BERT's family pairs number i with number i + half.",
        "np.sin(angles) → -np.sin(angles)": "You turn in the other direction. Scores would be the "
            "same, because only differences count, but not the vectors.",
        "np.arange(seq) → np.arange(1, seq + 1)": "Your first position is 1. Positions begin with "
            "0, and the first vector stays as it is.",
        "-2.0 * → 0 *": "All pairs turn equally fast. Pair i turns by theta to the power of -2i / "
            "head_size.",
        "-2.0 → -1.0": "Your pairs slow down too little: the exponent is -2i / head_size.",
        "-2.0 → 2.0": "Your later pairs turn faster and faster. They should turn more slowly: the "
            "exponent is negative.",
        "theta ** → np.degrees(1) * theta **": "cos and sin take radians.",
        "→ np.swapaxes(right(np.swapaxes(x, 1, 2), theta), 1, 2)": "You turn the heads, each by "
            "its number. Positions are the last dimension but one.",
        "- second * sine →||+ first * sine →": "You shrink by the cosine, and nothing flows from "
            "one half to the other. A rotation needs the sine as well.",
        "- second → + second": "One of the two sines needs a minus, or lengths change.",
        "-2.0 → -4.0": "Your pairs slow down too much: the exponent is -2i / head_size, not over "
            "half of it.",
        "np.arange(size // 2) → np.arange(1, size // 2 + 1)": "Pairs are counted from 0: the first "
            "one turns by one radian for each position.",
        "theta ** (-2.0 * np.arange(size // 2) / size) → theta": "theta is no angle. A power of it "
            "is: theta to the power of -2i / head_size.",
        "→ right(x, 10_000.0)": "You take 10 000 for theta. It is given.",
        "np.concatenate(turned, axis=-1) → x * np.repeat(cosine, 2, -1) + np.concatenate((-second, "
            "first), -1) * np.repeat(sine, 2, -1)": "Numbers i and i + half turn by the same "
            "angle. Your angles are repeated for neighbors: repeat them half by half.",
        "- second * sine → - first * sine||+ first * sine → + second * sine":
            "The sine takes from each half what the other one gets: the first gets minus the "
            "second, and the second gets the first.",
        "turned = first * cosine - second * sine, → first = first * cosine - second * sine\n    "
            "turned = first,": "Your second half is made of the first one after its turn. Both "
            "need the numbers from before.",
        "(turned, → (turned[::-1],": "Your halves come back in the wrong order.",
        "np.concatenate(turned, axis=-1) → np.stack(turned, axis=-1).reshape(x.shape)":
            "You cut into halves and put together as neighbors. Number i goes back to place i.",
        "second * cosine + first * sine → second": "Only your first half has turned.",
        "→ x": "Nothing is turned.",
    },
)  # fmt: skip


def _alibi(seq, heads):
    slopes, places = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads), np.arange(seq)
    away = places[:, None] - places
    return -slopes[:, None, None] * np.abs(away)


check_alibi = Exercise(
    "Compute the bias that ALiBi adds to the scores of each head.",
    _alibi,
    cases=[(4, 2), (5, 4), (3, 8), (3, 6)],
    rtol=1e-6,  # of numbers in 32 bits
    mistakes={
        "-slopes → slopes": "Your bias rewards distance. What is far away shall score lower.",
        "np.abs(away) → away": "Your bias is negative on one side and positive on the other. An "
            "encoder looks both ways: take the absolute distance.",
        "np.abs(away) → np.maximum(away, 0)": "Tokens to the right are not punished. That is right "
            "for a model that reads from left to right; here both sides count.",
        "np.abs(away) → (np.abs(away) + 1)": "A token is no step away from itself: your distances "
            "begin with 1.",
        "np.abs(away) → np.abs(away) / seq": "Your distance is a part of the text. Count tokens: "
            "then a longer text changes nothing.",
        "np.abs(away) → np.where(away < 0, np.inf, away)": "Tokens to the right are hidden. That "
            "is a decoder's mask; here both sides count.",
        "-8.0 → -1.0": "The 8 is missing: the slopes go down to 2 to the power of -8.",
        "-8.0 → -1.0||/ heads →": "That is right for 8 heads only: head h of n has the slope 2 to "
            "the power of -8 h / n.",
        "/ heads → // heads": "Your division has dropped what is behind the point: // gives whole "
            "numbers.",
        "2.0 ** ( → np.exp(": "A slope is a power of 2, not of e.",
        "-8.0 → 8.0": "Your later heads have steeper slopes, above 1. The exponent is negative.",
        "2.0 ** (-8.0 → (8.0": "A slope is 2 to the power of that, with a minus: 2 ** (-8 h / n).",
        "→ np.exp(right(seq, heads))": "The bias is added before the softmax, which takes the "
            "exponential.",
        "np.abs(away) → away**2": "Your bias grows with the square of the distance. It is a "
            "straight line.",
        "-8.0 → 0.0": "All heads have the same slope. Head h of n has the slope 2 to the power of "
            "-8 h / n.",
        "np.arange(1, heads + 1) → np.arange(heads)": "Heads are counted from 1 here: the first "
            "slope is 2 to the power of -8 / heads.",
        "slopes[: → slopes[::-1": "Your slopes stand in the wrong order: the first head has the "
            "steepest one.",
        "→ right(seq, heads)[0]": "That is one head. Return one matrix for each.",
    },
)  # fmt: skip
