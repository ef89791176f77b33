"""Chapters, README and package tell the same story of the book."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from book_tree import Chapter, chapters, name_of
from planting import says
from prose import blocks, chapters_named
from python_code import PACKAGES, Definition, exports, parse

CODE = re.compile(r"`([^`]+)`")
PLACES = ("tests/", *(f"{name}/" for name in PACKAGES))
MODEL = re.compile(r"[A-Z]\w+(Model|Config|For[A-Z]\w+(?<!Output))")
PAIRS, TESTED = "tests/family_pairs.py", re.compile(r'Member\(\s*"(\w+)"')
# What chapters use all along and no chapter finishes.
NOT_OF_A_CHAPTER = {
    *("berttools", "cli", "core", "fast", "fill", "grade", "pretrain", "reader", "topics"),
    *("disk", "inputs", "text_files"),
}


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


def _module(text: str, root: Path) -> str:
    """Name the module that some code stands for, `minibert/losses.py` or `minibert.losses`."""
    dotted = text.removesuffix("/").removesuffix(".py").replace("/", ".")
    parts = dotted.split(".")
    path = root.joinpath(*parts)
    known = parts[0] in PACKAGES and (path.is_dir() or path.with_suffix(".py").is_file())
    return _room(dotted) if known else ""


def _room(module: str) -> str:
    """Name the package and the folder or file in it; the family is flat, one room."""
    package, *rest = module.split(".")
    return package if package == "bertfamily" else ".".join([package, *rest[:1]])


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
        module = _room(definition.module)
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
    """Hold each model of the family to the tests of its member."""
    members = TESTED.findall((root / PAIRS).read_text(encoding="utf-8"))
    return [
        f"{name_of(kind.path, root)}: defines {name}, which {PAIRS} does not build; add its member."
        for name, kinds in exports(root).items()
        for kind in kinds
        if _in(kind, "bertfamily") and MODEL.fullmatch(name)
        if not name.startswith(tuple(members))
    ]


def _in(definition: Definition, module: str) -> bool:
    return f"{definition.module}.".startswith(f"{module}.")


def _chapters_of(definition: Definition) -> set[int]:
    """Read the chapters that the docstring of a module names, or the References of its own."""
    module = ast.get_docstring(parse(definition.path)) or ""
    has_docstring = isinstance(definition.node, ast.FunctionDef | ast.ClassDef)
    text = (ast.get_docstring(definition.node) or "") if has_docstring else ""
    references = text.partition("References\n---")[2].partition("Examples\n---")[0]
    return chapters_named(f"{module} {references}")


@pytest.mark.parametrize("rule", [front_door, completed, family])
def test_this_project_keeps_it(this_project, rule):
    this_project.keeps(rule)


def test_a_member_that_nobody_tests(plot):
    plot.file(PAIRS, 'Member("One", SIZES)')
    assert family(plot.file("bertfamily/one.py", "class OneModel:\n    pass")) == []
    root = plot.file("bertfamily/two.py", "class TwoForTokens:\n    pass")
    says(family(root), "bertfamily/two.py: defines TwoForTokens, which tests/family_pairs.py")


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
ONE = "`minibert.reference`: `add` and every `*_backward`"


def plant(plot, old: str = "", new: str = "", one: str = ONE) -> Path:
    plot.file("minibert/reference/layers.py", MODULE)
    plot.file("minibert/reference/__init__.py", "")
    plot.file("minibert/losses.py", "")
    plot.file("tests/sums/test_layers.py", "")
    plot.file("README.md", README.replace(old, new, 1))
    plot.chapter(CHAPTER.format(title="One sum", completes=one), number=1)
    return plot.chapter(CHAPTER.format(title="Two sums", completes="a sum"), number=2)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("", "", ""),
        ("| 2 | [Two sums](book/chapters/02-a-chapter.ipynb) | | |\n", "", "no row with a link"),
        ("[One sum]", "[A sum]", "01-a-chapter.ipynb that calls it 'One sum'"),
        ("tests/sums/", "tests/sum/", "names tests/sum/, which does not exist"),
    ],
)
def test_a_readme_that_agrees_or_does_not(plot, old, new, problem):
    says(front_door(plant(plot, old, new)), problem)


@pytest.mark.parametrize(
    ("one", "problem"),
    [
        (ONE, ""),
        ("`minibert.reference`: `subtract`", "completes subtract, which minibert.reference does"),
        ("`add`, `minibert.losses`", "add names the chapter that builds it, but that chapter"),
    ],
)
def test_a_chapter_that_promises_something_else(plot, one, problem):
    found = completed(plant(plot, one=one))
    assert bool(found) == bool(problem)
    assert problem in "".join(found)


def test_a_docstring_that_names_another_chapter(plot):
    root = plant(plot)
    plot.file("minibert/reference/layers.py", MODULE.replace("Chapter 1.", "Chapter 2."))
    first, second = completed(root)
    assert "01-a-chapter.ipynb: completes add, but the docstring of minibert.ref" in first
    assert "minibert/reference/layers.py: add names the chapter that builds it" in second
