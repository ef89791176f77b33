"""From raw text to words: what BERT does to characters before it looks up any piece.

Clean, set Chinese characters apart, strip accents, lower the case, cut at punctuation: each step is
a function from text to text, and `split_words` takes them all. Chapter 6.
"""

import unicodedata
from collections.abc import Callable

from .text_files import packed_text

REMOVED = {"Cc", "Cf", "Co", "Cs"}
CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),  # the fast tokenizer begins here, 256 characters late; ids must agree
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"


def clean_text(text: str) -> str:
    r"""Return `text` without control characters, each kind of white space as a plain space.

    Zero-width characters, and those that change the direction of writing, count as control.

    >>> clean_text("one\tca\u200bt")
    'one cat'
    """
    return text.translate(_cleaned)


def space_chinese(text: str) -> str:
    """Return `text` with spaces around every Chinese character, which so becomes a word.

    >>> space_chinese("BERT学习")
    'BERT 学  习 '
    """
    return text.translate(_chinese_spaced)


def strip_accents(text: str) -> str:
    r"""Return `text` without accents, whether a letter and its accent are one character or two.

    >>> strip_accents("caf\u00e9"), strip_accents("cafe\u0301")
    ('cafe', 'cafe')
    """
    return text if text.isascii() else unicodedata.normalize("NFD", text).translate(_unaccented)


def lower_case(text: str) -> str:
    """Return `text` in lower case, each letter by itself.

    Python alone writes the Greek sigma differently at the end of a word; BERT does not.

    >>> lower_case("ΟΔΟΣ"), "ΟΔΟΣ".lower()
    ('οδοσ', 'οδος')
    """
    return text.replace(SIGMA, SIGMA.lower()).lower()


def space_punctuation(text: str) -> str:
    """Return `text` with spaces around every punctuation mark, which so becomes a word.

    Every ASCII character that is neither letter nor digit counts, ``$`` and ``+`` included.

    >>> space_punctuation("it's $5")
    "it ' s  $ 5"
    """
    return text.translate(_punctuation_spaced)


def split_words(text: str, do_lower_case: bool = True) -> list[str]:
    """Return the words of `text` that BERT looks up, by all the steps above.

    The third step and the fourth are taken if `do_lower_case` is True.

    >>> split_words("Don't panic, 学习!")
    ['don', "'", 't', 'panic', ',', '学', '习', '!']
    """
    if not (text.isascii() and text.isprintable()):  # else these two steps change nothing
        text = space_chinese(clean_text(text))
    if do_lower_case:
        text = lower_case(strip_accents(text))
    return space_punctuation(text).split()


class _PerCharacter(dict):
    """A table for `str.translate` that applies a rule once to each new character."""

    def __init__(self, rule: Callable[[str], str]):
        self.rule = rule

    def __missing__(self, code: int) -> str:
        self[code] = self.rule(chr(code))
        return self[code]


def _read_categories() -> dict[int, str]:
    """Read for which characters Unicode 8 differs from its later versions."""
    lines, categories = packed_text("minibert/unicode8.txt").splitlines(), {}
    for line in (line for line in lines if not line.startswith("#")):
        codes, category = line.split()
        first, _, last = codes.partition("-")
        codes = range(int(first, 16), int(last or first, 16) + 1)
        categories |= dict.fromkeys(codes, category)
    return categories


_OF_UNICODE_8 = _read_categories()


def _category(character: str) -> str:
    """Return the category of a character in Unicode 8, such as Lu for a capital letter."""
    return _OF_UNICODE_8.get(ord(character)) or unicodedata.category(character)


@_PerCharacter
def _cleaned(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character in "\0\ufffd" or _category(character) in REMOVED:
        return ""
    return " " if character.isspace() else character


@_PerCharacter
def _chinese_spaced(character: str) -> str:
    is_chinese = any(first <= ord(character) <= last for first, last in CHINESE)
    return f" {character} " if is_chinese else character


@_PerCharacter
def _unaccented(character: str) -> str:
    return "" if _category(character) == "Mn" else character


@_PerCharacter
def _punctuation_spaced(character: str) -> str:
    is_symbol = "!" <= character <= "~" and not character.isalnum()
    is_punctuation = is_symbol or _category(character).startswith("P")
    return f" {character} " if is_punctuation else character
