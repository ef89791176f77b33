"""Exercises of Chapter 22: RoBERTa's positions, ALBERT's parameters, windows."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake
from .tensors import to_tensor


def _positions(ids, padding, *, count=np.cumsum, shift=np.add, hide=True, axis=1):
    """Count the tokens of each row from padding + 1 on; padding itself stands at padding."""
    is_token = (np.asarray(ids) != padding).astype(int)
    numbers = count(is_token, axis=axis)
    return shift(numbers * is_token if hide else numbers, padding)


def _from_zero(ids, padding):
    return np.broadcast_to(np.arange(np.shape(ids)[1]), np.shape(ids)).copy()


def _over_all_rows(ids, padding):
    is_token = np.asarray(ids) != padding
    numbers = is_token.flatten().cumsum().reshape(is_token.shape)
    return np.where(is_token, numbers + padding, padding)


def _only_tokens(wrong):
    """Write a wrong numbering of tokens whose padding stands where it should."""
    return lambda ids, padding: np.where(np.asarray(ids) != padding, wrong(ids, padding), padding)


_EARLY = (
    "You are one too early: your first token stands at the padding id, and that row of the table "
    "is empty."
)
_LATE = "You are one too late: the first token stands at the padding id plus 1."
_ZERO = "You take 0 for the padding id. That is BERT's; here it is given."
_PLACES = (
    "You number places, padding among them. Only tokens are counted: padding on the left must not "
    "move a sentence."
)

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
    mistakes=[
        Mistake(_from_zero, "These are BERT's positions: 0, 1, 2, …. RoBERTa's begin behind the "
                "padding id."),
        Mistake(lambda ids, padding: _from_zero(ids, padding) + padding + 1, _PLACES),
        Mistake(_only_tokens(lambda ids, padding: _from_zero(ids, padding) + padding + 1),
                _PLACES),
        Mistake({"hide": False}, "Padding behind a sentence gets the number of its last token. "
                "It stands at the padding id."),
        Mistake({"shift": lambda numbers, padding: numbers}, "The counting is right, but it begins "
                "with 1 for every padding id. It shall begin behind the padding id."),
        Mistake({"shift": lambda numbers, padding: numbers + padding - 1}, _EARLY),
        Mistake({"shift": lambda numbers, padding: numbers + padding - (numbers > 0)}, _EARLY),
        Mistake({"shift": lambda numbers, padding: numbers + padding + 1}, _LATE),
        Mistake({"shift": lambda numbers, padding: numbers + padding + (numbers > 0)}, _LATE),
        Mistake({"axis": 0}, "You count down the columns. Each row is a sentence."),
        Mistake({"count": lambda tokens, axis: tokens}, "You have found out which ids are tokens. "
                "Now count them along the row."),
        Mistake(lambda ids, padding: _positions(ids, 0), _ZERO),
        Mistake(lambda ids, padding: _positions(ids, 0) + padding, _ZERO),
        Mistake(lambda ids, padding: _positions(ids, 1), "You take 1 for the padding id. That is "
                "RoBERTa's own; here it is given."),
        Mistake(lambda ids, padding: _positions(np.maximum(ids, padding), padding), "An id below "
                "that of padding is a token, too. Ask which ids are not padding."),
        Mistake(lambda ids, padding: _positions(np.asarray(ids) == padding, 0) + padding, "You "
                "count the padding. It is the tokens that are numbered."),
        Mistake(_over_all_rows, "Your counter goes on where the row before has ended. Each row "
                "begins anew."),
        Mistake(_only_tokens(lambda ids, padding: np.cumsum(ids, axis=1) + padding), "You add up "
                "the ids. Each token counts as one, whatever its id is."),
        Mistake(_only_tokens(lambda ids, padding: _positions(ids[:, ::-1], padding)[:, ::-1]),
                "You count from the right end of the row."),
        Mistake(lambda ids, padding: np.where(np.asarray(ids) != padding,
                _positions(ids, padding), -100), "-100 is for labels. Padding stands at the "
                "padding id."),
        Mistake(lambda ids, padding: np.where(np.asarray(ids) != padding,
                _positions(ids, padding), 0), "Padding stands at the padding id, not at 0: row 0 "
                "of the table belongs to somebody else."),
    ],
)  # fmt: skip


def _layer(hidden, wide):
    return 4 * (hidden * hidden + hidden) + 2 * hidden * wide + wide + hidden + 4 * hidden


def _widen(narrow, hidden):
    return narrow * hidden + hidden


def _albert(vocab, narrow, hidden, wide, layers, *, copies=1, rows=512 + 2, bridge=_widen,
            layer=_layer):  # fmt: skip
    """Count ALBERT's parameters: narrow tables, a bridge, and one layer."""
    tables = (vocab + rows + 2) * narrow  # 2 for the LayerNorm
    copies = layers if copies is None else copies
    return tables + bridge(narrow, hidden) + copies * layer(hidden, wide)


def _wide_tables(vocab, narrow, hidden, wide, layers, rows=0):
    """Count the words wide, or with some rows only the positions and the segments."""
    counted = rows or vocab + 512 + 2 + 2
    known = _albert(vocab, narrow, hidden, wide, layers)
    return known - counted * narrow + counted * hidden


_TABLES = "All rows of the embeddings have embedding_size numbers: words, positions, segments, and"


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
        Mistake({"bridge": lambda narrow, hidden: 0}, "Who widens the vectors? There "
                "is a linear map from embedding_size to hidden_size, with a bias."),
        Mistake({"bridge": np.multiply}, "Almost: the map that widens the vectors has a bias."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - 5 * hidden - wide},
                "The linear maps of the layer have biases."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - 4 * hidden}, "The two "
                "LayerNorms of the layer are missing."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - hidden * hidden - hidden},
                "Attention has four linear maps: query, key, value, and the one behind them."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - 2 * hidden}, "Twice "
                "hidden_size numbers are missing in the layer. It has two LayerNorms, and each "
                "has a weight and a bias."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - wide - hidden}, "The two "
                "maps of the feed-forward part have biases."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) - hidden * wide - hidden},
                "The feed-forward part has two maps: one widens, one narrows."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) + hidden * wide}, "A gate is "
                "ModernBERT's. Here the feed-forward part has two maps."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, 4 * hidden)}, "You take four times "
                "hidden_size for the feed-forward part. Its size is given."),
        Mistake({"layer": lambda hidden, wide: _layer(hidden, wide) + hidden * hidden + hidden},
                "You count a pooler, or a fifth map."),
        Mistake({"rows": -2}, "You count the words only. There are positions, 512, segments, 2, "
                "and a LayerNorm: all are narrow."),
        Mistake({"rows": 513}, "embedding_size numbers are missing. A LayerNorm has a weight and "
                "a bias."),
        Mistake(_wide_tables, f"{_TABLES} the LayerNorm behind them."),
        Mistake(lambda *sizes: _wide_tables(*sizes, rows=514), f"{_TABLES} their LayerNorm."),
        Mistake(lambda *sizes: _wide_tables(*sizes, rows=516), f"{_TABLES} that LayerNorm."),
        Mistake(lambda *sizes: _wide_tables(*sizes, rows=2), "The LayerNorm of the embeddings "
                "stands before the map that widens."),
        Mistake(lambda vocab, narrow, hidden, *more: _albert(vocab, narrow, hidden, *more)
                + vocab * hidden, "The narrow table stands in the place of the wide one."),
        Mistake(lambda *sizes: sizes[-1] * _albert(*sizes), "You count everything once for each "
                "layer, the tables too. And the layers are one and the same."),
        Mistake(lambda *sizes: round(_albert(*sizes) / 1e6), "Return the number itself, not "
                "millions."),
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
        Mistake(lambda kinds, reach, seq: seq if "global" in kinds else
                min(seq, (1 + reach) ** len(kinds)), "Each local layer adds its window; it does "
                "not multiply with what was there."),
        Mistake(lambda kinds, reach, seq: seq if "global" in kinds else
                min(seq, (1 + reach) * len(kinds)), "The token itself is counted once, not in "
                "every layer."),
        Mistake(lambda kinds, reach, seq: _heard(kinds, reach // 2, seq), "reach is the way to "
                "one side already. Do not halve it."),
        Mistake(lambda kinds, reach, seq: min(seq, 1 + reach * len(kinds)), "You count a global "
                "layer as a local one. In it every token looks at all others."),
        Mistake(lambda kinds, reach, seq: max(seq, 1 + reach * kinds.count("local")), "There are "
                "no more than seq tokens, but it can be fewer. Take the smaller number."),
        Mistake(lambda kinds, reach, seq: _heard(kinds, reach, seq) - 1, "The token has heard "
                "from itself, too, also where it hears all."),
        Mistake(lambda kinds, reach, seq: seq if kinds[:1] == ["global"] else
                _heard(kinds, reach, seq, all_hear=False), "You ask what the first layer is. A "
                "later global layer lets every token hear all others."),
        Mistake(lambda kinds, reach, seq: seq if kinds[:1] == ["global"] else
                min(seq, 1 + reach * len(kinds)), "You ask what the first layer is. A later "
                "global layer is no local one."),
        Mistake(lambda kinds, reach, seq: seq if kinds[-1:] == ["global"] else
                _heard(kinds, reach, seq, all_hear=False), "You ask what the last layer is. An "
                "earlier global layer has told every token about all others."),
    ],
)  # fmt: skip
