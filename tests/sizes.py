"""Print how large each room and each chapter is, and by how much it grew: nothing stops anybody.

`python tests/sizes.py [REVISION]` compares the working tree with a revision, by default the commit
of a day ago. A chapter is counted as its source: words, visible lines of code, folds.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))  # the counting is the book's own

from reading import fold_buttons, visible_lines, words  # noqa: E402

FLAT = ("benchmarks", "tests", "book")  # rooms that are told as a whole
COUNTS = (words, visible_lines, fold_buttons)


def git(*arguments: str) -> str:
    """Return what git prints."""
    call = ["git", *arguments]
    return subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def room_of(path: str) -> str:
    """Name the room of a file: a folder of a package, or another tree as a whole."""
    top, *inside = Path(path).parts
    return top if top in FLAT or len(inside) < 2 else f"{top}/{inside[0]}"


def sizes(files: dict[str, str]) -> tuple[Counter[str], dict[str, tuple[int, ...]]]:
    """Count the lines of Python in each room, and what each chapter asks of its reader."""
    rooms: Counter[str] = Counter()
    chapters = {}
    for path, text in files.items():
        if path.endswith(".py"):
            rooms[room_of(path)] += len(text.splitlines())
        else:
            notebook = nbformat.reads(text, 4)
            chapters[Path(path).stem] = tuple(count(notebook) for count in COUNTS)
    return rooms, chapters


def counted(path: str) -> bool:
    """Return whether a file is Python, or a chapter."""
    return path.endswith(".py") or (path.startswith("book/chapters/") and path.endswith(".ipynb"))


def files_now() -> dict[str, str]:
    """Read the files as they are in the working tree."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    paths = [path for path in listed if counted(path) and (ROOT / path).is_file()]
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}


def files_at(revision: str) -> dict[str, str]:
    """Read the files as they were."""
    paths = filter(counted, git("ls-tree", "-r", "--name-only", revision).splitlines())
    return {path: git("show", f"{revision}:{path}") for path in paths}


def change(now: int, before: int) -> str:
    """Write a number, with what it grew by."""
    return f"{now:,}" + (f" ({now - before:+,})" if now != before else "")


def main(arguments: list[str]) -> None:
    """Print both tables."""
    history = git("rev-list", "-1", "--before=1 day ago", "HEAD").strip()
    revision = arguments[0] if arguments else history or "HEAD"
    (rooms, chapters), (old_rooms, old_chapters) = sizes(files_now()), sizes(files_at(revision))
    print(f"Lines of Python, and what they grew by since {revision[:10]}:")
    for room in sorted(rooms | old_rooms):
        print(f"  {room:<24} {change(rooms[room], old_rooms[room]):>20}")
    packages = sum(lines for room, lines in rooms.items() if room not in FLAT)
    print(f"  {'packages together':<24} {packages:>13,}")
    print("Chapters: words, visible lines of code, folds:")
    for name, numbers in sorted(chapters.items()):
        before = old_chapters.get(name, (0, 0, 0))
        columns = "".join(f"{change(a, b):>16}" for a, b in zip(numbers, before))
        print(f"  {name:<40}{columns}")


if __name__ == "__main__":
    main(sys.argv[1:])
