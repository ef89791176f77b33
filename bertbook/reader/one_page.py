"""BERT on one page with the reader's own classes: what `make one-page` writes. Chapter 12."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from berttools.cli.files import require_output, write_output
from berttools.grade.names import names_from_outside

from .contracts.names import Part, replacements_of
from .contracts.require import require_contract
from .reader_file import READER_FILE, run_reader_file

PAGE = Path(__file__).parents[2] / "book" / "bert.py"
RESULT = Path("my_bert_on_one_page.py")
PART = re.compile(r"\bpart\(([\w.]+)\)")
OURS = ("minibert", "bertfamily", "berttools", "bertbook")
OUR_IMPORT = re.compile(rf"^ +from (?:{'|'.join(OURS)})\b.* import .*\n", re.MULTILINE)
# The page has one loss for both tasks; the package names it twice, for the words of its errors.
SAME_FUNCTIONS = dict.fromkeys(("masked_lm_loss", "next_sentence_loss"), "cross_entropy")


class OnePage(NamedTuple):
    """A page, which of the reader's parts stand on it, and a sentence for each that cannot."""

    text: str
    used: list[str]
    problems: list[str]


class Block(NamedTuple):
    """A statement at the top of a file: its text, what it defines, and whether it imports."""

    text: str
    names: tuple[str, ...]
    module: str | None = None


def one_page(path: Path, page: str | None = None) -> OnePage:
    """Replace classes on the page by the reader's."""
    replacements, problems = replacements_of(run_reader_file(path))
    own_blocks = blocks_of(path.read_text(encoding="utf-8"))
    page_blocks = blocks_of(PAGE.read_text(encoding="utf-8") if page is None else page)
    known = {name for block in page_blocks for name in block.names} | {"part", *SAME_FUNCTIONS}
    names = {replacement.__name__: _on_page(role) for role, replacement in replacements.items()}
    needed: dict[str, list[Block]] = {}
    for role, replacement in replacements.items():
        blocks = list(_needed(replacement.__name__, own_blocks, set(names)))
        if problem := _problem(role, replacement, blocks, known):
            problems.append(problem)
        else:
            needed[replacement.__name__] = blocks
    used = [*needed]
    for name, blocks in _helpers(page_blocks, needed, names).items():
        names[name], needed[name] = name.removeprefix("my_"), blocks
    return OnePage(_written(page_blocks, own_blocks, needed, names), used, problems)


def _helpers(
    page_blocks: list[Block], needed: dict[str, list[Block]], names: dict[str, str]
) -> dict[str, list[Block]]:
    """Find functions that a part needs, my_x, where x stands on the page for that part alone."""
    replaced = {names[name] for name in needed}
    found = {}
    for block in (block for blocks in needed.values() for block in blocks):
        for name in (name for name in block.names if name.startswith("my_")):
            bare = name.removeprefix("my_")
            users = [other for other in page_blocks if bare in names_from_outside(other.text)]
            if name not in names and users and all({*user.names} <= replaced for user in users):
                found[name] = [block]
    return found


def blocks_of(text: str) -> list[Block]:
    """Cut a file before each of its statements; what stands in between goes with the next one."""
    lines = text.splitlines(keepends=True)
    nodes = ast.parse(text).body
    ends = [0, *(node.end_lineno or 0 for node in nodes[:-1]), len(lines)]
    texts = ["".join(lines[start:end]) for start, end in zip(ends, ends[1:])]
    return [
        Block(text, tuple(_bound(node)), _module(node))
        for text, node in zip(texts, nodes, strict=True)
    ]


def _bound(node: ast.stmt) -> Iterator[str]:
    """Name what a statement defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Try):  # around imports
        yield from (name for each in node.body for name in _bound(each))
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        yield from (name.id for name in names if isinstance(name.ctx, ast.Store))


def _module(node: ast.stmt) -> str | None:
    """Name the module that a statement imports, or imports from."""
    if isinstance(node, ast.Try):
        return _module(node.body[0])
    if isinstance(node, ast.ImportFrom):
        return node.module
    return node.names[0].name if isinstance(node, ast.Import) else None


def _on_page(role: Part) -> str:
    """Name a part as the page does: BertLayer, or nn.Dropout."""
    return f"nn.{role.__name__}" if role.__module__.startswith("torch") else role.__name__


def _needed(name: str, blocks: list[Block], parts: set[str]) -> Iterator[Block]:
    """Yield what a part needs of its file, itself included; other parts have their own places."""
    wanted, names = set(), [name]
    for name in names:  # which grows
        for block in (block for block in blocks if name in block.names and block not in wanted):
            wanted.add(block)
            if block.module is None:
                names += names_from_outside(block.text) - parts
    yield from (block for block in blocks if block in wanted)


def _problem(role: Part, replacement: Callable, blocks: list[Block], known: set[str]) -> str:
    """Say why a part cannot stand on the page; nothing if it can."""
    name, place = replacement.__name__, _on_page(role)
    try:
        require_contract(role, replacement)
    except (TypeError, ValueError) as error:
        return f"{name} is left out: {error}"
    if place not in known:
        return f"{name} is left out: the page has no {place} of its own"
    for node in (node for block in blocks for node in ast.walk(ast.parse(block.text))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith(OURS):
            for missing in (each for each in _bound(node) if each not in known):
                return f"{name} is left out: it needs {missing} of {node.module}"
    return ""


def _written(
    page_blocks: list[Block],
    own_blocks: list[Block],
    needed: dict[str, list[Block]],
    names: dict[str, str],
) -> str:
    """Write the page, the reader's imports after the others, helpers before the first part."""
    known = {"part", *SAME_FUNCTIONS, *(name for block in page_blocks for name in block.names)}
    wanted = {block for blocks in needed.values() for block in blocks}
    used = [block for block in own_blocks if block in wanted]
    imports = [block.text.strip() for block in used if block.module and {*block.names} - known]
    helpers = [block for block in used if not block.module and not {*block.names} & {*needed}]
    parts = {names[name]: block for block in used for name in block.names if name in needed}
    last_import = max(number for number, block in enumerate(page_blocks) if block.module)
    written = []
    for number, block in enumerate(page_blocks):
        replaced = next((parts[name] for name in block.names if name in parts), None)
        if replaced is not None:
            written += [_set(each, names) for each in [*helpers, replaced]]
            helpers = []
        else:
            written.append(block.text)
        if number == last_import:
            written += [f"{line}\n" for line in imports]
    return "".join(written)


def _set(block: Block, names: dict[str, str]) -> str:
    """Set what a reader wrote like the rest of the page, under the names that it has there."""
    text = PART.sub(r"\1", OUR_IMPORT.sub("", block.text.strip()))
    for old, new in {**names, **SAME_FUNCTIONS}.items():
        text = re.sub(rf"\b{old}\b", new, text)
    return f"\n{text}\n"


def main(path: Path = READER_FILE, result: Path = RESULT) -> int:
    """Write the page of a reader's file; return 1 if there is none, or none of it can be used."""
    try:
        require_output(result, inputs=[path])
        page = one_page(path)
    except (OSError, ValueError) as error:
        print(f"{error}.")
        return 1
    print(*(f"{problem}." for problem in page.problems), sep="\n", end="\n" * bool(page.problems))
    if not page.used:
        print(f"Nothing of {path} can stand on the page, so none is written.")
        return 1
    write_output(result, page.text, inputs=[path])
    print(f"{result} has {len(page.text.splitlines())} lines; yours are {', '.join(page.used)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
