"""The facts of a report in words: the sentences stand in ``report.md.jinja``. Chapter 19."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minibert.text_files import packed_text

from .calibration import COLDEST, HOTTEST
from .thresholds import least_answers

Facts = Mapping[str, Any]
FEW = 30  # of fewer, two digits would say more than is known


def report_as_markdown(facts: Facts, folder: str | Path) -> str:
    """Return the report as Markdown."""
    from jinja2 import Environment, StrictUndefined

    words = Environment(  # for text that is no HTML
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    words.filters["cell"] = lambda name: name.replace("|", "\\|")
    own = {"folder": folder, "quoted": shlex.quote(str(folder)), "few": FEW}
    own |= {"least": least_answers(facts["promise"]), "coldest": COLDEST, "hottest": HOTTEST}
    template = words.from_string(packed_text("berttools/classify/report.md.jinja"))
    return re.sub(r"(^\|.*\n)+", _aligned, template.render(facts, **own), flags=re.MULTILINE)


def _aligned(table: re.Match[str]) -> str:
    """Return a table in Markdown with its cells one below another."""
    cut = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table[0].splitlines()]
    rows = [[cell.strip() for cell in row] for row in cut]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    fill = "".join("-" if row[-1] == "---" else " " for row in rows)
    lines = [[c.ljust(w, f) for c, w in zip(row, widths)] for row, f in zip(rows, fill)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
