"""Every record says how it was made, and its means are those of its runs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from definitions import assert_mean_and_sd

ROOT = Path(__file__).resolve().parents[2]
RECORDS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "bertbook" / "records").glob("*.json"))
    if path.stem not in {"answers", "tags"}  # scores that tag_and_answer has stored
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_says_how_and_where_it_was_made(name):
    command = RECORDS[name]["command"]
    assert name in command.split()[2]
    made = command.removesuffix(" --record")
    assert f"$(BIN)/{made}" in (ROOT / "Makefile").read_text(encoding="utf-8")
    if name != "copying":
        origin = RECORDS[name]["origin"]
        assert {"processor", "threads", "python", "torch"} <= {*origin}
        assert all(origin.values()) and origin["threads"] == 1


def summarized(node) -> Iterator[tuple[dict, list[float]]]:
    """Yield each mean of a record, and the numbers of the runs beside it."""
    if isinstance(node, dict):
        told, runs = node.get("mean_and_sd", node.get("summary", {})), node.get("runs", [])
        for column, mean_and_sd in told.items():
            if isinstance(runs, dict):
                yield mean_and_sd, runs[column]
            elif runs and all(column in run for run in runs):
                yield mean_and_sd, [run[column] for run in runs]
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from summarized(child)


@pytest.mark.parametrize(
    ("name", "means"),
    [("classify", 54), ("order", 12), ("small_world", 2), ("toy_depth", 27), ("toy_parts", 23)],
)
def test_means_are_those_of_the_runs(name, means):
    found = [*summarized(RECORDS[name])]
    assert len(found) == means
    for told, values in found:
        assert_mean_and_sd(told, values)
        assert len(values) in (1, 5)
