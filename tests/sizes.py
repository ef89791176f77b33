"""Print what grew since a revision, and by how much: nothing stops anybody.

`python tests/sizes.py [REVISION]` compares the lines of Python in each room, and the words of the
chapters together, with a revision: by default with the commit of a day ago. Then it says which
share of the code cells of each chapter is hidden, and was.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))  # the counting is the book's own

from reading import code_cells, hidden_cells, words  # noqa: E402

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


def hidden(paths: list[str], read) -> dict[str, tuple[int, int]]:
    """Count the hidden code cells of each chapter, and all of them; together last."""
    found = {}
    for path in sorted(paths):
        if path.startswith("book/chapters/") and path.endswith(".ipynb"):
            notebook = nbformat.reads(read(path), 4)
            found[Path(path).stem[:2]] = hidden_cells(notebook), code_cells(notebook)
    together = tuple(map(sum, zip(*found.values())))
    return found | {"all": together or (0, 0)}


def share(counts: tuple[int, int]) -> str:
    """Write a share as percentage."""
    return f"{counts[0] / counts[1]:.0%}" if counts[1] else "-"


def main(arguments: list[str]) -> None:
    """Print the table."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    now = [path for path in listed if (ROOT / path).is_file()]
    history = git("rev-list", "-1", "--before=1 day ago", "HEAD").strip()
    revision = arguments[0] if arguments else history or "HEAD"
    before = git("ls-tree", "-r", "--name-only", revision).splitlines()

    def here(path: str) -> str:
        return (ROOT / path).read_text(encoding="utf-8")

    def there(path: str) -> str:
        return git("show", f"{revision}:{path}")

    new, old = sizes(now, here), sizes(before, there)
    print(f"Lines of Python, and what they grew by since {revision[:10]}:")
    for room in sorted(new | old):
        print(f"  {room:<24}{new[room]:>9,}{new[room] - old[room]:>+9,}")
    print(
        "Code cells of each chapter that are hidden, of how many, their share, and the old share:"
    )
    were = hidden(before, there)
    for chapter, counts in hidden(now, here).items():
        old_share = share(were.get(chapter, (0, 0)))
        print(f"  {chapter:<24}{counts[0]:>9}{counts[1]:>9}{share(counts):>9}{old_share:>9}")


if __name__ == "__main__":
    main(sys.argv[1:])
