"""Lint the JavaScript of the book with ESLint's recommended rules: `make check` calls it.

The files of ``bertbook/live`` are one script in the page and share their names, so they are linted
as one; what is found is told with the file that it stands in.
"""

import json
import subprocess
from pathlib import Path

from node import node

from bertbook.core.live_scripts import LIVE, ORDER, folder_script, page_script
from bertbook.records import trained_folder

HERE = Path(__file__).resolve().parent
BOOK = HERE.parents[1] / "book"
ESLINT = ("node_modules/eslint/bin/eslint.js", "--format", "json")


def complaints(name: str, text: str) -> list[tuple[int, str]]:
    """Lint a text under a name that the configuration knows: lines and what is wrong there."""
    command = [*node(), *ESLINT, "--stdin", "--stdin-filename", name]
    done = subprocess.run(command, cwd=HERE, input=text, capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    (report,) = json.loads(done.stdout)
    return [(one["line"], f"{one['message']} ({one['ruleId']})") for one in report["messages"]]


def complaints_of_live() -> list[str]:
    """Lint the script of the pages, and say for each complaint in which of its files it stands."""
    script, found = page_script(), complaints("minibert.js", page_script())
    end, begins = script.count("\n"), {}
    for name in reversed(ORDER):  # each file is followed by one line that is none of its own
        end -= (LIVE / f"{name}.js").read_text(encoding="utf-8").count("\n") + 1
        begins[name] = end
    told = []
    for line, sentence in found:
        name = max((name for name in ORDER if begins[name] < line), key=begins.get)
        told.append(f"bertbook/live/{name}.js:{line - begins[name]}: {sentence}")
    return told


def main() -> None:
    """Print every complaint; end with an error if there is one."""
    scripts = (BOOK / "assets").glob("*.js")
    others = {p.name: p for p in (*scripts, *HERE.glob("*.test.js"), HERE.parent / "book/looks.js")}
    told = [
        f"english.js:{line}: {sentence}"
        for line, sentence in complaints("english.js", folder_script(trained_folder("english")))
    ]
    told += complaints_of_live() + [
        f"{path.relative_to(BOOK.parent)}:{line}: {sentence}"
        for name, path in others.items()
        for line, sentence in complaints(name, path.read_text(encoding="utf-8"))
    ]
    if told:
        raise SystemExit("\n".join(told))


if __name__ == "__main__":
    main()
