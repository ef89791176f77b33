"""Table of contents, files, README and package tell the same story of the book."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from book_tree import Chapter, chapters, name_of, toc
from planting import says
from prose import Block, blocks, chapters_named
from python_code import PACKAGES, Definition, exports, modules

TOC = "book/_toc.yml"
CODE = re.compile(r"`([^`]+)`")
PLACES = ("tests/", *(f"{name}/" for name in PACKAGES))
MODEL = re.compile(r"[A-Z]\w+(Model|Config|For[A-Z]\w+(?<!Output))")
PAIRS, TESTED = "tests/family_pairs.py", re.compile(r'Member\(\s*"(\w+)"')
# What chapters use all along and no chapter finishes.
NOT_OF_A_CHAPTER = {
    *("checks", "contracts", "fast", "fill", "grade", "palette", "pretrain", "reader", "show"),
    "still",
    *("disk", "inputs", "text_files"),
}


def contents(root: Path) -> list[str]:
    """Compare the table of contents with the files of the book."""
    pages = toc(root)
    listed = [page for page in pages if page.startswith("chapters/")]
    files = [*(root / "book" / "chapters").glob("*.ipynb"), *(root / "book").glob("*.md")]
    names = {path.relative_to(root / "book").with_suffix("").as_posix() for path in files}
    found = [
        f"{TOC}: lists {page}, but there is no such page. Write it, or remove the line."
        for page in pages
        if page not in names
    ]
    found += [
        f"book/{name} is not in {TOC}, so no reader finds it. Add a line, or remove the file."
        for name in sorted(names - set(pages))
    ]
    if [page[9:11] for page in listed] != [f"{i + 1:02}" for i in range(len(listed))]:
        found.append(f"{TOC}: the chapters are not 01, 02, 03 and so on. Number them in order.")
    return found


def front_door(root: Path) -> list[str]:
    """Compare the README's table with the chapters: titles, modules and tests."""
    path = root / "README.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    rows = [block for block in blocks(text) if block.kind == "row"]
    found = []
    for chapter in chapters(root):
        row = next((row for row in rows if chapter.name in row.links), None)
        if row is None:
            found.append(
                f"README.md: its table has no row with a link to {chapter.name}. Add the chapter, "
                "its module and its tests."
            )
        else:
            found += [f"README.md: the row of {chapter.path.name} {p}" for p in _row(row, chapter)]
    return found


def _row(row: Block, chapter: Chapter) -> Iterator[str]:
    """Compare one row of the README with its chapter."""
    root = chapter.root
    if chapter.title not in row.text:
        yield f"does not call it {chapter.title!r}, as its heading does. Use the same words."
    spans = _spans(row)
    places = {span for span in spans if span.startswith(PLACES)}
    places |= {link for link in row.links if link.startswith(PLACES)}
    for place in sorted(places):
        if not (root / place).exists():
            yield f"names {place}, which does not exist. Correct the path."
    told = {_module(span, root) for span in spans | places} - {""}
    completed = {_module(span, root) for span in _completes(chapter)} - {""}
    if told != completed:
        yield (
            f"names {_listed(told)}, but the chapter completes {_listed(completed)}. Let the row "
            "and the line Completes of the chapter name the same modules."
        )
    if completed and not any(place.startswith("tests/") for place in places):
        yield "names no test. Name the folder or file in tests/ that proves what it completes."
    for span in sorted(spans & set(exports(root)) - set(_completes(chapter))):
        yield f"names {span}, which the line Completes of the chapter does not. Use the same names."


def _listed(words: set[str]) -> str:
    return ", ".join(sorted(words)) or "no module"


def _spans(row: Block) -> set[str]:
    return {span for column in row.columns for span in CODE.findall(column)}


def _module(text: str, root: Path) -> str:
    """Name the module that some code stands for, `minibert/losses.py` or `minibert.losses`."""
    dotted = text.removesuffix("/").removesuffix(".py").replace("/", ".")
    parts = dotted.split(".")
    known = dotted in modules(root) and len(parts) > 1
    return ".".join(parts[:2]) if known else ""


def _completes(chapter: Chapter) -> list[str]:
    """Read the names in the line Completes of a chapter's first table."""
    rows = (block for block in chapter.blocks if block.kind == "row" and block.section == "")
    return [span for row in rows if row.columns[0] == "**Completes**"
            for span in CODE.findall(row.columns[1])]  # fmt: skip


def completed(root: Path) -> list[str]:
    """Compare what chapters say they complete with what the package says of its chapters."""
    package = exports(root)
    found = []
    for chapter in chapters(root):
        module = ""
        for span in _completes(chapter):
            if _module(span, root):
                module = _module(span, root)
                continue
            names = [d for n in package if fnmatch(n, span) for d in package[n] if _in(d, module)]
            if not names:
                found.append(
                    f"{chapter.name}: completes {span}, which {module or 'minibert'} does not "
                    "export. Write the module first, then names in it."
                )
            found += [
                f"{chapter.name}: completes {d.name}, but the docstring of {d.module} does not "
                f"name Chapter {chapter.number}. Add the chapter there."
                for d in names
                if chapter.number not in _chapters_of(d)
            ]
    return found + list(_unclaimed(root, package))


def _unclaimed(root: Path, package: dict[str, list[Definition]]) -> Iterator[str]:
    """Find public names whose chapter does not say that it completes their module."""
    claims = {c.number: {_module(span, root) for span in _completes(c)} for c in chapters(root)}
    for definition in (d for homes in package.values() for d in homes):
        module = ".".join(definition.module.split(".")[:2])
        own = [claims[n] for n in _chapters_of(definition) if n in claims]
        if module.split(".")[-1] in NOT_OF_A_CHAPTER | {*PACKAGES} or not own:
            continue
        if not any(module in claim for claim in own):
            yield (
                f"{name_of(definition.path, root)}: {definition.name} names the "
                f"chapter that builds it, but that chapter does not say that it completes {module}."
                " Add the module to its line Completes, or correct the References."
            )


def family(root: Path) -> list[str]:
    """Hold each model of the family to a chapter, to the README, and to the tests of its member."""
    homes = {
        "no chapter completes; name it in a line Completes": {
            span for chapter in chapters(root) for span in _completes(chapter)
        },
        "the README does not name; add it to the row of its chapter": {
            span
            for block in blocks((root / "README.md").read_text(encoding="utf-8"))
            for span in (_spans(block) if block.kind == "row" else ())
        },
        "tests/family_pairs.py does not build; add its member there": [
            f"{member}*" for member in TESTED.findall((root / PAIRS).read_text(encoding="utf-8"))
        ],
    }
    models = [
        (name, kind)
        for name, kinds in exports(root).items()
        for kind in kinds
        if _in(kind, "minibert.family") and MODEL.fullmatch(name)
    ]
    return [
        f"{name_of(kind.path, root)}: defines {name}, which {missing}."
        for name, kind in models
        for missing, known in homes.items()
        if not any(fnmatch(name, span) for span in known)
    ]


def _in(definition: Definition, module: str) -> bool:
    return f"{definition.module}.".startswith(f"{module}.")


def _chapters_of(definition: Definition) -> set[int]:
    """Read the chapters that the docstring of a module names, or the References of its own."""
    module = ast.get_docstring(ast.parse(definition.path.read_text(encoding="utf-8"))) or ""
    has_docstring = isinstance(definition.node, ast.FunctionDef | ast.ClassDef)
    text = (ast.get_docstring(definition.node) or "") if has_docstring else ""
    references = text.partition("References\n---")[2].partition("Examples\n---")[0]
    return chapters_named(f"{module} {references}")


@pytest.mark.parametrize("rule", [contents, front_door, completed, family])
def test_this_project_keeps_it(this_project, rule):
    this_project.keeps(rule)


def test_a_member_that_nobody_names(plot):
    plot.file("README.md", "| | |\n| --- | --- |\n| 22 | `minibert.family`: `OneModel` |")
    plot.file(PAIRS, 'Member("One", SIZES)')
    plot.file("minibert/family/one.py", "class OneModel:\n    pass")
    done = "| | |\n| --- | --- |\n| **Completes** | `minibert.family`: `One*` |"
    assert family(plot.chapter(done)) == []
    root = plot.file("minibert/family/two.py", "class TwoForTokens:\n    pass")
    chapter, readme, tests = family(root)
    assert chapter.startswith("minibert/family/two.py: defines TwoForTokens, which no chapter comp")
    assert "the README does not name" in readme
    assert "tests/family_pairs.py does not build" in tests


MODULE = '''
def add(x):
    """Add.

    References
    ----------
    Chapter 1.
    """


def add_backward(x):
    """Add.

    References
    ----------
    Chapters 1 and 2.

    Examples
    --------
    See Chapter 7.
    """
'''
CHAPTER = """
# {title}

| This chapter | |
| --- | --- |
| **Completes** | {completes} |
"""
README = """
| | chapter | module | tests |
| --- | --- | --- | --- |
| 1 | [One sum](book/chapters/01-a-chapter.ipynb) | `minibert.reference`: `add` | `tests/sums/` |
| 2 | [Two sums](book/chapters/02-a-chapter.ipynb) | | |
"""
CONTENTS = "root: index\nparts:\n- chapters:\n  - file: chapters/01-a-chapter\n  - file: glossary\n"
ONE = "`minibert.reference`: `add` and every `*_backward`"


def plant(plot, old: str = "", new: str = "", one: str = ONE) -> Path:
    plot.file("minibert/reference/layers.py", MODULE)
    plot.file("minibert/reference/__init__.py", "")
    plot.file("minibert/losses.py", "")
    plot.file("tests/sums/test_layers.py", "")
    plot.file("README.md", README.replace(old, new, 1) if old else README)
    plot.chapter(CHAPTER.format(title="One sum", completes=one), number=1)
    return plot.chapter(CHAPTER.format(title="Two sums", completes="a sum"), number=2)


def test_a_readme_that_agrees(plot):
    root = plant(plot)
    assert front_door(root) == completed(root) == []
    as_paths = "[reference](minibert/reference/): `add` | [tests](tests/sums/test_layers.py)"
    root = plant(plot, "`minibert.reference`: `add` | `tests/sums/`", as_paths)
    assert front_door(root) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("| 2 | [Two sums](book/chapters/02-a-chapter.ipynb) | | |\n", "", "no row with a link"),
        ("[One sum]", "[A sum]", "does not call it 'One sum', as its heading does"),
        ("tests/sums/", "tests/sum/", "names tests/sum/, which does not exist"),
        ("`tests/sums/`", "", "names no test"),
        ("minibert.reference", "minibert.losses", "names minibert.losses, but the chapter complet"),
        ("`minibert.reference`: `add`", "", "names no module, but the chapter completes minibert."),
        ("`add`", "`add`, `add_backward`", "names add_backward, which the line Completes"),
    ],
)
def test_a_readme_that_does_not_agree(plot, old, new, problem):
    (sentence,) = front_door(plant(plot, old, new))
    assert sentence.startswith("README.md: ")
    assert problem in sentence


@pytest.mark.parametrize(
    ("one", "problem"),
    [
        ("`minibert.reference`: `subtract`", "completes subtract, which minibert.reference does"),
        ("`add`, `minibert.losses`", "add names the chapter that builds it, but that chapter"),
        ("`minibert.losses`: `add`", "completes add, which minibert.losses does not export"),
    ],
)
def test_a_chapter_that_promises_something_else(plot, one, problem):
    assert any(problem in sentence for sentence in completed(plant(plot, one=one)))


def test_a_docstring_that_names_another_chapter(plot):
    root = plant(plot)
    plot.file("minibert/reference/layers.py", MODULE.replace("Chapter 1.", "Chapter 2."))
    first, second = completed(root)
    assert "01-a-chapter.ipynb: completes add, but the docstring of minibert.ref" in first
    assert "minibert/reference/layers.py: add names the chapter that builds it" in second


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        (TOC, CONTENTS, ""),
        (TOC, CONTENTS + "  - file: notation\n", "lists notation, but there is no such page"),
        ("book/notation.md", "", "book/notation is not in book/_toc.yml, so no reader finds it"),
        ("book/chapters/02-b.ipynb", "", "book/chapters/02-b is not in book/_toc.yml"),
        (TOC, CONTENTS.replace("01", "02"), "the chapters are not 01, 02, 03 and so on"),
    ],
)
def test_a_page_that_is_lost_or_not_in_order(plot, file, text, problem):
    chapter = "02-a-chapter" if "02-a-chapter" in text else "01-a-chapter"
    for page in ("index.md", "glossary.md", f"chapters/{chapter}.ipynb"):
        plot.file(f"book/{page}", "")
    plot.file(TOC, CONTENTS)
    says(contents(plot.file(file, text)), problem)
