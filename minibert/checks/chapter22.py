"""Exercises of Chapter 22: RoBERTa's positions, RoPE, ALBERT's parameters, windows, ALiBi."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is
from .tensors import to_tensor

_RNG = np.random.default_rng(22)


def _positions(ids, padding, *, count=np.cumsum, shift=np.add, hide=True, axis=1):
    """Count the tokens of each row from padding + 1 on; padding itself stands at padding."""
    is_token = (np.asarray(ids) != padding).astype(int)
    numbers = count(is_token, axis=axis)
    return shift(numbers * is_token if hide else numbers, padding)


def _from_zero(ids, padding):
    return np.broadcast_to(np.arange(np.shape(ids)[1]), np.shape(ids)).copy()


_ROWS = np.array([[0, 31, 7, 2, 1, 1], [0, 31, 7, 9, 8, 2]])

check_positions = Exercise(
    "Number the tokens of each row as RoBERTa does.",
    _positions,
    cases=[
        (_ROWS, 1),
        (np.array([[1, 1, 0, 5, 2], [0, 6, 2, 1, 1], [0, 5, 6, 7, 2]]), 1),
        (np.array([[5, 6, 3, 3], [4, 3, 3, 3]]), 3),
    ],
    given=to_tensor,
    mistakes=[
        Mistake(_from_zero, "These are BERT's positions: 0, 1, 2, …. RoBERTa's begin behind the "
                "padding id."),
        Mistake(lambda ids, padding: _from_zero(ids, padding) + padding + 1, "You number places, "
                "padding among them. Only tokens are counted: padding on the left must not move "
                "a sentence."),
        Mistake({"hide": False}, "Padding behind a sentence gets the number of its last token. "
                "It stands at the padding id."),
        Mistake({"shift": lambda numbers, padding: numbers}, "The counting is right, but it begins "
                "with 1 for every padding id. It shall begin behind the padding id."),
        Mistake({"shift": lambda numbers, padding: numbers + padding - 1}, "You are one too early: "
                "your first token stands at the padding id, and that row of the table is empty."),
        Mistake({"shift": lambda numbers, padding: numbers + padding + 1}, "You are one too late: "
                "the first token stands at the padding id plus 1."),
        Mistake({"axis": 0}, "You count down the columns. Each row is a sentence."),
        Mistake({"count": lambda tokens, axis: tokens}, "You have found out which ids are tokens. "
                "Now count them along the row."),
        Mistake(lambda ids, padding: _positions(ids, 0), "You take 0 for the padding id. That is "
                "BERT's; here it is given."),
        Mistake(lambda ids, padding: np.where(np.asarray(ids) != padding,
                _positions(ids, padding), 0), "Padding stands at the padding id, not at 0: row 0 "
                "of the table belongs to somebody else."),
    ],
)  # fmt: skip


def _slow(numbers, size, theta):
    return theta ** (-2.0 * numbers / size)


def _halves(x):
    return np.split(x, 2, axis=-1)


def _neighbors(x):
    return x[..., ::2], x[..., 1::2]


def _woven(first, second):
    return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)


def _side_by_side(first, second):
    return np.concatenate([first, second], axis=-1)


def _rotate(x, theta, *, speed=_slow, cut=_halves, join=_side_by_side, sign=1.0, start=0):
    """Turn the pairs (i, i + half) of each vector by its position times the speed of the pair."""
    size, seq = x.shape[-1], x.shape[-2]
    angles = (np.arange(seq) + start)[:, None] * speed(np.arange(size // 2), size, theta)
    (first, second), cosine, sine = cut(x), np.cos(angles), sign * np.sin(angles)
    return join(first * cosine - second * sine, second * cosine + first * sine)


def _without_sine(x, theta):
    (first, second), size = _halves(x), x.shape[-1]
    cosine = np.cos(np.arange(x.shape[-2])[:, None] * _slow(np.arange(size // 2), size, theta))
    return _side_by_side(first * cosine, second * cosine)


def _swapped_sine(x, theta):
    (first, second), size = _halves(x), x.shape[-1]
    angles = np.arange(x.shape[-2])[:, None] * _slow(np.arange(size // 2), size, theta)
    cosine, sine = np.cos(angles), np.sin(angles)
    return _side_by_side(first * cosine + second * sine, second * cosine + first * sine)


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
    mistakes=[
        Mistake({"cut": _neighbors, "join": _woven}, "You turn neighbors: 0 with 1, 2 with 3. The "
                "paper does so too, but BERT's family pairs number i with number i + half."),
        Mistake({"sign": -1.0}, "You turn in the other direction. Scores would be the same, "
                "because only differences count, but not the vectors."),
        Mistake({"start": 1}, "Your first position is 1. Positions begin with 0, and the first "
                "vector stays as it is."),
        Mistake({"speed": lambda i, size, theta: np.ones(len(i))}, "All pairs turn equally fast. "
                "Pair i turns by theta to the power of -2i / head_size."),
        Mistake({"speed": lambda i, size, theta: theta ** (-1.0 * i / size)}, "Your pairs slow "
                "down too little: the exponent is -2i / head_size."),
        Mistake({"speed": lambda i, size, theta: theta ** (2.0 * i / size)}, "Your later pairs "
                "turn faster and faster. They should turn more slowly: the exponent is negative."),
        Mistake({"speed": lambda i, size, theta: np.degrees(_slow(i, size, theta))}, "cos and sin "
                "take radians."),
        Mistake(lambda x, theta: np.swapaxes(_rotate(np.swapaxes(x, 1, 2), theta), 1, 2),
                "You turn the heads, each by its number. Positions are the last "
                "dimension but one."),
        Mistake(_without_sine, "You shrink by the cosine, and nothing flows from one half to the "
                "other. A rotation needs the sine as well."),
        Mistake(_swapped_sine, "One of the two sines needs a minus, or lengths change."),
        Mistake(lambda x, theta: x, "Nothing is turned."),
    ],
)  # fmt: skip


def _layer(hidden, wide):
    return 4 * (hidden * hidden + hidden) + 2 * hidden * wide + wide + hidden + 4 * hidden


def _albert(vocab, narrow, hidden, wide, layers, *, copies=1, rows=512 + 2, bridge=1,
            layer=_layer):  # fmt: skip
    """Count ALBERT's parameters: narrow tables, a bridge, and one layer."""
    tables = (vocab + rows + 2) * narrow  # 2 for the LayerNorm
    copies = layers if copies is None else copies
    return tables + bridge * (narrow * hidden + hidden) + copies * layer(hidden, wide)


check_albert_parameters = Exercise(
    "Count the parameters of an ALBERT without its pooler.",
    _albert,
    cases=[(30_000, 128, 768, 3072, 12), (100, 4, 8, 16, 3), (30_000, 128, 4096, 16_384, 12)],
    rtol=1e-12,
    mistakes=[
        Mistake({"copies": None}, "You count every layer. They are one and the same, and its "
                "weights are kept once."),
        Mistake({"rows": 512}, "Twice embedding_size numbers are missing. Did you count the two "
                "rows of the segments, and the weight and bias of the LayerNorm?"),
        Mistake({"rows": 0}, "There are positions, 512, and segments, 2: their tables are narrow, "
                "too."),
        Mistake({"rows": 2}, "The table of the 512 positions is missing."),
        Mistake({"bridge": 0}, "Who widens the vectors? There is a linear map from embedding_size "
                "to hidden_size, with a bias."),
        Mistake(lambda vocab, narrow, hidden, wide, layers: _albert(vocab, narrow, hidden, wide,
                layers) - hidden, "Almost: the map that widens the vectors has a bias."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - 5 * hidden - wide},
                "The linear maps of the layer have biases."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - 4 * hidden}, "The two "
                "LayerNorms of the layer are missing."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - hidden * hidden - hidden},
                "Attention has four linear maps: query, key, value, and the one behind them."),
    ],
)  # fmt: skip


def _heard(kinds, reach, seq, *, locals_add=True, own=1, all_hear=True, sides=1, limit=True):
    """Count the tokens from which the first one can have heard, itself among them."""
    if all_hear and "global" in kinds:
        return seq
    steps = kinds.count("local") if locals_add else ("local" in kinds)
    heard = own + sides * steps * reach
    return min(seq, heard) if limit else heard


check_heard = Exercise(
    "Say from how many tokens the first one can have heard.",
    _heard,
    cases=[
        (["local", "local"], 2, 13),
        (["global", "local", "local"], 64, 8192),
        (["local"] * 6, 3, 10),
        (["local", "local", "global"], 1, 9),
        (["local"], 4, 20),
    ],
    edges=[([], 2, 7)],
    mistakes=[
        Mistake({"locals_add": False}, "A second local layer looks at vectors that have looked "
                "around already: what stands two windows away comes in two steps."),
        Mistake({"own": 0}, "The token has heard from itself, too."),
        Mistake({"all_hear": False}, "One global layer is enough: there every token looks at all "
                "others."),
        Mistake({"sides": 2}, "The first token has nobody on its left."),
        Mistake({"limit": False}, "There are no more than seq tokens."),
        Mistake(lambda kinds, reach, seq: min(seq, 1 + reach ** kinds.count("local")), "Each local "
                "layer adds its window; it does not multiply."),
        Mistake(lambda kinds, reach, seq: seq if kinds[-1:] == ["global"] else
                _heard(kinds, reach, seq, all_hear=False), "You ask what the last layer is. An "
                "earlier global layer has told every token about all others."),
    ],
)  # fmt: skip


def _slopes(heads):
    return 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)


def _alibi(seq, heads, *, slopes=_slopes, away=np.abs, sign=-1.0):
    """Return for each head a penalty that grows with the distance."""
    places = np.arange(seq)
    distance = away(places[:, None] - places)
    return sign * slopes(heads)[:, None, None] * distance


check_alibi = Exercise(
    "Compute the bias that ALiBi adds to the scores of each head.",
    _alibi,
    cases=[(4, 2), (5, 4), (3, 8)],
    mistakes=[
        Mistake({"sign": 1.0}, "Your bias rewards distance. What is far away shall score lower."),
        Mistake({"away": as_it_is}, "Your bias is negative on one side and positive on the other. "
                "An encoder looks both ways: take the absolute distance."),
        Mistake({"away": lambda distance: np.maximum(distance, 0)}, "Tokens to the right are not "
                "punished. That is right for a model that reads from left to right; here both "
                "sides count."),
        Mistake({"away": np.square}, "Your bias grows with the square of the distance. It is a "
                "straight line."),
        Mistake({"slopes": np.ones}, "All heads have the same slope. Head h of n has the slope 2 "
                "to the power of -8 h / n."),
        Mistake({"slopes": lambda heads: _slopes(heads) * 2 ** (8 / heads)}, "Heads are counted "
                "from 1 here: the first slope is 2 to the power of -8 / heads."),
        Mistake({"slopes": lambda heads: _slopes(heads)[::-1]}, "Your slopes stand in the wrong "
                "order: the first head has the steepest one."),
        Mistake(lambda seq, heads: _alibi(seq, heads)[0], "That is one head. Return one matrix for "
                "each."),
    ],
)  # fmt: skip
