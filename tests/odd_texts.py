"""Texts that break tokenizers: every script, marks, joiners, control characters, endless words."""

import random

from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def _characters(*ranges: tuple[int, int]) -> list[str]:
    codes = (code for first, last in ranges for code in range(first, last + 1))
    return [chr(code) for code in codes if not 0xD800 <= code < 0xE000]


POOLS = {
    "ascii": _characters((32, 126)),
    "control and zero width": _characters(
        (0, 31), (127, 159), (0xAD, 0xAD), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202F),
        (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFD),
    ),
    "composed accents": _characters((0xA0, 0x24F), (0x1E00, 0x1EFF)),
    "accents alone": _characters((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF)),
    "Greek and Cyrillic": _characters((0x370, 0x52F), (0x1F00, 0x1FFF)),
    "Chinese": _characters(
        (0x4E00, 0x4FFF), (0x3400, 0x3410), (0x20000, 0x20010), (0x2B810, 0x2B930),
        (0x2CEAA, 0x2CEB3), (0xF900, 0xFA20),
    ),
    "Japanese and Korean": _characters(
        (0x3000, 0x30FF), (0x1100, 0x1140), (0xAC00, 0xAC40), (0xFF00, 0xFFEF)
    ),
    "emoji with joiners": _characters(
        (0x1F300, 0x1F64F), (0x1F900, 0x1F9FF), (0x2600, 0x26FF), (0x200D, 0x200D),
        (0xFE0F, 0xFE0F), (0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F),
    ),
    "right to left": _characters((0x590, 0x6FF), (0x7C0, 0x7FF), (0xFB1D, 0xFDFF)),
    "Indian and Thai": _characters((0x900, 0xFFF)),
    "punctuation": _characters((33, 47), (0x2000, 0x206F), (0x2E00, 0x2E7F), (0x3000, 0x303F)),
    "mathematics": _characters((0x1D400, 0x1D7FF), (0x2100, 0x22FF)),
    "anything": _characters((0, 0x3FFFF), (0xE0000, 0x10FFFF)),
}  # fmt: skip
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
        (33, 126), (0xA1, 0x17F), (0x300, 0x303), (0x391, 0x3C9), (0x5D0, 0x5EA), (0x1100, 0x1170),
        (0x3041, 0x30FF), (0x4E00, 0x4FFF), (0xAC00, 0xAC10), (0x1F600, 0x1F64F),
    )  # fmt: skip
    unused = [f"[unused{number}]" for number in range(1, 100)]
    words = ["the", "##ing", "play", "naïve", "un", "##aff", "##able", "naive"]
    special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "<S>", "<T>"]
    continued = ["##" + character for character in characters]
    return list(dict.fromkeys(["[PAD]", *unused, *special, *characters, *continued, *words]))
