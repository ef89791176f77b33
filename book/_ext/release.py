"""What a release holds: the files that are published with a version, and what is said of them.

`python book/_ext/release.py site` packs the built pages; `… notes v0.1.0` prints the text of a
release and stops if the version of the tag is not that of the package; `… files` lists the files.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from normal_form import tagged_address
from packing import files_below, packed

from minibert import __version__
from minibert.disk import atomic_write

BOOK = Path(__file__).resolve().parents[1]
BUILT = BOOK / "_build"
DOWNLOADS = "<!-- downloads -->"


class Download(NamedTuple):
    """A file of a release, where it is built below `book/_build`, and what it is."""

    name: str
    title: str
    what: str
    place: str = ""


FILES = (
    Download(
        "bert-by-hand.pdf", "The book as a PDF", "to print and to write on; answers stand behind"
    ),
    Download(
        "bert-by-hand-site.zip",
        "These pages in a zip",
        "unpack it and open `index.html`; figures, quizzes and Python work without a connection",
    ),
    Download(
        "bert-by-hand.epub",
        "The book for e-readers",
        "EPUB: text, formulas, figures that stand still, and answers behind links",
    ),
    Download(
        "bert-by-hand-kit.zip",
        "The kit for teachers",
        "notebooks to hand out, and the solutions apart; see [For teachers](for-teachers.md)",
    ),
    Download(
        f"bert_by_hand-{__version__}-py3-none-any.whl",
        "The packages as a wheel",
        "`minibert` and `bertbook`, for `pip install`",
        place="wheel/",
    ),
)


def downloads() -> str:
    """List the files of this version's release, with links to them."""
    address, _, tag = tagged_address().rpartition("@")
    lines = ["| Download | What it is |", "| --- | --- |"]
    for file in FILES:
        link = f"{address}/releases/download/{tag}/{file.name}"
        lines.append(f"| [{file.title}]({link}) | {file.what} |")
    return "\n".join(lines)


def notes(changelog: str, tag: str) -> str:
    """Take from the list of changes what belongs to a tag; ValueError if there is nothing."""
    if tag != f"v{__version__}":
        raise ValueError(f"the tag is {tag} and the version {__version__}; make them one")
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)
    own = [text for text in sections if re.match(rf"{re.escape(__version__)}(?=[\s,])", text)]
    if not own:
        raise ValueError(f"CHANGELOG.md has no section {__version__}; write what has changed")
    heading, _, text = own[0].partition("\n")
    if "not yet" in heading:
        raise ValueError(f"CHANGELOG.md calls {__version__} {heading!r}; write the date there")
    files = "\n".join(f"- `{file.name}`: {file.title[0].lower()}{file.title[1:]}" for file in FILES)
    return f"{text.strip()}\n\nThe files:\n\n{files}\n"


def pack_site(pages: Path, target: Path) -> None:
    """Pack built pages into a zip that opens as one folder."""
    if not (pages / "index.html").is_file():
        raise ValueError("there are no pages yet; run `make book`")
    with atomic_write(target) as draft:
        draft.write_bytes(packed(files_below(pages, f"{target.stem}/")))


def main(what: str, *arguments: str) -> None:
    """Do one of the things that this file does."""
    if what == "site":
        target = BUILT / "bert-by-hand-site.zip"
        pack_site(BUILT / "html", target)
        print(f"{target.relative_to(BOOK.parent)}: {target.stat().st_size / 1e6:.1f} MB")
    elif what == "notes":
        print(notes((BOOK.parent / "CHANGELOG.md").read_text(encoding="utf-8"), *arguments))
    elif what == "files":
        print(*(f"book/_build/{file.place}{file.name}" for file in FILES), sep="\n")
    else:
        raise ValueError(f"{what!r} is not one of site, notes, files")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (ValueError, TypeError) as error:
        sys.exit(f"{error}.")
