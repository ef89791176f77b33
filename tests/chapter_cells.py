"""How nbval runs a chapter, in an empty folder, and compares its cells, number by number."""

import shutil
import tempfile
from collections.abc import Callable
from functools import wraps

from agreement import settle
from nbformat import NotebookNode
from nbval.kernel import RunningKernel

# The second form of a figure follows from its HTML, which is compared; a rule of the house holds
# the stored one to it to the letter.
SECOND_FORM = "image/svg+xml"


class KernelElsewhere(RunningKernel):
    """A kernel in an empty folder, as a reader has it who was sent a notebook and nothing else."""

    def __init__(self, name: str, cwd: str | None = None, **settings):
        self.folder = tempfile.mkdtemp(prefix="elsewhere-")
        super().__init__(name, cwd=self.folder, **settings)

    def stop(self):
        """End the kernel, and take its folder away."""
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def settle_first(compare: Callable[..., bool]) -> Callable[..., bool]:
    """Settle what agrees before nbval compares outputs as text.

    What it then shows as a difference is a real one.
    """

    @wraps(compare)
    def compare_outputs(cell, test, ref, skip_compare=None):
        stored, new = cell.sanitize_outputs(ref), cell.sanitize_outputs(test)
        if len(stored) == len(new):
            new = [_settled(before, now) for before, now in zip(stored, new)]
        left_out = (*(skip_compare or cell.parent.skip_compare), SECOND_FORM)
        return compare(cell, new, stored, left_out)

    return compare_outputs


def _settled(stored, new):
    """Settle a text, or every text that an output holds under the same name."""
    if isinstance(stored, str) and isinstance(new, str):
        return settle(stored, new)
    if isinstance(stored, dict) and isinstance(new, dict):
        return NotebookNode({key: _settled(stored.get(key), new[key]) for key in new})
    return new
