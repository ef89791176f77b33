"""Exercises of Chapter 7: segments, look up and add, one position code, distances."""

import numpy as np
import torch

from bertbook.core.exercises.exercise import Exercise, attempt

_RNG = np.random.default_rng(7)


def _segments(first, second):
    row = "A" * (1 + first + 1)
    return row if second is None else row + "B" * (second + 1)


check_segments = Exercise(
    "Write the segments of the row that a text, or a pair of texts, becomes.",
    _segments,
    cases=[(1, 2), (4, 3), (4, None), (2, 0), (0, 5), (0, None)],
    mistakes={
        ("1 + first + 1 → first || second + 1 → second", "1 + first → first || second + 1 → second "
            "¦ second + 2", "second + 1 → second ¦ second + 2", "1 + first → 2 + first || second + "
            "1 → second"): "One [CLS] begins the row; a [SEP] ends each text, and has its segment.",
        '"B" → "A"': "Everything is segment A. The model could not tell the texts apart.",
        ("→ right(first, second or 0)", "second is None → not second", TypeError): "None alone "
            "means no second text. Ask for it with `is None` before you count.",
        '"A" → "0" || "B" → "1"': "Those are the segment ids. Write A for 0 and B for 1.",
        '→ " ".join(right(first, second)) ¦ [*right(first, second)]': 'Return one string: '
            '"".join(…).',
    },
)  # fmt: skip


def _input_vectors(ids, types, words, segments, places):
    return words[ids] + segments[types] + places[: ids.shape[1]]


def _lookup_case(batch, seq, hidden):
    """Draw tables and ids; there are more places than tokens, and more ids than places."""
    types = (np.arange(seq) >= _RNG.integers(1, seq, (batch, 1))).astype(int)
    tables = (_RNG.standard_normal((rows, hidden)) for rows in (12, 2, 9))
    return _RNG.integers(0, 12, (batch, seq)), types, *tables


check_input_vectors = Exercise(
    "Add the rows of the token, the segment and the position table for every token.",
    _input_vectors,
    cases=[_lookup_case(1, 4, 3), _lookup_case(3, 5, 2), _lookup_case(2, 6, 4)],
    forbidden=["a loop"],
    mistakes={
        ": ids.shape[1] → : len(ids) ¦ : len(ids), None": "How many tokens has a row?",
        "places[: ids.shape[1]] → 0": "You never look at the position table.",
        "segments[types] → 0": "You never look at the segment table.",
        "words[ids] → 0": "You never look at the token table.",
        "[types] → [0]": "Which row does token_type_ids ask for?",
        "[: ids.shape[1]] → [0] ¦ [1 : ids.shape[1] + 1] ¦ [ids % len(places)] ¦ [ids]":
            "Each token gets the row of its own place, from 0 to the end of the row.",
        "] + → ] *": "You multiply the three vectors. They are added.",
        "→ right(ids, types, words, segments, places) / 3": "You take the mean. It is a sum.",
        "→ x = right(ids, types, words, segments, places); return (x - x.mean(-1, keepdims=True)) "
            "/ np.sqrt(x.var(-1, keepdims=True) + 1e-12)": "LayerNorm comes later.",
    },
)  # fmt: skip


def _position_code(position, hidden_size):
    code = np.zeros(hidden_size)
    even = np.arange(0, hidden_size, 2)
    angles = position / 10000 ** (even / hidden_size)
    code[0::2], code[1::2] = np.sin(angles), np.cos(angles)
    return code


_PAIRS = ("np.sin(angles), np.cos(angles) → np.sin(angles[0::2]), np.cos(angles[1::2]) || "
          "np.arange(0, hidden_size, 2) →")  # fmt: skip

check_position_code = Exercise(
    "Compute the sinusoidal code of one position.",
    _position_code,
    cases=[(0, 4), (3, 4), (1, 2), (5, 8), (60, 6), (511, 16)],
    forbidden=["sinusoidal_positions"],
    mistakes={
        ("return code → return np.concatenate([code[0::2], code[1::2]])", "np.sin(angles), "
            "np.cos(angles) → np.cos(angles), np.sin(angles)"): "Sine, cosine, sine, cosine, ….",
        "np.cos → np.sin": "Every entry is a sine. What stands at the odd ones?",
        "even / → even / 2 /": "In the formula 2i is the even entry itself.",
        f"{_PAIRS} np.arange(hidden_size) ¦ 2 * np.arange(hidden_size)": "In the formula i counts "
            "pairs: entries 2 and 3 both have i = 1.",
        "even / → even //": "The power is a fraction: where are its brackets?",
        "position / 10000 → position * 10000": "Your hands turn faster and faster.",
        "10000 → 1000": "Your base is 1000; in the formula it is 10000.",
        "= position → = (position + 1)": "At position 0 all hands stand at 0.",
        "hidden_size) → hidden_size) / 180 * np.pi": "The formula gives radians already.",
    },
)  # fmt: skip


def _distance_bias(table, seq):
    places = torch.arange(seq)
    middle = len(table) // 2
    distance = places - places[:, None]
    return table[distance.clamp(-middle, middle) + middle]


def _learns(function):
    answer, problem = attempt(function, torch.zeros(5, requires_grad=True), 3)
    reached = getattr(answer, "requires_grad", False)
    return problem or ("" if reached else "no gradient reaches the table.")


def _table_case(size, seq):
    return torch.from_numpy(_RNG.standard_normal(size).round(2)), seq


check_distance_bias = Exercise(
    "Write what each distance adds to the scores, as a tensor of shape (seq, seq).",
    _distance_bias,
    cases=[_table_case(5, 3), _table_case(5, 6), _table_case(9, 4), _table_case(3, 5)],
    forbidden=["a loop"], then=_learns,
    mistakes={
        "places - places[:, None] → places[:, None] - places": "Your table is mirrored.",
        "+ middle] → ]": "Where in the table does distance 0 stand?",
        ".clamp(…) →": "How far does the table reach, and which entry counts beyond its ends?",
        "table[…] → distance ¦ distance.clamp(-middle, middle) + middle": "What stands there?",
        "middle) → middle)[0]": "One row for all: from where does row i count?",
    },
)  # fmt: skip
