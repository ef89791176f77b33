"""The parts of a BERT, and who plays them: ours, the reader's, or faster ones. Chapter 8."""

from .casting import Cast, part, players_of, replaced, role_of, use
from .contracts import ROLES, contract, default_part

__all__ = [
    "ROLES",
    "Cast",
    "contract",
    "default_part",
    "part",
    "players_of",
    "replaced",
    "role_of",
    "use",
]
