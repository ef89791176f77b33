"""Put the pinned front-end files where the book loads them: `python book/_ext/assets.py`.

The pages load nothing from other sites. Typefaces, those of MathJax among them, Pyodide and the
search come from npm (`package-lock.json` pins them by checksum) and are copied to `book/_vendor/`,
which git ignores. MathJax itself stays in `book/node_modules`: it sets the formulas while the book
is built. A second call does nothing until the lock file, this file or the book's Chinese characters
change.
"""

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from node import npm
from rjsmin import jsmin

BOOK = Path(__file__).resolve().parents[1]
LETTERS = ("source-serif-4", "source-sans-3", "source-code-pro")
SUBSETS = ("latin", "latin-ext", "greek")
CHINESE = "zcool-xiaowei"
PYTHON_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
FONT_FACE = re.compile(r"@font-face \{.*?\n\}", re.DOTALL)
FONT_FILE = re.compile(r"files/(\S+?\.woff2)")
CODE_POINTS = re.compile(r"U\+([0-9a-f]+)(?:-([0-9a-f]+))?", re.IGNORECASE)


def chinese_characters(book: Path = BOOK) -> str:
    """Collect the Chinese characters of the book: a font for all of them would be huge."""
    pages = [*book.glob("*.md"), *book.glob("chapters/*.ipynb")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    return "".join(sorted(set(re.findall("[\u2e80-\u9fff\uff00-\uffef]", text))))


def fingerprint(book: Path = BOOK) -> str:
    """Name the state of everything that decides which files are copied."""
    sources = (book / "package-lock.json").read_bytes() + Path(__file__).read_bytes()
    return hashlib.sha256(sources + chinese_characters(book).encode()).hexdigest()


def is_current(book: Path = BOOK) -> bool:
    """Say whether `_vendor` holds the files that the pages load, and MathJax is there."""
    stamp = book / "_vendor" / "lib" / "fingerprint.txt"
    is_here = stamp.is_file() and (book / "node_modules" / "mathjax").is_dir()
    return is_here and stamp.read_text(encoding="utf-8") == fingerprint(book)


def install(book: Path = BOOK) -> None:
    """Fetch the packages of `package-lock.json` into `book/node_modules`."""
    if subprocess.run([*npm(), "ci"], cwd=book).returncode != 0:
        raise SystemExit(
            "npm could not fetch the book's fonts and formulas (its message is above). "
            "The first build needs the network; later builds do not."
        )


def copy_mathjax(packages: Path, lib: Path) -> None:
    """Copy the fonts of MathJax, which are all that a page with formulas loads of it."""
    source, target = packages / "mathjax", lib / "mathjax"
    shutil.copytree(source / "es5" / "output" / "chtml" / "fonts" / "woff-v2", target)
    shutil.copy(source / "LICENSE", target)


def copy_font(source: Path, sheets: tuple[str, ...], is_needed, target: Path) -> list[str]:
    """Copy the pieces of a typeface whose rule `is_needed`, and return those rules."""
    shutil.copy(source / "LICENSE", target / f"{source.name}-LICENSE.txt")
    rules = []
    for sheet in sheets:
        for rule in FONT_FACE.findall((source / sheet).read_text(encoding="utf-8")):
            if is_needed(rule):
                name = FONT_FILE.search(rule).group(1)
                shutil.copy(source / "files" / name, target)
                rules.append(re.sub(r"src: .*;", f"src: url({name}) format('woff2');", rule))
    return rules


def copy_fonts(packages: Path, lib: Path, characters: str) -> None:
    """Copy the letters the book uses and write one style sheet that names them."""
    target = lib / "fonts"
    target.mkdir(parents=True)
    rules = []

    def is_alphabet(rule: str) -> bool:
        return re.search(rf"-({'|'.join(SUBSETS)})-wght-", rule) is not None

    def is_written(rule: str) -> bool:
        ranges = [(int(a, 16), int(b or a, 16)) for a, b in CODE_POINTS.findall(rule)]
        return any(start <= ord(one) <= end for one in characters for start, end in ranges)

    for name in LETTERS:
        source = packages / "@fontsource-variable" / name
        rules += copy_font(source, ("wght.css", "wght-italic.css"), is_alphabet, target)
    rules += copy_font(packages / "@fontsource" / CHINESE, ("400.css",), is_written, target)
    (target / "fonts.css").write_text("\n".join(rules) + "\n", encoding="utf-8")


def write_pyodide(packages: Path, lib: Path) -> None:
    """Write Python for the page as one script, which a page opened from the disk can load as well.

    Its files are packed with gzip and written in the 64 letters of base64.
    """
    source, target = packages / "pyodide", lib / "pyodide"
    version = json.loads((source / "package.json").read_text(encoding="utf-8"))["version"]
    files = {
        name: base64.b64encode(gzip.compress((source / name).read_bytes(), mtime=0)).decode()
        for name in PYTHON_FILES
    }
    info = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    files["lock"] = {"info": info, "packages": {}}
    target.mkdir(parents=True)
    (target / "python.js").write_text(
        f"// Pyodide {version}, as published, packed: CPython for the browser. License: MPL-2.0;\n"
        "// its source is at https://github.com/pyodide/pyodide. CPython: PSF License.\n"
        f'minibert.receive("python", {json.dumps(files)});\n',
        encoding="utf-8",
    )


def write_search(packages: Path, lib: Path) -> None:
    """Write what ranks pages and what takes the endings off words as one script, without comments.

    The second is made as a module, which a page opened from the disk may not load.
    """
    target = lib / "search"
    target.mkdir(parents=True)
    shutil.copy(packages / "minisearch" / "LICENSE.txt", target / "minisearch-LICENSE.txt")
    shutil.copy(packages / "stemmer" / "license", target / "stemmer-LICENSE.txt")
    ranking = (packages / "minisearch" / "dist" / "umd" / "index.js").read_text(encoding="utf-8")
    endings = (packages / "stemmer" / "index.js").read_text(encoding="utf-8")
    (target / "search.js").write_text(
        "// MiniSearch and stemmer, as published, without comments. License of both: MIT.\n"
        f"{jsmin(ranking)}\n{jsmin(endings.replace('export function', 'function'))}\n",
        encoding="utf-8",
    )


def main() -> None:
    """Install and copy, unless that has been done."""
    if is_current():
        return
    install()
    lib = BOOK / "_vendor" / "lib"
    shutil.rmtree(lib, ignore_errors=True)
    copy_fonts(BOOK / "node_modules", lib, chinese_characters())
    copy_mathjax(BOOK / "node_modules", lib)
    write_pyodide(BOOK / "node_modules", lib)
    write_search(BOOK / "node_modules", lib)
    (lib / "fingerprint.txt").write_text(fingerprint(), encoding="utf-8")
    print(
        f"The book's fonts, formulas and Python for the page are in {lib.relative_to(BOOK.parent)}"
    )


if __name__ == "__main__":
    sys.exit(main())
