"""What README and its like name is there; links of the book's pages Sphinx follows."""

import re
from pathlib import Path

from book_tree import chapters, files, name_of
from planting import assert_kept, says
from prose import blocks
from python_code import PACKAGES

HTML_LINK = re.compile(r"<[^>]*\b(?:href|src)=\"([^\"]+)\"")
ADDRESS = re.compile(r"[a-z]+:|#")
CODE = re.compile(r"`([^`]+)`")
PLACES = ("tests/", *(f"{name}/" for name in PACKAGES))


def links(root: Path) -> list[str]:
    """Follow every link to a file in markdown outside the book."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in files(root)
        if path.suffix == ".md" and root / "book" not in path.parents
    }
    return [
        f"{name_of(path, root)}: the link to {link} leads to no file. Correct the path; it is read "
        "from the folder of the page."
        for path, text in texts.items()
        for link in [*(link for b in blocks(text) for link in b.links), *HTML_LINK.findall(text)]
        if not ADDRESS.match(link) and not (path.parent / link.partition("#")[0]).exists()
    ]


def front_door(root: Path) -> list[str]:
    """Compare the README's table with the chapters: titles, and paths of modules and tests."""
    rows = [b for b in blocks((root / "README.md").read_text(encoding="utf-8")) if b.kind == "row"]
    found = []
    for chapter in chapters(root):
        row = next((row for row in rows if chapter.name in row.links), None)
        if row is None or chapter.title not in row.text:
            found.append(
                f"README.md: its table has no row with a link to {chapter.name} that calls it "
                f"{chapter.title!r}. Add the chapter, its module and its tests."
            )
    named = {span for row in rows for span in [*CODE.findall(row.text), *row.links]}
    return found + [
        f"README.md: names {place}, which does not exist. Correct the path."
        for place in sorted(named)
        if place.startswith(PLACES) and not (root / place).exists()
    ]


def test_this_project_keeps_it():
    assert_kept(links, front_door)


def test_a_link_to_nowhere(plot):
    plot.file("book/page.md", "[x](none.md)")
    for wrong in ('<a href="none.md">x</a>', "| [x](none.md) |\n| --- |"):
        root = plot.file("README.md", f"[x](book/page.md#b) [z](#here)\n\n{wrong}")
        says(links(root), "README.md: the link to none.md leads to no file")


def test_a_readme_that_names_a_chapter_wrongly_and_a_folder_that_is_not_there(plot):
    row = "| [A sum](book/chapters/02-a-chapter.ipynb) | `tests/sum/` |\n| --- | --- |\n"
    plot.file("README.md", row)
    title, folder = front_door(plot.chapter("# One sum"))
    assert "02-a-chapter.ipynb that calls it 'One sum'" in title
    assert "names tests/sum/, which does not exist" in folder
