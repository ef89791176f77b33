"""Exercises of Chapter 25: RoBERTa's positions, ALBERT's parameters, windows, RoPE and ALiBi."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import gradients_flow, to_tensor


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
    cases=[(_ROWS, 1), (np.array([[1, 1, 0, 5, 2], [0, 6, 2, 1, 1], [0, 5, 6, 7, 2]]), 1),
           (np.array([[5, 6, 3, 3], [4, 3, 3, 3]]), 3)],
    given=to_tensor, then=_not_whole,
    mistakes={
        ("→ 0 * ids + np.arange(ids.shape[1])", "+ padding →"): "They begin behind the padding id.",
        ("→ 0 * ids + np.arange(ids.shape[1]) + padding + 1", "np.cumsum(…) → "
            "(np.arange(ids.shape[1]) + 1)"): "Padding on the left must not move a sentence.",
        "* is_token →": "Padding stands at the padding id.",
        "+ padding → + padding - 1 ¦ + padding - is_token": "Your first token stands at the "
            "padding id. That row of the table is empty.",
        "+ padding → + padding + 1 ¦ + padding + is_token": "The first stands at padding + 1.",
        "axis=1 → axis=0": "Each row is a sentence.",
        "np.cumsum(…) * →": "Now count the tokens along the row.",
        ("→ right(ids, 0) ¦ right(ids, 1)", "!= padding → != 0"): "The padding id is given.",
        "!= → >": "An id below that of padding is a token, too.",
        "!= → ==": "You count the padding.",
        "np.cumsum(…) → np.cumsum(is_token).reshape(ids.shape)": "Rows begin anew.",
        "cumsum(is_token → cumsum(ids": "Each token counts as one, whatever its id is.",
        "np.cumsum(…) → np.cumsum(is_token[:, ::-1], axis=1)[:, ::-1]": "You count from the right.",
        "→ np.where(ids != padding, right(ids, padding), -100) ¦ np.where(ids != padding, "
            "right(ids, padding), 0)": "Padding stands at the padding id, not at 0 or -100.",
    },
)  # fmt: skip


def _albert(vocab, narrow, hidden, wide, layers):
    tables = (vocab + 512 + 2) * narrow + 2 * narrow
    bridge = narrow * hidden + hidden
    attention = 4 * (hidden * hidden + hidden) + 2 * hidden
    feed_forward = 2 * hidden * wide + wide + hidden + 2 * hidden
    return tables + bridge + (attention + feed_forward)


check_albert_parameters = Exercise(
    "Count the parameters of an ALBERT without its pooler.",
    _albert,
    cases=[(30_000, 128, 768, 3072, 12), (100, 4, 8, 16, 3), (30_000, 128, 4096, 16_384, 12)],
    rtol=1e-12,
    mistakes={
        "(attention + feed_forward) → layers * (attention + feed_forward)": "Layers share weights.",
        "+ 2 * narrow → ¦ + narrow": "Two segments; a LayerNorm's weight and bias. All there?",
        ("vocab + 512 + 2 → vocab", "512 + →", "(…) * narrow + 2 * narrow → vocab * narrow"):
            "There are 512 positions, 2 segments and a LayerNorm, all narrow.",
        ("+ bridge →", "narrow * hidden + hidden → narrow * hidden"): "Who widens? With a bias?",
        "hidden * hidden + hidden → hidden * hidden||+ wide + hidden →": "Linear maps have a bias.",
        ("+ 2 * hidden →", ") + 2 * hidden → )"): "Both LayerNorms have a weight and a bias.",
        "4 * ( → 3 * ( ¦ 5 * (": "Attention has four linear maps, and there is no pooler.",
        "+ wide + hidden → ¦ + 2 * wide": "The maps of the feed-forward part have a bias each.",
        ("2 * hidden * wide + wide + hidden → hidden * wide + wide", "2 * hidden * wide → 3 * "
            "hidden * wide"): "The feed-forward part has two maps: one widens, one narrows.",
        "attention = → wide = 4 * hidden\n    attention =": "The size `wide` is given.",
        ("2) * narrow + 2 * narrow → 2) * hidden + 2 * hidden", "(…) * narrow → vocab * narrow + "
            "514 * hidden", "(…) * narrow + 2 * narrow → vocab * narrow + 516 * hidden", "+ 2 * "
            "narrow → + 2 * hidden", "return → return vocab * hidden +"): "All rows have "
            "embedding_size numbers, and their LayerNorm, too.",
        "→ layers * right(vocab, narrow, hidden, wide, layers)": "Does each layer have tables of "
            "its own?",
        "→ round(right(vocab, narrow, hidden, wide, layers) / 1e6)": "Return no millions.",
    },
)  # fmt: skip


def _heard(kinds, reach, seq):
    if "global" in kinds:
        return seq
    return min(seq, 1 + reach * len(kinds))


check_heard = Exercise(
    "Say from how many tokens the first one can have heard.",
    _heard,
    cases=[(["local", "local"], 2, 13), (["global", "local", "local"], 64, 8192),
           (["local"] * 6, 3, 10), (["local", "local", "global"], 1, 9), (["local"], 4, 20),
           (["local", "local"], 3, 20)],
    edges=[([], 2, 7)],
    mistakes={
        ("len(kinds) → bool(kinds)", "\"global\" in kinds → kinds[-1:] == ['global']||len(kinds) → "
            "1"): "Neighbors have looked at theirs already.",
        ("1 + →", "→ right(kinds, reach, seq) - 1"): "The token itself counts, too.",
        ("\"global\" in kinds → False||len(kinds) → kinds.count('local')", "→ min(seq, 1 + reach * "
            "len(kinds))"): "In a global layer every token looks at all others.",
        "reach * → 2 * reach *": "The first token has nothing on its left.",
        ("min(seq, …) → …", "→ max(seq, 1 + reach * kinds.count('local'))", "return seq → return "
            "seq + reach * kinds[::-1].index('global')||min(seq, …) → …"): "There are no more than "
            "seq tokens, but there can be fewer.",
        ("→ min(seq, 1 + reach ** kinds.count('local'))", "1 + reach * → (1 + reach) **"): "Each "
            "local layer adds its window; it does not multiply.",
        "1 + reach * → (1 + reach) * ¦ 1 + (1 + reach) *": "The token itself is counted once, not "
            "in every layer.",
        "reach * → reach // 2 *": "reach counts the tokens on one side already.",
        ("\"global\" in kinds → kinds[:1] == ['global']||len(kinds) → kinds.count('local')",
            "\"global\" in kinds → kinds[:1] == ['global']", "\"global\" in kinds → kinds[-1:] == "
            "['global']||len(kinds) → kinds.count('local')"): "It may stand anywhere.",
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
    cases=[(_RNG.normal(size=(1, 1, 3, 2)), 10.0), (_RNG.normal(size=(2, 2, 5, 6)), 50.0),
           (_RNG.normal(size=(1, 3, 4, 8)), 10_000.0)],
    forbidden=["a loop", "rotate"],
    given=to_tensor, rtol=1e-7, then=gradients_flow(np.ones((1, 1, 3, 4)), 10.0, to=1),
    mistakes={
        ("np.split(x, 2, axis=-1) → (x[..., ::2], x[..., 1::2])", "np.split(x, 2, axis=-1) → "
            "(x[..., ::2], x[..., 1::2])||np.concatenate(turned, axis=-1) → np.stack(turned, "
            "axis=-1).reshape(x.shape)"): "The paper pairs neighbors. Here i goes with i + half.",
        "np.sin(angles) → -np.sin(angles)": "You turn in the other direction.",
        ("np.arange(seq) → np.arange(1, seq + 1)", "np.arange(size // 2) → np.arange(1, size // 2 "
            "+ 1)"): "Positions and pairs are counted from 0.",
        ("-2.0 * → 0 *", "-2.0 → -1.0 ¦ 2.0 ¦ -4.0"): "Pair i turns by theta ** (-2i / head_size).",
        "theta ** → np.degrees(1) * theta **": "cos and sin take radians.",
        "→ np.swapaxes(right(np.swapaxes(x, 1, 2), theta), 1, 2)": "You turn the heads. Positions "
            "are the last dimension but one.",
        "- second * sine →||+ first * sine →": "A rotation needs the sine as well.",
        ("- second → + second", "+ first * sine → - first * sine"): "One of the two sines needs a "
            "minus, the other one a plus, or lengths change.",
        "cosine, sine = → sine, cosine =": "Which of cosine and sine is 1 at position 0?",
        "theta ** (…) → theta ¦ (1 / theta)": "Pair i turns by theta ** (-2i / head_size).",
        "→ right(x, 10_000.0)": "theta is given.",
        "np.concatenate(turned, axis=-1) → x * np.repeat(cosine, 2, -1) + np.concatenate((-second, "
            "first), -1) * np.repeat(sine, 2, -1)": "Numbers i and i + half turn by one angle.",
        "- second * sine → - first * sine||+ first * sine → + second * sine": "The first half gets "
            "minus the second one's sine, and the second half the first one's.",
        "turned = first * cosine - second * sine, → first = first * cosine - second * sine\n    "
            "turned = first,": "Both halves need the numbers from before the turn.",
        ("(turned, → (turned[::-1],", "np.concatenate(turned, axis=-1) → np.stack(turned, "
            "axis=-1).reshape(x.shape)"): "Number i goes back to place i.",
        "second * cosine + first * sine → second ¦ first * sine": "Does your second half turn as "
            "the first one does?",
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
        "-slopes → slopes": "What is far away should score lower.",
        "np.abs(away) → away": "An encoder looks both ways: take the absolute distance.",
        "np.abs(away) → np.maximum(away, 0) ¦ np.where(away < 0, np.inf, away)": "Tokens to the "
            "right count as well, here.",
        "np.abs(away) → (np.abs(away) + 1)": "A token is no step away from itself.",
        "np.abs(away) → np.abs(away) / seq": "Distances are counted in tokens.",
        ("-8.0 → -1.0 ¦ 8.0 ¦ 0.0", "-8.0 → -1.0||/ heads →", "/ heads →", "2.0 ** (-8.0 → (8.0",
            "np.arange(1, heads + 1) → np.ones(heads)"): "The slope is 2 ** (-8 h / n).",
        "/ heads → // heads": "// gives whole numbers.",
        "2.0 ** ( → np.exp(": "A slope is a power of 2, not of e.",
        "→ np.exp(right(seq, heads))": "The softmax takes the exponential later.",
        "np.abs(away) → away**2": "The bias is linear in the distance.",
        "np.arange(1, heads + 1) → np.arange(heads)": "Heads are counted from 1 here.",
        "slopes[: → slopes[::-1": "The first head has the steepest slope.",
        "-slopes[…] * → -slopes[…] -": "The slope multiplies the distance.",
        "→ np.moveaxis(right(seq, heads), 0, -1)": "Heads stand first: (heads, seq, seq).",
        "→ right(seq, heads)[0]": "That is one head. Return one matrix for each.",
    },
)  # fmt: skip
