"""Texts that break tokenizers: every script, marks, joiners, control characters, endless words."""

import random
from pathlib import Path

from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def _characters(ranges: str) -> list[str]:
    """Return all characters of ranges such as "20-7E"."""
    ends = ([int(code, 16) for code in each.split("-")] for each in ranges.split())
    return [chr(code) for first, last in ends for code in range(first, last + 1)]


LINES = Path(__file__).with_name("odd_ranges.txt").read_text("utf-8").splitlines()
POOLS = {name: _characters(ranges) for name, _, ranges in (x.partition(": ") for x in LINES)}
WORDS = (
    "the", "unaffable", "Playing", "naïve", "CAFÉ", "İstanbul", "ΟΔΟΣ", "straße", "ﬁne", "[MASK]",
    "[SEP]", "[cls]", "[UNK]x", "##ing", "[MASK][MASK]", "embeddings", "don't", "e-mail", "3.14",
    "Ⅷ", "中国",
)  # fmt: skip
BARE = ("", " ", "\n\t", "\x00", "\u200b", "\ufffd", "\u0301", "[", "[]", "##")


def odd_texts(number: int, seed: int) -> list[str]:
    """Make texts, the same for the same seed; a few are empty, a few hold 10 000-letter words."""
    rng = random.Random(seed)
    return [_odd_text(rng) for _ in range(number)]


def _odd_text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.005:
        return rng.choice("ab中é") * rng.choice([99, 100, 101, 10_000])
    if kind < 0.02:
        return rng.choice(BARE)
    pools = rng.sample(list(POOLS), rng.choice([1, 1, 2, 3]))
    return "".join(_odd_part(rng, pools) for _ in range(rng.randint(1, 30)))


def _odd_part(rng: random.Random, pools: list[str]) -> str:
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(WORDS)
    if kind < 0.25:
        return " "
    if kind < 0.4:
        return rng.choice("abcdeionrst")
    return rng.choice(POOLS[rng.choice(pools)])


def odd_vocabulary() -> list[str]:
    """Make a vocabulary as Chinese BERTs have it: few words, many characters of many scripts."""
    characters = _characters(
        "21-7E A1-17F 300-303 391-3C9 5D0-5EA 1100-1170 3041-30FF 4E00-4FFF AC00-AC10 1F600-1F64F"
    )
    unused = [f"[unused{number}]" for number in range(1, 100)]
    words = ["the", "##ing", "play", "naïve", "un", "##aff", "##able", "naive"]
    special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "<S>", "<T>"]
    continued = ["##" + character for character in characters]
    return list(dict.fromkeys(["[PAD]", *unused, *special, *characters, *continued, *words]))
