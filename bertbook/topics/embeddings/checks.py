"""Exercises of Chapter 7: one position code, distances."""

import numpy as np
import torch

from bertbook.core.exercises.exercise import Exercise, attempt

_RNG = np.random.default_rng(7)


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
        "10000 ** (…) → 10000**even / hidden_size ¦ 10000 * even / hidden_size": "Put brackets.",
        "np.arange(0, hidden_size, 2) → np.arange(2, hidden_size + 2, 2)": "The first i is 0.",
        f"{_PAIRS} np.arange(hidden_size) ¦ 2 * np.arange(hidden_size)": "In the formula i counts "
            "pairs: entries 2 and 3 both have i = 1.",
        "even / → even //": "The power is a fraction: where are its brackets?",
        "position / 10000 → position * 10000": "Your hands turn faster and faster.",
        "10000 → 1000": "Your base is 1000; in the formula it is 10000.",
        "= position → = (position + 1) ¦ = (position - 1)": "At position 0 all hands stand at 0.",
        "hidden_size) → hidden_size) / 180 * np.pi": "The formula gives radians already.",
    },
)  # fmt: skip


def _distance_bias(table, seq):
    positions = torch.arange(seq)
    middle = len(table) // 2
    distance = positions - positions[:, None]
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
        "positions - positions[:, None] → positions[:, None] - positions": "The table is mirrored.",
        "+ middle] → ]": "Where in the table does distance 0 stand?",
        "= positions - positions[:, None] → = (positions - positions[:, None]).abs() ¦ = positions "
            "+ positions[:, None]": "Left and right differ. From which position to which?",
        "len(table) // 2 → len(table) // 2 + 1 ¦ seq // 2 ¦ 2": "Where is the table's middle?",
        "(-middle, middle) → (-middle, middle - 1)": "Both ends of the table count.",
        "table[…] → torch.where(distance.abs() > middle, 0.0, table[…])": "Beyond its ends the "
            "table goes on with its last entry.",
        ".clamp(…) →": "How far does the table reach, and which entry counts beyond its ends?",
        "table[…] → distance ¦ distance.clamp(-middle, middle) + middle": "What stands there?",
        "middle) → middle)[0]": "One row for all: from where does row i count?",
    },
)  # fmt: skip
