"""Exercises of Chapter 7: segments, look up and add, one position code."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(7)


def _segments(first, second, *, before=2, behind=1, letters="AB", none=None, join="".join):
    """Write the segment of every token of the row."""
    second = none if second is None else second
    if second is None:
        return join(letters[0] * (first + before))
    return join(letters[0] * (first + before) + letters[1] * (second + behind))


def _empty_as_none(first, second):
    return _segments(first, second or None)


check_segments = Exercise(
    "Write the segments of the row that a text, or a pair of texts, becomes.",
    _segments,
    cases=[(1, 2), (4, 3), (4, None), (2, 0), (0, 5), (0, None)],
    mistakes=[
        Mistake({"before": 0, "behind": 0}, "You count the pieces of the texts. Which special "
                "tokens does their row have?"),
        Mistake({"before": 1, "behind": 0}, "One special token of the first text is missing. What "
                "begins a row, and what ends a text?"),
        Mistake({"behind": 0}, "The last [SEP] is missing. To which text does it belong?"),
        Mistake({"before": 1, "behind": 2}, "The first [SEP] ends the first text, so it has the "
                "segment A."),
        Mistake({"before": 3, "behind": 0}, "The last [SEP] ends the second text, so it has the "
                "segment B."),
        Mistake({"before": 1}, "One special token of the first text is missing. What begins a row, "
                "and what ends a text?"),
        Mistake({"behind": 2}, "There is one special token too many: only the row as a whole "
                "begins with [CLS]."),
        Mistake({"letters": "AA"}, "The row is as long as it should be, but everything is segment "
                "A. The model could not tell the texts apart."),
        Mistake({"none": 0}, "None means that there is no second text: then its [SEP] is not there "
                "either."),
        Mistake(TypeError, "None means that there is no second text. It is no number: ask for it "
                "with `is None` before you count."),
        Mistake(_empty_as_none, "A second text with 0 pieces is there all the same, and has its "
                "[SEP]. Only None means that there is none."),
        Mistake({"letters": "01"}, "Those are the segment ids. Write A for 0 and B for 1."),
        Mistake({"join": " ".join}, "Nearly: write the letters without spaces between them."),
        Mistake({"join": list}, "These are the right letters, in a list. Return one string: "
                "\"\".join(…)."),
    ],
)  # fmt: skip


def _sums(ids, types, words, segments, positions, *, word=1, segment=lambda t, types: t[types],
          place=lambda ids, table: table[: ids.shape[1]],
          add=lambda a, b, c: a + b + c):  # fmt: skip
    return add(word * words[ids], segment(segments, types), place(ids, positions))


def _normalized(*vectors):
    x = np.asarray(sum(vectors))
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-12)


def _lookup_case(batch, seq, hidden):
    """Draw tables and ids; there are more places than tokens, and more ids than places."""
    ids = _RNG.integers(0, 12, (batch, seq))
    types = (np.arange(seq) >= _RNG.integers(1, seq, (batch, 1))).astype(int)
    return ids, types, *(_RNG.standard_normal((rows, hidden)) for rows in (12, 2, 9))


check_input_vectors = Exercise(
    "Add the rows of the token, the segment and the position table for every token.",
    _sums,
    cases=[_lookup_case(1, 4, 3), _lookup_case(3, 5, 2), _lookup_case(2, 6, 4)],
    mistakes=[
        Mistake(lambda ids, types, word, segment, place: word[ids] + segment[types]
                + place[: len(ids)], "len(input_ids) counts the texts. A row has as many places as "
                "tokens: input_ids.shape[1]."),
        Mistake({"place": lambda i, p: 0}, "You never look at the position table. The sums of a "
                "sentence would be a bag."),
        Mistake({"segment": lambda t, s: 0}, "You never look at the segment table. A pair would be "
                "one text."),
        Mistake({"word": 0}, "You never look at the token table. All sentences would be alike."),
        Mistake({"segment": lambda t, s: t[0]}, "Every token gets the row of segment A. Which row "
                "does token_type_ids ask for?"),
        Mistake({"segment": lambda t, s: t[1 - s]}, "The two segments have changed places: segment "
                "0 has row 0."),
        Mistake({"place": lambda i, p: p[0]}, "Every token gets the row of place 0."),
        Mistake({"place": lambda i, p: p[1 : i.shape[1] + 1]}, "You count places from 1. The first "
                "place is 0."),
        Mistake({"place": lambda i, p: p[i % len(p)]}, "You look up positions by the id of the "
                "token. Where does the token stand?"),
        Mistake({"place": lambda i, p: p[i]}, "You look up positions by the id of the token. Where "
                "does the token stand?"),
        Mistake({"place": lambda i, p: p}, "You add the whole position table, but a row of tokens "
                "is shorter. Which of its places are there?"),
        Mistake({"add": lambda a, b, c: a * b * c}, "You multiply the three vectors. They are "
                "added."),
        Mistake({"add": lambda a, b, c: (a + b + c) / 3}, "You take the mean. It is a sum."),
        Mistake({"add": _normalized}, "That is the sum after LayerNorm. Return what LayerNorm "
                "receives."),
    ],
)  # fmt: skip


def _code(position, hidden_size, *, power=lambda entry: entry // 2 * 2, base=10000.0, start=0,
          halves=False, even=np.sin, odd=np.cos, faster=False, unit=1.0):  # fmt: skip
    """Compute the sinusoidal code of one position."""
    entries = np.arange(hidden_size)
    speeds = base ** (power(entries) / hidden_size * (1 if faster else -1))
    angles = (position + start) * speeds * unit
    code = np.where(entries % 2 == 0, even(angles), odd(angles))
    return np.concatenate([code[0::2], code[1::2]]) if halves else code


check_position_code = Exercise(
    "Compute the sinusoidal code of one position.",
    _code,
    cases=[(0, 4), (3, 4), (1, 2), (5, 8), (60, 6), (511, 16)],
    forbidden=["sinusoidal_positions"],
    mistakes=[
        Mistake({"halves": True}, "All sines come first, then all cosines. In this formula sine "
                "and cosine of a pair stand side by side."),
        Mistake({"even": np.cos, "odd": np.sin}, "Sine and cosine have changed places: which of "
                "them stands at the even entries?"),
        Mistake({"odd": np.sin}, "Every entry is a sine. What stands at the odd ones?"),
        Mistake({"power": lambda entry: entry // 2}, "Your exponent is i / H. By how much does it "
                "grow from one pair to the next?"),
        Mistake({"power": as_it_is}, "The two entries of a pair have different angles. Both use "
                "the same i."),
        Mistake({"power": lambda entry: 2 * entry}, "You take the number of the entry for i. In "
                "the formula i counts pairs: entries 0 and 1 have i = 0, entries 2 and 3 have i = "
                "1."),
        Mistake({"power": lambda entry: entry // 2 * 4}, "You take an even entry for i and double "
                "it. In the formula i counts pairs, and 2i is the even entry itself."),
        Mistake({"faster": True}, "Your hands turn faster and faster. The angle is the position "
                "divided by the power."),
        Mistake({"base": 1000.0}, "Your base is 1000; in the formula it is 10000."),
        Mistake({"start": 1}, "You count positions from 1. At position 0 all hands stand at 0."),
        Mistake({"unit": np.pi / 180}, "Your angles are degrees. sin and cos expect radians, and "
                "the formula gives radians already."),
    ],
)  # fmt: skip
