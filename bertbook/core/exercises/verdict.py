"""What a checker says, from Chapter 1 on."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from bertbook.core.palette import PALETTE

LONGEST = 600  # characters of a message; more is not read


def brief(text: str) -> str:
    """Cut a text that is too long to be read."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


@dataclass(frozen=True)
class Verdict:
    """Result of a checker.

    Args:
        passed: Whether the answer is right.
        message: What is right or wrong, in sentences; at most 600 characters.
    """

    passed: bool
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", brief(self.message))

    def __repr__(self) -> str:
        return self.message

    def _repr_html_(self) -> str:
        color = PALETTE[2] if self.passed else PALETTE[1]
        style = f"border-left:3px solid {color};padding-left:.8em"
        return f'<p style="{style}">{escape(self.message)}</p>'
