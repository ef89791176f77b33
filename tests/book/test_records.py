"""Every record says how, when and where each part was made, and its means are those of its runs."""

import importlib.util
import json
import shlex
import statistics
from collections.abc import Iterator
from datetime import date

import pytest

from benchmarks.__main__ import tasks
from benchmarks.records import origins
from bertbook.records import HERE

STORED = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in sorted(HERE.glob("*.json"))}
BESIDE = {"answers", "tags"}  # scores that the commands of tag_and_answer store beside it
RECORDS = {name: record for name, record in STORED.items() if name not in BESIDE}
TOLD = {"command", "day", "minutes", "processor", "threads", "python", "torch"}


@pytest.mark.parametrize("name", RECORDS)
def test_each_part_says_how_when_and_where_it_was_made(name):
    record = RECORDS[name]
    made = [*origins(record)]
    for each in made:
        assert {*each} >= TOLD and all(each.values()) and each["threads"] == 1
        assert date.fromisoformat(each["day"]) <= date.today()
    assert record["command"] in {each["command"] for each in made}
    parts = {part: node for part, node in record.items() if isinstance(node, dict | list)}
    without = {part for part in parts if not [*origins({part: parts[part]})]}
    told = {*record.get("origins", ())} | ({*parts} if "origin" in record else set())
    assert without - {"origins", "bounds", "seeds"} <= told, "who made these parts, and when?"


def test_every_command_that_a_record_names_is_repeated():
    commands = {task.command for task in tasks()}
    assert {record["command"] for record in STORED.values()} <= commands
    assert {task.record for task in tasks()} == {*RECORDS}
    for command in commands:
        assert importlib.util.find_spec(shlex.split(command)[2]), command


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


@pytest.mark.parametrize("name", ["classify", "order", "small_world", "toy_depth", "toy_parts"])
def test_means_are_those_of_the_runs(name):
    found = [*summarized(RECORDS[name])]
    assert found
    for told, values in found:
        sd = statistics.stdev(values) if len(values) > 1 else 0
        summary = {"mean": statistics.mean(values), "sd": sd}
        assert {name: told[name] for name in summary} == pytest.approx(summary, abs=6e-5)
