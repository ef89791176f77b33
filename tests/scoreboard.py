"""The scoreboard behind `make mine`: what holds of the reader's parts, and of models of them."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from my_parts import GROUPS, Players, group_of, load

from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.require import require_contract
from bertbook.reader.module import examine
from minibert.parts import override

ROOT = Path(__file__).parents[1]
QUIETLY = [
    *("-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts=", "-m", "not slow"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # some plugins are imported already
]
HOW_TO_BEGIN = (
    "There is no {file} yet. Save your classes there under the names of their roles, such as "
    "MySelfAttention, each as it stands in its chapter with the imports it needs, or name another "
    "file: make mine MINE=my_bert.py"
)
NOT_BUILT = "Models are built as soon as each part is built as its role asks."
NOTHING = "No test was run."


class Tally:
    """Count what passes in each group of tests, and remember the first that does not."""

    def __init__(self) -> None:
        self.passed, self.failed = (dict.fromkeys(GROUPS, 0) for _ in range(2))
        self.first: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test when it has run, or could not begin."""
        group = group_of(report.nodeid)
        if report.failed:
            self.failed[group] += 1
            self.first.setdefault(group, f"{report.nodeid}: {_what(report)}")
        elif report.when == "call":
            self.passed[group] += 1

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Write a line for each group."""
        for group, passed in self.passed.items():
            total = passed + self.failed[group]
            yield group, f"{passed} of {total}", self.first.get(group, "" if total else NOTHING)


def _what(report: pytest.TestReport) -> str:
    """Take the first line of what a failed test says."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr)).partition("\n")[0]


def parts(players: Players) -> Iterator[tuple[str, ...]]:
    """Write a line for each part of the reader's."""
    for role, player in players.items():
        held, total, problem = 1, 1, ""
        if ROLES[role].built:
            found = examine(player, role)
            held, total, problem = found.held, found.total, found.problem
        else:
            try:
                require_contract(role, player)
            except (TypeError, ValueError) as error:
                held, problem = 0, str(error)
        yield role.__name__, player.__name__, f"{held} of {total}", problem


def models(file: Path, players: Players) -> list[tuple[str, ...]]:
    """Run the tests of models built of the reader's parts, and write a line for each group."""
    try:
        with override(players):
            pass
    except (TypeError, ValueError):
        return [("not tested", NOT_BUILT)]
    tally = Tally()
    code = pytest.main([f"--mine={file}", f"--rootdir={ROOT}", *QUIETLY], plugins=[tally])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return [("not tested", f"pytest ended with the code {int(code)}")]
    return list(tally.lines())


def board(lines: Iterable[tuple[str, ...]]) -> str:
    """Set lines in columns, the last one on a line of its own where it says something."""
    rows = [line for line in lines if line]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    told = []
    for *cells, problem in rows:
        sign = "✗" if problem else "✓"
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths))
        told += [f"  {sign} {line.rstrip()}", *([f"      {problem}"] if problem else [])]
    return "\n".join(told)


def main(file: Path) -> int:
    """Print the scoreboard of a file; return 1 if there is none, or not all of it holds."""
    if not file.is_file():
        print(HOW_TO_BEGIN.format(file=file))
        return 1
    try:
        players, nameless = load(file)
    except pytest.UsageError as error:
        print(error)
        return 1
    print(f"The parts in {file}, and how many of its role's promises each one keeps:")
    of_parts = [*parts(players)]
    print(board(of_parts))
    print(*nameless, sep="\n", end="\n" if nameless else "")
    print("The models built of them, ours for the rest, and the tests that they pass:", flush=True)
    of_models = models(file.resolve(), players)
    print(board(of_models))
    return int(any(problem for *_, problem in [*of_parts, *of_models]))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
