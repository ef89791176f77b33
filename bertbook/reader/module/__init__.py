"""Look at a reader's class in one role: what it returns, what it keeps, whose numbers it gives.

Chapters 7, 8, 9, 10, 11 and 12.
"""

from .examination import Examination, check_module, examine
from .scoreboard import Scoreboard, scoreboard

__all__ = ["Examination", "Scoreboard", "check_module", "examine", "scoreboard"]
