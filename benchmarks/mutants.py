"""Plant small mistakes in minibert, one at a time, and count those the tests notice.

`make mutants` runs it. Cosmic Ray says where a mistake can stand and writes it: another operator,
a number one too high, a loop that never runs. Annotations are left alone. The places are drawn with
a seed from the heart, training, pretrained and tasks; each gets one of its mistakes. A mistake is
planted in a copy of the project, and a fork of this process, in which the libraries are loaded
already, runs the tests of its room, those first that name what was changed.
"""

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from itertools import islice
from pathlib import Path
from warnings import catch_warnings, simplefilter

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from notebooks import kernel_environment

from benchmarks.mutants_record import record, write

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "book/_build/mutants.jsonl"
ROOMS = {  # their modules, their tests, and how many files of these a mistake meets at most
    "heart": ("minibert/*.py", "tests/test_*.py", 8),
    "training": ("minibert/training/*.py", "tests/training/test_*.py", None),
    "pretrained": ("minibert/pretrained/*.py", "tests/pretrained/test_*.py", None),
    "tasks": ("minibert/tasks/*.py", "tests/tasks/test_*.py", None),
}
FIRST = 2  # so many files are tried before the others are collected
CPU_SECONDS = 120  # a mistake that loops for ever is noticed by its silence
PYTEST = (
    *("-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"),
    *("-m", "not slow", "--hypothesis-profile=quick"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # the plugins are imported already
)
PASSED, FAILED, NOT_COLLECTED, NO_TESTS = 0, 1, 2, 5


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


def places(room: str, path: Path) -> Iterator[list[Mutant]]:
    """Yield, for each place of a file, the mistakes that can be planted there."""
    source = path.read_text(encoding="utf-8")
    skipped = list(annotations(ast.parse(source)))
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

    _, pattern, at_most = ROOMS[mutant.room]
    ranked = sorted(ROOT.glob(pattern), key=mentions, reverse=True)
    return [str(path.relative_to(ROOT)) for path in ranked[:at_most]]


def copy_project(folder: Path) -> None:
    """Copy what git knows, so that the project itself is never changed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def tests_fail(folder: Path, files: list[str]) -> str:
    """Run tests in a fork; return the first that fails, or nothing."""
    if (child := os.fork()) == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        os._exit(run_tests(folder, files))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        _end_group(child)
        return f"stopped after {CPU_SECONDS} seconds of a processor"
    said = (folder / "log").read_text(encoding="utf-8", errors="replace")
    if (code := os.WEXITSTATUS(status)) in (PASSED, NO_TESTS):
        return ""
    if code not in (FAILED, NOT_COLLECTED):
        raise RuntimeError(f"pytest ended with {code}:\n{said}")
    failed = re.search(r"^(?:FAILED|ERROR) ([^\s[]+)", said, re.MULTILINE)  # with any parameters
    return failed[1] if failed else "collection"


def _end_group(child: int) -> None:
    """End what a test has started and left behind."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def run_tests(folder: Path, files: list[str]) -> int:
    """Run tests in the copy; what they print goes to its log."""
    import pytest  # in the fork only: the one that plants mistakes has no tests

    with (folder / "log").open("wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    return int(pytest.main([*PYTEST, *files]))


def load_libraries(folder: Path) -> None:
    """Import what the tests import from elsewhere, once for all forks."""
    seen = (
        "import sys; from pathlib import Path; import pytest; "
        "pytest.main(['--collect-only', '-q', *sys.argv[2:]]); Path('modules').write_text("
        "' '.join(n for n, m in list(sys.modules.items()) "
        "if 'site-packages' in (getattr(m, '__file__', '') or '')))"
    )
    tests = [str(x.relative_to(ROOT)) for _, y, _ in ROOMS.values() for x in ROOT.glob(y)]
    subprocess.run(
        [sys.executable, "-c", seen, "", *tests],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    for name in (folder / "modules").read_text(encoding="utf-8").split():
        with suppress(Exception):  # what cannot be loaded here, the fork will load
            import_module(name)


def plant(folder: Path, mutant: Mutant, number: int, before: str) -> dict:
    """Plant one mistake, run the tests, and take it out again."""
    file, start = folder / mutant.path, time.time()
    right = file.read_text(encoding="utf-8")
    file.write_text(mutant.source() or "", encoding="utf-8")
    os.utime(file, (number, number))  # no time that a compiled file could have
    try:
        files = test_files(mutant)
        attempts = [[before], files[:FIRST], files[FIRST:]][not _is_there(before) :]
        by = next(filter(None, (tests_fail(folder, attempt) for attempt in attempts)), "")
    finally:
        file.write_text(right, encoding="utf-8")
        os.utime(file, (number + 10**6, number + 10**6))
    return {**asdict(mutant), "noticed_by": by, "seconds": round(time.time() - start, 1)}


def _is_there(test: str) -> bool:
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


def check_without(folder: Path, rows: list[dict]) -> None:
    """Stop where a test that noticed a mistake fails without one, too."""
    noticed_by = {row["noticed_by"] for row in rows}
    if failed := tests_fail(folder, sorted(x for x in noticed_by if "::" in x)):
        raise SystemExit(f"{failed} fails without any mistake; let all tests pass first")


def run(mutants: list[Mutant], results: Path, earlier: dict[str, str]) -> list[dict]:
    """Plant every mistake that has no result yet, and store each result at once."""
    rows = [json.loads(line) for line in _lines(results)]
    results.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        load_libraries(folder)
        for number, mutant in list(enumerate(mutants, start=1))[len(rows) :]:
            rows.append(plant(folder, mutant, number, earlier.get(mutant.key, "")))
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
            print(number, mutant.key, rows[-1]["noticed_by"] or "NOT NOTICED", flush=True)
        check_without(folder, rows)
    return rows


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def main() -> None:
    """Read the arguments, plant the mistakes, and store the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=400, help="mistakes to plant")
    parser.add_argument("--seed", type=int, default=0, help="draws the places")
    parser.add_argument("--results", type=Path, default=RESULTS, help="a line each; continued")
    parser.add_argument("--earlier", type=Path, help="results that say which tests to try first")
    parser.add_argument("--record", action="store_true", help="tell it on the page of statistics")
    asked = parser.parse_args()
    os.environ.update(kernel_environment())
    mutants, places = draw(asked.count, asked.seed)
    before = [json.loads(line) for line in _lines(asked.earlier)] if asked.earlier else []
    rows = run(mutants, asked.results, {Mutant.of(x).key: x["noticed_by"] for x in before})
    if asked.record:
        write(record(rows, places, asked.seed))
        asked.results.unlink()


if __name__ == "__main__":
    main()
