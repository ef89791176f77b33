"""Put the pinned front-end files where the book loads them: `python book/_ext/assets.py`.

The pages load nothing from other sites. MathJax and the three typefaces come from npm
(`package-lock.json` pins them by checksum) and are copied to `book/_vendor/`, which git ignores.
A second call does nothing as long as the lock file and this file have not changed.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1]
FONTS = ("source-serif-4", "source-sans-3", "source-code-pro")
SUBSETS = ("latin", "latin-ext", "greek")
FONT_FACE = re.compile(r"@font-face \{.*?\n\}", re.DOTALL)
FONT_FILE = re.compile(r"url\(\./files/(\S+?)\)")


def fingerprint(book: Path = BOOK) -> str:
    """Name the state of everything that decides which files are copied."""
    sources = (book / "package-lock.json", Path(__file__))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def is_current(book: Path = BOOK) -> bool:
    """Say whether `_vendor` holds the files that the lock file names."""
    stamp = book / "_vendor" / "lib" / "fingerprint.txt"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint(book)


def install(book: Path = BOOK) -> None:
    """Fetch the packages of `package-lock.json` into `book/node_modules`."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(
            "The book needs npm, which comes with Node.js 18 or newer, for its fonts and formulas. "
            "Install it, on Debian or Ubuntu with: sudo apt-get install npm"
        )
    if subprocess.run([npm, "ci"], cwd=book).returncode != 0:
        raise SystemExit(
            "npm could not fetch the book's fonts and formulas (its message is above). "
            "The first build needs the network; later builds do not."
        )


def copy_mathjax(packages: Path, lib: Path) -> None:
    """Copy the one component of MathJax that the pages load, and its fonts."""
    source, target = packages / "mathjax", lib / "mathjax"
    fonts = Path("output/chtml/fonts/woff-v2")
    shutil.copytree(source / "es5" / fonts, target / fonts)
    shutil.copy(source / "es5" / "tex-mml-chtml.js", target)
    shutil.copy(source / "LICENSE", target)


def copy_fonts(packages: Path, lib: Path) -> None:
    """Copy the letters the book uses and write one style sheet that names them."""
    target = lib / "fonts"
    target.mkdir(parents=True)
    rules = []
    for font in FONTS:
        source = packages / "@fontsource-variable" / font
        shutil.copy(source / "LICENSE", target / f"{font}-LICENSE.txt")
        for sheet in ("wght.css", "wght-italic.css"):
            for rule in FONT_FACE.findall((source / sheet).read_text(encoding="utf-8")):
                name = FONT_FILE.search(rule).group(1)
                if re.fullmatch(rf"{font}-({'|'.join(SUBSETS)})-wght-\w+\.woff2", name):
                    shutil.copy(source / "files" / name, target)
                    rules.append(FONT_FILE.sub(rf"url({name})", rule))
    (target / "fonts.css").write_text("\n".join(rules) + "\n", encoding="utf-8")


def main() -> None:
    """Install and copy, unless that has been done."""
    if is_current():
        return
    install()
    lib = BOOK / "_vendor" / "lib"
    shutil.rmtree(lib, ignore_errors=True)
    copy_fonts(BOOK / "node_modules", lib)
    copy_mathjax(BOOK / "node_modules", lib)
    (lib / "fingerprint.txt").write_text(fingerprint(), encoding="utf-8")
    print(f"The book's fonts and formulas are in {lib.relative_to(BOOK.parent)}")


if __name__ == "__main__":
    sys.exit(main())
