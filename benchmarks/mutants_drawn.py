"""Where a mistake can stand in minibert, which are drawn, and which tests meet each.

Cosmic Ray says where and writes it: another operator, a number one too high, a loop that never
runs. Annotations are left alone, and the bare star of a signature: a ``/`` in its place is no
mistake that a caller could notice.
"""

import ast
import io
import random
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from warnings import catch_warnings, simplefilter

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parents[1]
ROOMS = {  # modules, folders of tests, and how many files of these a mistake meets at most
    "heart": ("minibert/*.py", ("tests", "tests/tasks"), 8),
    "training": ("minibert/training/*.py", ("tests/training",), None),
    "loading": ("minibert/loading/*.py", ("tests/loading",), None),
    "tasks": ("minibert/tasks/*.py", ("tests/tasks",), None),
}


@dataclass(frozen=True)
class Mutant:
    """One mistake: what is done to which occurrence of what in a file."""

    room: str
    path: str
    line: int
    operator: str
    occurrence: int

    @property
    def key(self) -> str:
        """Name it in one line."""
        return f"{self.path}:{self.line} {self.operator} {self.occurrence}"

    @classmethod
    def of(cls, row: dict) -> "Mutant":
        """Take it from its result."""
        return cls(*(row[x.name] for x in fields(cls)))

    def source(self) -> str | None:
        """Write the file with the mistake, or None where that makes no file Python can read."""
        code = (ROOT / self.path).read_text(encoding="utf-8")
        try:
            changed = mutate_code(code, get_operator(self.operator)(), self.occurrence)
            with catch_warnings():
                simplefilter("ignore")  # `is 1`, for one, is bad style
                compile(changed, self.path, "exec")
        except (SyntaxError, AttributeError):  # it knows no `except (One, Other)`
            return None
        return changed


def annotations(tree: ast.Module) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where annotations begin and end."""
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if written := getattr(node, name, None):
                yield (
                    (written.lineno, written.col_offset),
                    (written.end_lineno, written.end_col_offset),
                )


def bare_stars(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where the star of a signature such as ``f(x, *, y)`` begins and ends."""
    tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
    for star, comma in zip(tokens, tokens[1:]):
        if (star.string, comma.string) == ("*", ","):
            yield star.start, star.end


def places(room: str, path: Path) -> Iterator[list[Mutant]]:
    """Yield, for each place of a file, the mistakes that can be planted there."""
    source = path.read_text(encoding="utf-8")
    skipped = [*annotations(ast.parse(source)), *bare_stars(source)]
    nodes = list(ast_nodes(get_ast(source)))
    found: dict[tuple[int, int], list[Mutant]] = {}
    for name in operator_names():
        if get_operator(name).arguments():
            continue
        positions = (p for node in nodes for p in get_operator(name)().mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if not any(begin <= start < end for begin, end in skipped):
                mutant = Mutant(room, str(path.relative_to(ROOT)), start[0], name, occurrence)
                found.setdefault(start, []).append(mutant)
    for _, mutants in sorted(found.items()):
        yield mutants


def draw(count: int, seed: int) -> tuple[list[Mutant], int]:
    """Draw mistakes at different places, in an order of chance, and count all places."""
    rng = random.Random(seed)
    everywhere = [
        mutants
        for room, (modules, *_) in ROOMS.items()
        for path in sorted(ROOT.glob(modules))
        for mutants in places(room, path)
    ]
    drawn: list[Mutant] = []
    for mutants in rng.sample(everywhere, len(everywhere)):
        if len(drawn) == count:
            break
        readable = (m for m in rng.sample(mutants, len(mutants)) if m.source() is not None)
        drawn.extend(islice(readable, 1))
    return drawn, len(everywhere)


def names_around(mutant: Mutant) -> tuple[str, list[str]]:
    """Return what is defined around a mistake at the top of its file, and all public names."""
    tree = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
    definitions = [x for x in tree.body if isinstance(x, ast.FunctionDef | ast.ClassDef)]
    around = [x.name for x in definitions if x.lineno <= mutant.line <= (x.end_lineno or 0)]
    return "".join(around), [x.name for x in definitions if not x.name.startswith("_")]


def test_files(mutant: Mutant) -> list[str]:
    """List files of tests of a room, those first that name what was changed most often."""
    around, public = names_around(mutant)
    lines = (ROOT / mutant.path).read_text(encoding="utf-8").splitlines()
    near = set(re.findall(r"\w{6,}", " ".join(lines[mutant.line - 3 : mutant.line + 2])))

    def mentions(path: Path) -> tuple[int, int]:
        words = re.findall(r"\w+", path.read_text(encoding="utf-8"))
        said = Counter(words)
        return 10 * said[around] + sum(said[name] for name in [*public, *near]), -len(words)

    ranked = sorted(tests_of(mutant.room), key=mentions, reverse=True)
    return [str(path.relative_to(ROOT)) for path in ranked[: ROOMS[mutant.room][2]]]


def tests_of(room: str) -> list[Path]:
    """List the files of tests of a room."""
    return [path for name in ROOMS[room][1] for path in (ROOT / name).glob("test_*.py")]
