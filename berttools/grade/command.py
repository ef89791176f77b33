"""What may be typed after ``minibert grade``, and what is done then. Chapter 1."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from berttools.cli.failures import brief
from berttools.cli.files import require_new_folder
from berttools.cli.options import folder_name, new_parser, whole_number
from berttools.cli.output import complain, say

from .exercises import Task, chapter_of, tasks_of, with_needs_of
from .report import OVERVIEW, TABLE, Mark, write_results
from .sandbox import Limits, Reply, run_checker
from .submissions import Submission, code_for, submissions_in, why_absent

DESCRIPTION = """\
Run the notebooks of a class, and write what each exercise earns.

FOLDER has one folder for each student with copies of the chapters, or one notebook for each.
Every answer runs in a process of its own, with limits of time and memory and without a network:
one that loops, prints without end, raises or ends Python earns nothing and leaves the others as
they are. It may read and write your files, so run this command in a container for people you do
not know. A point stands for each dot of an exercise's difficulty. GRADES gets

  overview.html  the class on one page: points of each student and of each exercise with their
                 totals, the most common reply to each, and all replies to each student
  grades.csv     a line for each exercise of each notebook, with what the checker says"""

EPILOG = """\
examples:
  minibert grade submissions
  minibert grade submissions --out grades --seconds 30 --megabytes 1000
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_args(arguments)
    chapters, out = sorted(options.chapters.glob("[0-9][0-9]-*.ipynb")), Path(options.out)
    submissions = submissions_in(options.folder) if options.folder.is_dir() else []
    try:
        if not submissions:
            raise ValueError(f"there are no notebooks (*.ipynb) in a folder {options.folder}")
        if not chapters:
            raise ValueError(
                f"there are no chapters in {options.chapters}, and their checkers and solutions "
                "are needed to grade; name their folder by --chapters: book/solutions of the kit, "
                "or book/chapters of the project"
            )
        require_new_folder(out)
    except ValueError as error:
        complain(str(error))
        return 2
    marks = []
    for mark in graded(submissions, chapters, Limits(options.seconds, options.megabytes)):
        marks.append(mark)
        earned = f"{mark.exercise}: {mark.points} of {mark.of}" if mark.exercise else mark.reply
        say(f"{mark.student}: {earned}")
    write_results(marks, out)
    say(f"{out / OVERVIEW} shows the class; {out / TABLE} is for a spreadsheet.")
    return 0


def graded(
    submissions: Sequence[Submission], chapters: Sequence[Path], limits: Limits
) -> Iterator[Mark]:
    """Yield a mark for each exercise of each notebook, exercise by exercise."""
    of_chapter: dict[Path, list[Submission]] = {}
    for one in submissions:
        if one.path.is_dir():
            yield Mark(one.student, "", "", "", 0, 0, "There is no notebook (*.ipynb) here.")
            continue
        try:
            of_chapter.setdefault(chapter_of(one.path, chapters), []).append(one)
        except ValueError as error:
            yield Mark(one.student, one.path.name, "", "", 0, 0, f"{error}.")
    for chapter, all_of_it in sorted(of_chapter.items()):
        for task in tasks_of(chapter):
            for one in all_of_it:
                reply = reply_to(task, one.path, chapter, limits)
                points = task.points * reply.passed
                name = task.title, points, task.points, reply.message
                yield Mark(one.student, one.path.name, chapter.stem, *name)


def reply_to(task: Task, path: Path, chapter: Path, limits: Limits) -> Reply:
    """Say why a notebook has no answer, or run its checker."""
    try:
        code = code_for(task, path, chapter)
        needed = with_needs_of(code, task, chapter)
        if absent := why_absent(code, needed, path, chapter):
            return Reply(False, brief(absent))
    except Exception as error:  # such as a cell nested too deeply; others are graded all the same
        return Reply(False, brief(f"{path.name} cannot be read: {type(error).__name__}: {error}"))
    return run_checker(needed, code, chapter.parent.resolve(), limits)


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("grade", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the notebooks of the class")
    text = "new or empty folder for the results (default: %(default)s)"
    parser.add_argument("--out", metavar="GRADES", type=folder_name, default="grades", help=text)
    text = "folder of the chapters with their solutions (default: %(default)s)"
    parser.add_argument("--chapters", type=Path, default=Path("book/chapters"), help=text)
    for name, most in (("--seconds", 60), ("--megabytes", 2000)):
        text = "for one answer (default: %(default)s)"
        parser.add_argument(name, type=whole_number(1), default=most, metavar="N", help=text)
    return parser
