"""What a reader writes: kept in a file, run in place of ours, run in processes.

Chapters 2, 3 and 24.
"""

from .keeping import keep
from .processes import in_processes
from .running import on_our_parts, running_on

__all__ = ["in_processes", "keep", "on_our_parts", "running_on"]
