"""Look at a reader's class in one role: what it returns, what it keeps, whose numbers it gives.

Chapter 8.
"""

from .examination import Examination, check_module, examine
from .scoreboard import Scoreboard, scoreboard

__all__ = ["Examination", "Scoreboard", "check_module", "examine", "scoreboard"]
