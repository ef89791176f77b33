"""Exercises of Chapter 22: RoBERTa's positions, ALBERT's parameters, windows."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise
from .tensors import to_tensor


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
