"""What `make mutants` has measured, in a record and in a sentence of the page of statistics."""

import json
import math
import re
from collections import Counter
from pathlib import Path

from bertbook.records import record_path

from .records import origin

ROOT = Path(__file__).parents[1]
RECORD = record_path("mutants")
PAGE = ROOT / "book/statistics.md"
PASSAGE = re.compile(r"(?<=<!-- mutants:begin -->\n).*(?=<!-- mutants:end -->)", re.DOTALL)


def interval(noticed: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share, at 95 percent."""
    share, weight = noticed / count, z * z / count
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / count + weight / count / 4)
    return middle - half, middle + half


def command(count: int, seed: int) -> str:
    """Write the command that plants these mistakes."""
    return f"python -m benchmarks.mutants --record --count {count} --seed {seed}"


def record(rows: list[dict], places: int, seed: int) -> dict:
    """Sum up the results of the mistakes, by room, and list those nobody noticed."""
    made_by = command(len(rows), seed)
    planted = Counter(row["room"] for row in rows)
    noticed = Counter(row["room"] for row in rows if row["noticed_by"])
    return {
        "command": made_by,
        "origin": origin(made_by),
        "places": places,
        "seed": seed,
        "planted": planted,
        "noticed": {room: noticed[room] for room in planted},
        "not_noticed": [
            f"{row['path']}:{row['line']} {row['operator']} {row['occurrence']}"
            for row in rows
            if not row["noticed_by"]
        ],
    }


def passage(found: dict) -> str:
    """Tell a record in words, with a row for each room."""
    noticed, planted = (sum(found[name].values()) for name in ("noticed", "planted"))
    low, high = interval(noticed, planted)
    lines = [
        f"Of {planted} mistakes at places drawn from {found['places']:,}, the tests notice "
        f"{noticed}. That is {noticed / planted:.0%}; of all that could be planted there it is, "
        f"with a confidence of 95%, between {low:.0%} and {high:.0%}.",
        "",
        "| Where | Planted | Noticed |",
        "| --- " * 3 + "|",
        *(
            f"| {room} | {count} | {found['noticed'][room]} |"
            for room, count in found["planted"].items()
        ),
    ]
    return "\n".join([*lines, "", ""]).replace("%", " %")


def measured() -> dict:
    """Read the record."""
    return json.loads(RECORD.read_text(encoding="utf-8"))


def write(found: dict) -> None:
    """Store a record, and tell it on the page."""
    RECORD.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PASSAGE.sub(lambda _: passage(found), page), encoding="utf-8")
