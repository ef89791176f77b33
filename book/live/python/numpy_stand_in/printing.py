"""How arrays are written: each number in as few digits as it needs, all of one width."""

from __future__ import annotations

import math

MANY = 1000


def array_text(one, opening: str, separator: str, closing: str, precision: int = 8) -> str:
    """Write an array, its rows below one another."""
    kind = (
        ""
        if not opening or one.dtype.name in ("int64", "float64", "bool", "str", "object")
        else (f", dtype={one.dtype.name}")
    )
    words = number_texts(one.values(), one.dtype.kind, precision)
    if not one.shape:
        return f"{opening}{words[0]}{kind}{closing}"
    if not one.size:
        shape = f", shape={one.shape}" if opening and one.ndim > 1 else ""
        return f"{opening}[]{shape}{kind}{closing}"
    rows = _rows(words, one.shape, separator, len(opening), 74 - len(closing))
    return opening + rows + kind + closing


def _rows(words: list, shape: tuple, separator: str, indent: int, width: int) -> str:
    if len(shape) == 1:
        if len(words) > MANY:
            words = [*words[:3], "...", *words[-3:]]
        return f"[{_wrapped(words, separator, indent + 1, width)}]"
    size = len(words) // shape[0]
    parts = [words[i : i + size] for i in range(0, len(words), size)]
    between = separator.rstrip() + "\n" * (len(shape) - 1) + " " * (indent + 1)
    rows = [_rows(part, shape[1:], separator, indent + 1, width - 1) for part in parts]
    return f"[{between.join(rows)}]"


def _wrapped(words: list[str], separator: str, indent: int, width: int) -> str:
    """Break a row where it is too long."""
    lines = [""]
    for number, word in enumerate(words):
        end = separator if number < len(words) - 1 else ""
        if lines[-1] and indent + len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += word + end
    lines = [line.rstrip() for line in lines[:-1]] + lines[-1:]
    return ("\n" + " " * indent).join(lines)


def number_texts(values: list, kind: str, precision: int) -> list[str]:
    """Write numbers, all of one width."""
    if kind == "f":
        words = _decimals(values, precision)
    else:
        words = [repr(v) if kind in "UO" else str(v) for v in values]
    width = max(map(len, words), default=0)
    return [word.rjust(width) if kind not in "UO" else word.ljust(width) for word in words]


def _decimals(values: list[float], precision: int) -> list[str]:
    finite = [abs(v) for v in values if math.isfinite(v) and v]
    large, small = max(finite, default=0), min(finite, default=1)
    if large >= 1e8 or small < 1e-4 or large / small > 1000 * 10**5:
        return _powers(values, precision)
    cut = [_digits(v, precision) for v in values if math.isfinite(v)]
    right = max((len(text.partition(".")[2]) for text in cut), default=0)
    texts = (_digits(v, precision) if math.isfinite(v) else str(v) for v in values)
    return [text if text in ("nan", "inf", "-inf") else _padded(text, right) for text in texts]


def _digits(value: float, precision: int) -> str:
    """Write a number with as few digits behind the point as it needs, at most `precision`."""
    shortest = repr(float(value))
    behind = len(shortest.partition(".")[2]) if "e" not in shortest else precision
    text = f"{value:.{min(behind, precision)}f}"
    return text.rstrip("0") if "." in text else f"{text}."


def _padded(text: str, right: int) -> str:
    whole, _, behind = text.partition(".")
    return f"{whole}.{behind.ljust(right)}" if right > len(behind) else f"{whole}.{behind}"


def _powers(values: list[float], precision: int) -> list[str]:
    """Write numbers of very different size with powers of ten."""
    texts = []
    for value in values:
        mantissa, _, power = f"{value:.{precision}e}".partition("e")
        texts.append((mantissa.rstrip("0") if "." in mantissa else mantissa, power))
    right = max(len(m.partition(".")[2]) for m, _ in texts)
    return [
        f"{m.partition('.')[0]}.{m.partition('.')[2].ljust(right, '0')}e{power}" if power else m
        for m, power in texts
    ]
