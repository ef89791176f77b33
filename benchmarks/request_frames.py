"""Frames with gaps, filled by chance: how the requests to learn from were made.

``python -m benchmarks.request_frames`` prints them, which is the part ``train`` of the requests of
Chapter 16; ``request_rules.txt`` holds the frames.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from random import Random

RULES = Path(__file__).with_name("request_rules.txt")
FILLINGS, SEED = 3, 16
IN_LOWER_CASE, WITH_TYPO = 0.1, 0.06
TABLE = re.compile(r"([A-Z]{2,}): (.+)")
CHOICE = re.compile(r"\[([^\[\]]+)\]")
NAME = re.compile(r"\b[A-Z]{2,}\b")
START = re.compile(r"(?:^|[.?!] )[a-z]")
HEADER = """\
# Requests of an internet provider's customers: Chapter 16, the part to learn from.
# Made of request_rules.txt by `python -m benchmarks.request_frames`: change the rules instead.
#
# How to read it
#   == Hardware: lights   requests of the class Hardware follow, a line each; the words come from
#                         the group of rules called lights, or were written by hand
#   (typo)                a mark: what is hard about a request. keyword: a word points to another
#                         class; negation: it says what it is not about; two topics: only one of
#                         them is to be acted on; typo: misspelled on purpose
# These lines with # are for people only.
"""


def fill_frames(rules: str, *, rng: Random) -> str:
    r"""Fill each frame of some rules a few times.

    Of ``rng`` only ``random()`` is asked, whose numbers Python promises to keep for a seed.

    Args:
        rules: Tables, headings and frames, as ``request_rules.txt`` explains them.
        rng: Draws the words.

    Returns:
        Headings and requests. Each frame gives three, all different; under a heading that ends with
        ``hand`` each line gives one, itself.

    Raises:
        ValueError: When a frame names no table that there is, or cannot be filled in three ways.

    Source: Chapter 16.

    >>> rules = "OPENING: hi,\nCLOSING: -\nWHO: I | we\n== Billing: sums\nWHO paid [twice | once]!"
    >>> print(fill_frames(rules, rng=Random(4)).strip())
    == Billing: sums
    Hi, I paid twice!
    Hi, we paid once!
    Hi, I paid once!
    """
    tables, groups = _read(rules)
    lines = []
    for heading, frames in groups.items():
        lines += ["", heading]
        if heading.endswith(": hand"):
            lines += frames
        else:
            filled = [_fillings(frame, tables, rng) for frame in frames]
            lines += chain.from_iterable(zip(*filled))  # so that neighbors differ
    return "\n".join(lines) + "\n"


def _read(rules: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Read the entries of each table, and the frames under each heading."""
    tables, groups = {}, {}
    for line in rules.splitlines():
        if table := TABLE.fullmatch(line):
            tables[table[1]] = options_of(table[2])
        elif line.startswith("== "):
            frames = groups.setdefault(line, [])
        elif line and not line.startswith("#"):
            frames.append(line)
    return tables, groups


def options_of(text: str) -> list[str]:
    """Read the entries of a table."""
    return [option.strip().removeprefix("-") for option in text.split(" | ")]


def _pick(options: list[str], rng: Random) -> str:
    return options[int(rng.random() * len(options))]


def _fillings(frame: str, tables: dict[str, list[str]], rng: Random) -> list[str]:
    """Fill a frame in different ways, and give each an opening, a closing and a look of its own."""
    bodies = {}
    for _ in range(1000):
        bodies[fill(frame, tables, rng)] = None
        if len(bodies) == FILLINGS:
            break
    else:
        raise ValueError(
            f"the frame {frame!r} has {len(bodies)} fillings, {FILLINGS} are needed; add choices"
        )
    return [_worn(fill(f"OPENING {body} CLOSING", tables, rng), rng) for body in bodies]


def fill(frame: str, tables: dict[str, list[str]], rng: Random) -> str:
    """Draw each choice that is written in place, and then each table, once."""
    text = CHOICE.sub(lambda choice: _pick(options_of(choice[1]), rng), frame)
    drawn = {}
    for name in NAME.findall(text):
        if name not in tables:
            raise ValueError(
                f"the frame {frame!r} names the table {name}; there are {', '.join(tables)}"
            )
        drawn[name] = drawn.get(name) or _pick(tables[name], rng)
    return " ".join(NAME.sub(lambda name: drawn[name[0]], text).split())


def _worn(text: str, rng: Random) -> str:
    """Write a request as customers do: mostly with care, sometimes in haste, rarely with a slip."""
    if rng.random() < IN_LOWER_CASE:
        text = text.lower().rstrip(".")
    else:
        text = START.sub(lambda start: start[0].upper(), text)
    return f"(typo) {slip(text, rng)}" if rng.random() < WITH_TYPO else text


def slip(text: str, rng: Random) -> str:
    """Swap two letters inside a word of five letters or more."""
    words = [word for word in re.finditer(r"\w{5,}", text) if len(set(word[0][1:-1])) > 1]
    word = words[int(rng.random() * len(words))]
    places = [i for i in range(word.start() + 1, word.end() - 2) if text[i] != text[i + 1]]
    i = places[int(rng.random() * len(places))]
    return text[:i] + text[i + 1] + text[i] + text[i + 2 :]


def _requests_to_learn_from() -> str:
    return HEADER + fill_frames(RULES.read_text(encoding="utf-8"), rng=Random(SEED))


if __name__ == "__main__":
    print(_requests_to_learn_from(), end="")
