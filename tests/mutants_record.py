"""What `make mutants` has measured, in a record and in a sentence of the page of statistics."""

import json
import math
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "benchmarks/mutants.json"
PAGE = ROOT / "book/statistics.md"
PASSAGE = re.compile(r"(?<=<!-- mutants:begin -->\n).*(?=<!-- mutants:end -->)", re.DOTALL)


def interval(noticed: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share, at 95 percent."""
    share, weight = noticed / count, z * z / count
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / count + weight / count / 4)
    return middle - half, middle + half


def passage(record: dict) -> str:
    """Tell a record in words, with a row for each room."""
    rows = record["mutants"]
    of_room = Counter(row["room"] for row in rows)
    noticed_in = Counter(row["room"] for row in rows if row["noticed_by"])
    noticed, count = noticed_in.total(), len(rows)
    low, high = interval(noticed, count)
    lines = [
        f"The tests of its room notice {noticed} of {count} mistakes: {noticed / count:.0%}, and "
        f"with 95 percent confidence between {low:.0%} and {high:.0%} of all that could be "
        f"planted at {record['places']:,} places (seed {record['seed']}).",
        "",
        "| Where | Planted | Noticed |",
        "| --- " * 3 + "|",
        *(f"| {room} | {of_room[room]} | {noticed_in[room]} |" for room in record["rooms"]),
    ]
    return "\n".join([*lines, "", ""]).replace("%", " %")


def write(record: dict) -> None:
    """Store a record, and tell it on the page."""
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PASSAGE.sub(lambda _: passage(record), page), encoding="utf-8")
