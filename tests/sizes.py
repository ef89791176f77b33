"""Print what grew since a revision, and by how much: nothing stops anybody.

`python tests/sizes.py [REVISION]` compares the lines of Python in each room, and the words of the
chapters together, with a revision: by default with the commit of a day ago.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))  # the counting is the book's own

from reading import words  # noqa: E402

FLAT = ("benchmarks", "tests", "book")  # rooms that are told as a whole
CHAPTERS = "words of the chapters"


def git(*arguments: str) -> str:
    """Return what git prints."""
    call = ["git", *arguments]
    return subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def room_of(path: str) -> str:
    """Name the room of a file: a folder of a package, or another tree as a whole."""
    top, *inside = Path(path).parts
    return top if top in FLAT or len(inside) < 2 else f"{top}/{inside[0]}"


def sizes(paths: list[str], read) -> Counter[str]:
    """Count the lines of Python in each room, and the words of the chapters."""
    found: Counter[str] = Counter()
    for path in paths:
        if path.endswith(".py"):
            found[room_of(path)] += len(read(path).splitlines())
        elif path.startswith("book/chapters/") and path.endswith(".ipynb"):
            found[CHAPTERS] += words(nbformat.reads(read(path), 4))
    return found


def main(arguments: list[str]) -> None:
    """Print the table."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    now = [path for path in listed if (ROOT / path).is_file()]
    history = git("rev-list", "-1", "--before=1 day ago", "HEAD").strip()
    revision = arguments[0] if arguments else history or "HEAD"
    before = git("ls-tree", "-r", "--name-only", revision).splitlines()
    new = sizes(now, lambda path: (ROOT / path).read_text(encoding="utf-8"))
    old = sizes(before, lambda path: git("show", f"{revision}:{path}"))
    print(f"Lines of Python, and what they grew by since {revision[:10]}:")
    for room in sorted(new | old):
        print(f"  {room:<24}{new[room]:>9,}{new[room] - old[room]:>+9,}")


if __name__ == "__main__":
    main(sys.argv[1:])
