"""Four ways through the book: which chapters each takes, and how many hours that is.

The minutes are those of the cards, added up while the pages are built.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode
from reading import exercise_minutes, reading_minutes

NEEDS = re.compile(r"^\| \*\*You need\*\* \|(.*)\|$", re.MULTILINE)
CHAPTER = re.compile(r"\bChapter (\d+)|\((\d\d)-")

Minutes = dict[int, tuple[int, int]]  # for each chapter: to read, and for its exercises


@dataclass(frozen=True)
class Path:
    """The chapters of a path, in the groups in which they are read, and whether one does more."""

    groups: tuple[tuple[int, ...], ...]
    exercises: bool
    group: str = ""
    """What a group is called, if it has a number."""

    @property
    def chapters(self) -> list[int]:
        """All chapters of the path."""
        return [chapter for group in self.groups for chapter in group]

    def minutes(self, group: tuple[int, ...], minutes: Minutes) -> int:
        """Add up what some of its chapters take."""
        return sum(sum(minutes[chapter][: 1 + self.exercises]) for chapter in group)


def one_by_one(*chapters: int) -> tuple[tuple[int, ...], ...]:
    """Make a group of each chapter."""
    return tuple((chapter,) for chapter in chapters)


PATHS = {
    "evening": Path(one_by_one(1, 2, 5), exercises=False),
    "weekend": Path(one_by_one(2, *range(7, 13)), exercises=True),
    "semester": Path(
        (
            *one_by_one(*range(1, 7)),
            *((7, 8), (9, 10), (11, 12), (13, 14), (15, 16), (17, 18), (19,), (20, 21), (26,)),
        ),
        exercises=True,
        group="Week",
    ),
    "twelve weeks": Path(
        (
            *((1,), (2,), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 14), (15, 16), (17, 18)),
            *((20, 21), (26,)),
        ),
        exercises=True,
        group="Week",
    ),
    "five days": Path(((1, 2), (3, 7), (8, 9), (10, 11), (15, 16)), exercises=True, group="Day"),
    "job": Path(one_by_one(6, 15, 16, 17, 18, 19, 22, 23, 26), exercises=False),
}


def totals(notebooks: Mapping[str, NotebookNode]) -> dict[str, str]:
    """Say for each path how many hours it takes, which chapters, and list them in a table."""
    minutes = {
        int(name[:2]): (reading_minutes(notebook), exercise_minutes(notebook))
        for name, notebook in notebooks.items()
    }
    told = {}
    for name, path in PATHS.items():
        if set(path.chapters) <= set(minutes):
            told |= {
                f"{{hours of the {name}}}": hours(path.minutes(tuple(path.chapters), minutes)),
                f"{{chapters of the {name}}}": listed(path.chapters),
                f"{{groups of the {name}}}": str(len(path.groups)),
                f"{{given in the {name}}}": listed(given(path, notebooks)),
                f"<!-- chapters of the {name} -->": table(path, minutes, notebooks),
            }
    return told


def given(path: Path, notebooks: Mapping[str, NotebookNode]) -> list[int]:
    """List the chapters that those of a path need by their cards, and the path leaves out."""
    own = {name for name in notebooks if int(name[:2]) in path.chapters}
    needed = set().union(*(needed_chapters(notebooks[name]) for name in own))
    return sorted(needed - {*path.chapters})


def needed_chapters(notebook: NotebookNode) -> set[int]:
    """Read off a chapter's card which chapters it needs."""
    rows = (row[1] for cell in notebook.cells if (row := NEEDS.search(cell.source)))
    found = CHAPTER.findall(next(rows, ""))
    return {int(number) for pair in found for number in pair if number}


def time(minutes: int) -> str:
    """Say how long one group takes: below an hour in minutes."""
    return f"{minutes} minutes" if minutes < 60 else hours(minutes)


def hours(minutes: int) -> str:
    """Say in halves how many hours some minutes are."""
    halves = max(1, round(minutes / 30))
    whole, half = str(halves // 2) if halves > 1 else "", "½" * (halves % 2)
    return f"{whole}{half} hour{'s' * (halves > 2)}"


def listed(chapters: list[int]) -> str:
    """Name chapters as people do: those that follow one another from the first to the last."""
    runs: list[list[int]] = []
    for chapter in chapters:
        if runs and runs[-1][-1] == chapter - 1:
            runs[-1].append(chapter)
        else:
            runs.append([chapter])
    names = [part for run in runs for part in (map(str, run) if len(run) < 3 else [_span(run)])]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _span(run: list[int]) -> str:
    return f"{run[0]} to {run[-1]}"


def table(path: Path, minutes: Minutes, notebooks: Mapping[str, NotebookNode]) -> str:
    """List the chapters of a path, and what each group takes."""
    page = {int(name[:2]): f"[](chapters/{name}.ipynb)" for name in notebooks}
    head = f"| {path.group} | " if path.group else "| "
    lines = [f"{head}Chapter | Time |", "| --- " * (2 + bool(path.group)) + "|"]
    for number, group in enumerate(path.groups, start=1):
        row = f"| {number} | " if path.group else "| "
        names = ", ".join(f"{chapter} · {page[chapter]}" for chapter in group)
        taken = time(path.minutes(group, minutes)).replace(" ", "\N{NO-BREAK SPACE}")
        lines.append(f"{row}{names} | {taken} |")
    return "\n".join(lines)
