"""Keep what a reader has written, functions and classes, in a file. Chapter 2."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from IPython.display import display

from bertbook.core.exercises.verdict import Verdict
from bertbook.core.setting import is_stored
from berttools.grade.names import is_skeleton, names_from_outside
from minibert.disk import atomic_write

from .clashes import bindings, clashes, with_line_inside
from .definitions import NotKeptError, needs_of, source_of
from .reader_file import READER_FILE

HEADING = (
    '"""What I have written in the chapters of BERT by Hand; they run on it.\n\n'
    "keep() replaces what it finds under the same name, and leaves the rest as it is.\n"
    '"""\n'
)


def keep(thing: Any, verdict: Verdict | None = None) -> None:
    """Keep a function or class of yours in my_bert.py; the chapters that follow run on it.

    With it go the imports it needs, and what else of yours it uses. An older version is replaced.

    Args:
        thing: Defined in this notebook. Its name begins with ``my_`` or ``My``.
        verdict: What its checker says, ``keep(my_softmax, check_softmax(my_softmax))``: it is
            shown, and only what is right is kept.
    """
    said = verdict.message if verdict else ""
    if verdict and not verdict.passed:
        display(verdict)
        return
    try:
        report, kept = _keep(thing), True
    except (NotKeptError, OSError) as error:
        report, kept = f"Not kept. {error}.", False
    display(Verdict(kept, f"{said} {report}".strip()))


def _keep(thing: Any) -> str:
    _require_name(thing)
    before = _read(READER_FILE)
    after, names = with_definition(before, thing)
    if is_stored():
        return f"In a notebook of your own, {names[-1]} now stands in {READER_FILE}."
    try:
        with atomic_write(READER_FILE) as draft:
            draft.write_text(after, encoding="utf-8")
    except OSError as error:
        raise NotKeptError(
            f"{READER_FILE.absolute()} cannot be written ({error.strerror}). Copy the notebook "
            "into a folder of your own and run it there"
        ) from None
    others = f", with {' and '.join(names[:-1])}" if names[:-1] else ""
    return f"Kept in {READER_FILE}: {names[-1]}{others}."


def _require_name(thing: Any) -> None:
    name = getattr(thing, "__name__", None)
    if name == "<lambda>":
        raise NotKeptError("A lambda has no name to find it by. Write def my_…(…): and return")
    if name is None:
        raise NotKeptError(
            f"This is {type(thing).__name__}(…), a value. Give the function or class itself, "
            f"without a call: keep({type(thing).__name__})"
        )
    if not name.startswith(("My", "my_")):
        yours = f"My{name}" if isinstance(thing, type) else f"my_{name}"
        raise NotKeptError(
            f"What is yours begins with My or my_, so that nobody takes it for the package's; call "
            f"{name} {yours}"
        )
    if isinstance(thing, type) and hasattr(thing, "forward") and not hasattr(thing, "parameters"):
        raise NotKeptError(
            f"{name} has a forward and is no nn.Module. Write class {name}(nn.Module)"
        )


def _read(path: Path) -> str:
    """Return the file as it is; what is no Python cannot be added to."""
    if not path.is_file():
        return HEADING
    try:
        text = path.read_text(encoding="utf-8")
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise NotKeptError(
            f"{path} cannot be read as Python: {error}. Mend it, or give it another name, and run "
            "this cell again"
        ) from None
    return text


def with_definition(text: str, thing: Callable) -> tuple[str, list[str]]:
    """Add something, and all of the reader's that it uses, to a file; return it and their names."""
    code: dict[str, str] = {}  # in an order in which each stands after what it uses
    lines: list[str] = []
    _collect(thing, code, lines, bindings(text))
    blocks = _blocks(text)
    place = _place(blocks, code)
    blocks = [block for block in blocks if _name(block) not in code]
    blocks[place:place] = [f"\n\n{source}" for source in code.values()]
    new = sorted({*lines} - {*text.splitlines()}, key=lambda line: ("=" in line, line))
    if new:
        start = _start(blocks)
        follows = start and blocks[start - 1].lstrip().startswith(("import ", "from "))
        blocks.insert(start, ("" if follows else "\n") + "\n".join(new) + "\n")
    return "".join(blocks), list(code)


def _collect(
    thing: Callable, code: dict[str, str], lines: list[str], known: dict[str, str]
) -> None:
    """Gather the code of something after that of all it uses, and the lines that they need."""
    source = source_of(thing)
    if is_skeleton(source):
        raise NotKeptError(f"{thing.__name__} still has the dots of its skeleton")
    needs = needs_of(thing, source)
    code[thing.__name__] = ""  # so that what uses itself is gathered once
    for other in needs.others:
        if other.__name__ not in code:
            _collect(other, code, lines, known)
    for line in needs.lines:
        if clashes(line, known):
            source = with_line_inside(source, line)
        else:
            lines.append(line)
    del code[thing.__name__]
    code[thing.__name__] = source


def _place(blocks: list[str], code: dict[str, str]) -> int:
    """Return the number of the block before which code may stand: after what it uses."""
    used = set().union(*map(names_from_outside, code.values())) - set(code)
    after = [i + 1 for i, block in enumerate(blocks) if _name(block) in used]
    before = [
        i
        for i, block in enumerate(blocks)
        if {_name(block), *names_from_outside(block)} & set(code)
    ]
    return max([_start(blocks), *after, min(before, default=len(blocks))])


def _start(blocks: list[str]) -> int:
    """Return where imports may be added: behind the heading and the imports that follow it."""
    place = 0
    for block in blocks:
        node = next(iter(ast.parse(block).body), None)
        is_heading = place == 0 and isinstance(node, ast.Expr)
        if not is_heading and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        place += 1
    return place


def _blocks(text: str) -> list[str]:
    """Cut a file behind each of its statements, so that nothing in between is lost."""
    lines = text.splitlines(keepends=True)
    ends = [node.end_lineno or 0 for node in ast.parse(text).body[:-1]]
    cuts = [0, *ends, len(lines)]
    return ["".join(lines[start:end]) for start, end in zip(cuts, cuts[1:])]


def _name(block: str) -> str:
    """Return the name that a block defines, if it is a function or class."""
    return next((getattr(node, "name", "") for node in ast.parse(block).body), "")
