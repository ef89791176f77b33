"""How nbval runs a chapter, in an empty folder, compares its cells, and names one that is wrong."""

import re
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
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


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
    """Settle what agrees before nbval compares outputs as text: what it then shows is real."""

    @wraps(compare)
    def compare_outputs(cell, test, ref, skip_compare=None):
        stored, new = cell.sanitize_outputs(ref), cell.sanitize_outputs(test)
        if len(stored) == len(new):
            new = [_settled(before, now) for before, now in zip(stored, new)]
        left_out = (*(skip_compare or cell.parent.skip_compare), SECOND_FORM)
        return compare(cell, new, stored, left_out)

    return compare_outputs


def name_as_editors_do(report: Callable[..., str]) -> Callable[..., str]:
    """Say of a wrong cell where an editor shows it: nbval counts code cells only, and from 0."""

    @wraps(report)
    def repr_failure(cell, excinfo):
        return f"{place_of(cell.cell, cell.parent.nb.cells)}.\n{report(cell, excinfo)}"

    return repr_failure


def place_of(wrong: NotebookNode, cells: list[NotebookNode]) -> str:
    """Give the number of a cell among all cells, from 1, and the heading that it stands under."""
    above = next(i for i, cell in enumerate(cells) if cell is wrong)
    texts = [cell.source for cell in cells[:above] if cell.cell_type == "markdown"]
    headings = HEADING.findall("\n".join(texts))
    section = f", in the section “{headings[-1]}”" if headings else ""
    return f"This is cell {above + 1} of {len(cells)} in an editor{section}"


def _settled(stored, new):
    """Settle a text, or every text that an output holds under the same name."""
    if isinstance(stored, str) and isinstance(new, str):
        return settle(stored, new)
    if isinstance(stored, dict) and isinstance(new, dict):
        return NotebookNode({key: _settled(stored.get(key), new[key]) for key in new})
    return new
