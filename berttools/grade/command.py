"""What may be typed after ``minibert grade``, and what is done then. Chapter 1."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from berttools.cli.options import new_parser
from berttools.cli.output import complain, say

from .overview import overview_of, write_overview_page, write_overview_table
from .report import TABLE, Mark, require_free, write_pages, write_table

if TYPE_CHECKING:  # what is slow to import is so where it is needed
    from .exercises import Task
    from .sandbox import Limits, Reply

DESCRIPTION = """\
Run the notebooks of a class, and write what each exercise earns.

FOLDER has one folder for each student with copies of the chapters, or one notebook for each.
Every answer runs in a process of its own, with limits of time and memory and without a network:
one that loops, prints without end, raises or ends Python earns nothing and leaves the others as
they are. It may read and write your files, so run this command in a container for people you do
not know. A point stands for each dot of an exercise's difficulty. GRADES gets

  overview.html  the class on one page: points of each student and of each exercise with their
                 totals, and the replies that most students got
  overview.csv   a line for each student, a column for each exercise, and the totals
  grades.csv     a line for each exercise of each notebook, with what the checker says
  pages/         a page for each student"""

EPILOG = """\
examples:
  minibert grade submissions
  minibert grade submissions --out grades --seconds 30 --megabytes 1000
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_args(arguments)
    chapters = sorted(options.chapters.glob("[0-9][0-9]-*.ipynb"))
    if not chapters:
        return _stop(
            f"there are no chapters in {options.chapters}; name their folder by --chapters"
        )
    if not options.folder.is_dir():
        return _stop(f"{options.folder} is no folder; give the one with the notebooks of the class")
    try:
        require_free(options.out)
    except ValueError as error:
        return _stop(str(error))
    marks = []
    for mark in graded(options, chapters):
        marks.append(mark)
        earned = f"{mark.exercise}: {mark.points} of {mark.of}" if mark.exercise else mark.reply
        say(f"{mark.student}: {earned}")
    if not marks:
        return _stop(f"there are no notebooks (*.ipynb) in {options.folder}")
    options.out.mkdir(parents=True, exist_ok=True)
    write_table(marks, options.out / TABLE)
    pages = write_pages(marks, options.out / "pages")
    overview = overview_of(marks)
    write_overview_table(overview, options.out / "overview.csv")
    of_student = {name: f"pages/{page.name}" for name, page in pages.items()}
    write_overview_page(overview, of_student, options.out / "overview.html")
    written = f"{len(pages)} page{'s' * (len(pages) > 1)} in {options.out / 'pages'}"
    say(f"{options.out / 'overview.html'} and .csv, {options.out / TABLE}, and {written}")
    return 0


def graded(options: argparse.Namespace, chapters: Sequence[Path]) -> Iterator[Mark]:
    """Yield a mark for each exercise of each notebook, exercise by exercise."""
    from .exercises import chapter_of, tasks_of
    from .sandbox import Limits
    from .submissions import submissions_in

    limits, of_chapter = Limits(options.seconds, options.megabytes), {}
    for one in submissions_in(options.folder):
        try:
            of_chapter.setdefault(chapter_of(one.path, chapters), []).append(one)
        except (OSError, ValueError) as error:
            yield Mark(one.student, one.path.name, "", "", 0, 0, f"{error}.")
    for chapter, all_of_it in sorted(of_chapter.items()):
        for task in tasks_of(chapter):
            for one in all_of_it:
                reply = _reply(task, one.path, chapter, limits)
                points = task.points * reply.passed
                name = task.title, points, task.points, reply.message
                yield Mark(one.student, one.path.name, chapter.stem, *name)


def _reply(task: Task, path: Path, chapter: Path, limits: Limits) -> Reply:
    """Say why there is no answer, or run its checker."""
    from berttools.cli.failures import brief

    from .exercises import with_needs_of
    from .sandbox import Reply, run_checker
    from .submissions import code_for, why_absent

    code = code_for(task, path, chapter)
    needed = with_needs_of(code, task, chapter)
    if absent := why_absent(code, needed, path, chapter):
        return Reply(False, brief(absent))
    return run_checker(needed, code, chapter.parent.resolve(), limits)


def _stop(sentence: str) -> int:
    complain(sentence)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("grade", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the notebooks of the class")
    parser.add_argument(
        "--out",
        metavar="GRADES",
        type=Path,
        default=Path("grades"),
        help="for the results (grades)",
    )
    parser.add_argument(
        "--chapters",
        type=Path,
        default=Path("book/chapters"),
        help="the folder of the chapters with their solutions (book/chapters)",
    )
    parser.add_argument("--seconds", type=_positive, default=60, help="for one answer (60)")
    parser.add_argument("--megabytes", type=_positive, default=2000, help="for one answer (2000)")
    return parser


def _positive(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
