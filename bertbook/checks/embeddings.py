"""Exercises of Chapter 7: segments, look up and add, one position code, distances."""

from __future__ import annotations

import numpy as np
import torch

from .exercise import Exercise

_RNG = np.random.default_rng(7)


def _segments(first, second):
    row = "A" * (1 + first + 1)
    if second is not None:
        row += "B" * (second + 1)
    return row


check_segments = Exercise(
    "Write the segments of the row that a text, or a pair of texts, becomes.",
    _segments,
    cases=[(1, 2), (4, 3), (4, None), (2, 0), (0, 5), (0, None)],
    mistakes={
        "1 + first + 1 → first || second + 1 → second": "You count the pieces of the texts. Which "
            "special tokens does their row have?",
        "1 + first → first || second + 1 → second": "One special token of the first text is "
            "missing. What begins a row, and what ends a text?",
        "second + 1 → second": "The last [SEP] is missing. To which text does it belong?",
        "1 + first → first || second + 1 → second + 2": "The first [SEP] ends the first text, so "
            "it has the segment A.",
        "1 + first → 2 + first || second + 1 → second": "The last [SEP] ends the second text, so "
            "it has the segment B.",
        "1 + first → first": "One special token of the first text is missing. What begins a row, "
            "and what ends a text?",
        "second + 1 → second + 2": "There is one special token too many: only the row as a whole "
            "begins with [CLS].",
        '"B" → "A"': "The row is as long as it should be, but everything is segment A. The model "
            "could not tell the texts apart.",
        "→ right(first, second or 0)": "None means that there is no second text: then its [SEP] is "
            "not there either.",
        TypeError: "None means that there is no second text. It is no number: ask for it with `is "
            "None` before you count.",
        "second is not None → second": "A second text with 0 pieces is there all the same, and has "
            "its [SEP]. Only None means that there is none.",
        '"A" → "0" || "B" → "1"': "Those are the segment ids. Write A for 0 and B for 1.",
        '→ " ".join(right(first, second))': "Nearly: write the letters without spaces between "
            "them.",
        "→ [*right(first, second)]": "These are the right letters, in a list. Return one string: "
            "\"\".join(…).",
    },
)  # fmt: skip


def _input_vectors(input_ids, token_type_ids, word_table, segment_table, position_table):
    seq = input_ids.shape[1]
    return word_table[input_ids] + segment_table[token_type_ids] + position_table[:seq]


def _lookup_case(batch, seq, hidden):
    """Draw tables and ids; there are more places than tokens, and more ids than places."""
    ids = _RNG.integers(0, 12, (batch, seq))
    types = (np.arange(seq) >= _RNG.integers(1, seq, (batch, 1))).astype(int)
    return ids, types, *(_RNG.standard_normal((rows, hidden)) for rows in (12, 2, 9))


check_input_vectors = Exercise(
    "Add the rows of the token, the segment and the position table for every token.",
    _input_vectors,
    cases=[_lookup_case(1, 4, 3), _lookup_case(3, 5, 2), _lookup_case(2, 6, 4)],
    mistakes={
        "input_ids.shape[1] → len(input_ids)": "len(input_ids) counts the texts. A row has as many "
            "places as tokens: input_ids.shape[1].",
        "position_table[:seq] → 0": "You never look at the position table. The sums of a sentence "
            "would be a bag.",
        "segment_table[token_type_ids] → 0": "You never look at the segment table. A pair would be "
            "one text.",
        "word_table[input_ids] → 0": "You never look at the token table. All sentences would be "
            "alike.",
        "[token_type_ids] → [0]": "Every token gets the row of segment A. Which row does "
            "token_type_ids ask for?",
        "[token_type_ids] → [1 - token_type_ids]": "The two segments have changed places: segment "
            "0 has row 0.",
        "[:seq] → [0]": "Every token gets the row of place 0.",
        "[:seq] → [1 : seq + 1]": "You count places from 1. The first place is 0.",
        ("[:seq] → [input_ids % len(position_table)]", "[:seq] → [input_ids]"): "You look up "
            "positions by the id of the token. Where does the token stand?",
        "[:seq] →": "You add the whole position table, but a row of tokens is shorter. Which of "
            "its places are there?",
        "] + → ] *": "You multiply the three vectors. They are added.",
        "return → return 1 / 3 * ( || [:seq] → [:seq])": "You take the mean. It is a sum.",
        ("return → x = || [:seq] → [:seq]; x = x - x.mean(axis=-1, keepdims=True); return x / "
         "np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-12)"): "That is the sum after "
            "LayerNorm. Return what LayerNorm receives.",
    },
)  # fmt: skip


def _position_code(position, hidden_size):
    code = np.zeros(hidden_size)
    even = np.arange(0, hidden_size, 2)
    angles = position / 10000 ** (even / hidden_size)
    code[0::2], code[1::2] = np.sin(angles), np.cos(angles)
    return code


_ALL_ANGLES = "np.sin(angles), np.cos(angles) → np.sin(angles[0::2]), np.cos(angles[1::2])"

check_position_code = Exercise(
    "Compute the sinusoidal code of one position.",
    _position_code,
    cases=[(0, 4), (3, 4), (1, 2), (5, 8), (60, 6), (511, 16)],
    forbidden=["sinusoidal_positions"],
    mistakes={
        "return code → return np.concatenate([code[0::2], code[1::2]])": "All sines come first, "
            "then all cosines. In this formula sine and cosine of a pair stand side by side.",
        "np.sin(angles), np.cos(angles) → np.cos(angles), np.sin(angles)": "Sine and cosine have "
            "changed places: which of them stands at the even entries?",
        "np.cos → np.sin": "Every entry is a sine. What stands at the odd ones?",
        "even / hidden_size → even / 2 / hidden_size": "Your exponent is i / H. By how much does "
            "it grow from one pair to the next?",
        f"np.arange(0, hidden_size, 2) → np.arange(hidden_size) || {_ALL_ANGLES}": "The two "
            "entries of a pair have different angles. Both use the same i.",
        f"np.arange(0, hidden_size, 2) → 2 * np.arange(hidden_size) || {_ALL_ANGLES}": "You take "
            "the number of the entry for i. In the formula i counts pairs: entries 0 and 1 have i "
            "= 0, entries 2 and 3 have i = 1.",
        "even / hidden_size → 2 * even / hidden_size": "You take an even entry for i and double "
            "it. In the formula i counts pairs, and 2i is the even entry itself.",
        "position / 10000 → position * 10000": "Your hands turn faster and faster. The angle is "
            "the position divided by the power.",
        "10000 → 1000": "Your base is 1000; in the formula it is 10000.",
        "angles = position → angles = (position + 1)": "You count positions from 1. At position 0 "
            "all hands stand at 0.",
        "(even / hidden_size) → (even / hidden_size) / 180 * np.pi": "Your angles are degrees. sin "
            "and cos expect radians, and the formula gives radians already.",
    },
)  # fmt: skip


def _distance_bias(table, seq):
    places = torch.arange(seq)
    middle = len(table) // 2
    distance = places - places[:, None]
    return table[distance.clamp(-middle, middle) + middle]


def _table_case(size, seq):
    return torch.from_numpy(_RNG.standard_normal(size).round(2)), seq


check_distance_bias = Exercise(
    "Write what each distance adds to the scores, as a tensor of shape (seq, seq).",
    _distance_bias,
    cases=[_table_case(5, 3), _table_case(5, 6), _table_case(9, 4), _table_case(3, 5)],
    mistakes={
        "places - places[:, None] → places[:, None] - places": "Your table is mirrored: row i and "
            "column j get the entry for i − j. Which of the two looks, and which is looked at?",
        "places - places[:, None] → (places - places[:, None]).abs()": "You take distances without "
            "their sign. Is the word before the same as the word after?",
        "places - places[:, None] → places + places[:, None]": "You add the two positions. What is "
            "their distance?",
        " + middle] → ]": "A distance of 0 gets the first entry, and negative ones count from the "
            "end. Where in the table does distance 0 stand?",
        "distance.clamp(-middle, middle) + middle → (distance + middle) % len(table)": "Beyond its "
            "ends your table begins anew. Which entry counts there?",
        ".clamp(-middle, middle) →": "A distance beyond the table finds no entry. Which one counts "
            "there?",
        ".clamp(-middle, middle) → .clamp(-1, 1)": "Only the neighbors have entries of their own. "
            "How far does the table reach?",
        "len(table) // 2 → len(table) // 2 - 1": "Distance 0 is one entry off. Which entry is the "
            "middle one of 2m + 1?",
        "len(table) // 2 → len(table) // 2 + 1": "Distance 0 is one entry off. Which entry is the "
            "middle one of 2m + 1?",
        "return table[distance.clamp(-middle, middle) + middle] → return distance": "These are the "
            "distances. What does the table hold for each of them?",
        "return table[distance.clamp(-middle, middle) + middle] → return "
        "distance.clamp(-middle, middle) + middle": "These are the places in the table. What "
            "stands there?",
        "return table[distance.clamp(-middle, middle) + middle] → return "
        "table[distance.clamp(-middle, middle)[0] + middle]": "One row for all: whatever token "
            "looks, you count from the first one. From where does row i count?",
    },
)  # fmt: skip
