"""Plant small mistakes in minibert, one at a time, and count those the tests notice.

`make mutants` repeats what the record names. The places are drawn with a seed from the heart,
training, pretrained and tasks; each gets one of its mistakes. A mistake is planted in a copy of the
project, and a fork of this process, in which the libraries are loaded already, runs the tests of
its room, those first that name what was changed.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks.mutants_drawn import ROOMS, ROOT, Mutant, draw, test_files, tests_of

sys.path.append(str(ROOT / "book/_ext"))
from notebooks import kernel_environment

RESULTS = ROOT / "book/_build/mutants.jsonl"
FIRST = 2  # so many files are tried before the others are collected
CPU_SECONDS = 120  # a mistake that loops for ever is noticed by its silence
PYTEST = (
    *("-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"),
    *("-m", "not slow and not thorough", "--hypothesis-profile=quick"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # the plugins are imported already
)
PASSED, FAILED, NOT_COLLECTED, STOPPED, NO_TESTS = 0, 1, 2, 3, 5  # as pytest ends
BROKEN = 70  # not by pytest


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
    if not files:
        return ""
    if (child := os.fork()) == 0:
        code = BROKEN
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            code = run_tests(folder, files)
        except BaseException:
            traceback.print_exc()  # into the log
        finally:
            os._exit(code)  # never back into the code of the parent, which would remove the copy
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        _end_group(child)
        return f"stopped after {CPU_SECONDS} seconds of a processor"
    said = (folder / "log").read_text(encoding="utf-8", errors="replace")
    if (code := os.WEXITSTATUS(status)) in (PASSED, NO_TESTS):
        return ""
    if code not in (FAILED, NOT_COLLECTED, STOPPED):  # the last if an import ends the program
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
    tests = {str(x.relative_to(ROOT)) for room in ROOMS for x in tests_of(room)}
    subprocess.run(
        [sys.executable, "-c", seen, "", *sorted(tests)],
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
    parser.add_argument("--count", type=int, default=95, help="mistakes to plant")
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
        # imports bertbook, which only the forks may: in their copy
        from benchmarks.mutants_record import record, write

        write(record(rows, places, asked.seed))
        asked.results.unlink()


if __name__ == "__main__":
    main()
