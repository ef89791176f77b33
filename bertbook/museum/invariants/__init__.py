"""What holds for every encoder, whatever its weights; one of them fails where there is a bug.

Chapter 26.
"""

from .check import Findings, check_invariants

__all__ = ["Findings", "check_invariants"]
