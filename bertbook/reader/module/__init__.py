"""Check a reader's class in one role: interface, properties, and numbers beside the reference.

Chapters 7, 8, 9, 10, 11 and 12.
"""

from .examination import Examination, check_module, examine
from .scoreboard import Scoreboard, scoreboard

__all__ = ["Examination", "Scoreboard", "check_module", "examine", "scoreboard"]
