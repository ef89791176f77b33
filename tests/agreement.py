"""When a new output agrees with a stored one.

Processors round in different orders, and so the last printed digit of a number may be another one.
Words, signs and integers may not. A shade of color that follows from such a number moves with it.
"""

import re
from decimal import Decimal

# Where a number is part of a name, or of code, it is compared to the letter.
LABEL = re.compile(  # `section 3.2.1`, `Figures 2.1 and 2.2`, `Python 3.11`
    r"(?i:\b(?:sections?|figures?|exercises?|tables?|equations?|chapters?|versions?|python|pytorch)"
    r"\s+\d+(?:\.\d+)*(?:(?:,|,? and| to)\s+\d+(?:\.\d+)+)*)"
)
SOURCE = re.compile(r"(?s:```.*?```)")
COLOR = re.compile(
    r"(?<![&\w])#(?P<hex>(?:[0-9a-fA-F]{2}){3,4})\b"
    r"|\b(?P<function>rgba?)\((?P<rgb>\d[\d., ]*)\)"
    r"|\b(?P<property>opacity(?:=\"|: ?))(?P<opacity>\d*\.?\d+)"
)
# Not among them: integers, versions (2.13.0, v0.2, name-0.5), lengths in a style (.6em), 1e-12.
NUMBER = re.compile(
    r"(?P<padding> *)(?<![\w.])(?<![a-zA-Z]-)(?P<sign>[-+\N{MINUS SIGN}]?)"
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d*)\.(?P<decimals>\d+)(?P<power>e[-+]?\d+)?(?!\w|\.\d)"
)
TOKEN = re.compile("|".join(kind.pattern for kind in (SOURCE, LABEL, COLOR, NUMBER)))
# Of 255: what one hundredth makes of a channel or an opacity.
SHADE = 3


def settle(stored: str, new: str) -> str:
    """Put the stored number or color wherever the new one agrees with it.

    The two outputs agree if nothing else is left between them: ``settle(stored, new) == stored``.
    """
    before = TOKEN.finditer(stored)

    def choose(found: re.Match) -> str:
        known = next(before, None)
        return known[0] if known and _agree(known, found) else found[0]

    return TOKEN.sub(choose, new)


def _agree(known: re.Match, found: re.Match) -> bool:
    if known[0] == found[0]:
        return True
    if known["decimals"] and found["decimals"]:
        return _same_number(known, found)
    alike = all(known[name] == found[name] for name in ("function", "property"))
    return alike and _same_color(_shades(known), _shades(found))


def _same_number(known: re.Match, found: re.Match) -> bool:
    """Say whether two numbers are written alike and differ by at most one unit."""
    values = _value(known), _value(found)
    unit = Decimal(1).scaleb(min(value.as_tuple().exponent for value in values))
    difference = abs(values[0] - values[1])
    return (
        len(known["decimals"]) == len(found["decimals"])
        and bool(known["power"]) == bool(found["power"])
        # Zero has no sign: 0.00 and -0.00 are one number.
        and (known["sign"] == found["sign"] or 0 in values)
        # A number that grows by a digit takes the place from the spaces before it.
        and (known["padding"] == found["padding"] or len(known[0]) == len(found[0]))
        and (0 < difference <= unit or not any(values))
    )


def _value(number: re.Match) -> Decimal:
    return Decimal(number[0].strip().replace(",", "").replace("\N{MINUS SIGN}", "-"))


def _same_color(known: list[float], found: list[float]) -> bool:
    near = (abs(one - other) <= SHADE for one, other in zip(known, found))
    return len(known) == len(found) > 0 and all(near)


def _shades(color: re.Match) -> list[float]:
    """Give red, green, blue and opacity, as many as there are, each of 255."""
    if color["hex"]:
        return list(bytes.fromhex(color["hex"]))
    if color["rgb"]:
        return [float(part) * (1, 1, 1, 255)[i] for i, part in enumerate(color["rgb"].split(","))]
    return [255 * float(color["opacity"])] if color["opacity"] else []
