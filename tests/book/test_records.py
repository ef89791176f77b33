"""Records say how, when and where they were made; their means and chosen rates hold."""

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
# A rate that was chosen is no end of its grid, as beyond the end nobody has looked; but for these.
# Of a stack of 24 layers each rate takes minutes, and Chapter 9 says that these are ends. The three
# rows of Chapter 25 wait for a higher rate.
ENDS = {("toy_depth", "post-norm"), ("toy_depth", "pre-norm")} | {
    ("three_back", f"RoPE, theta {theta}") for theta in ("10 000", "100", "4")
}


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


def dicts(node, rates=()) -> Iterator[tuple[dict, list]]:
    """Yield each dictionary of a record, and the learning rates that are told above it."""
    if isinstance(node, dict):
        yield node, rates
        rates = node.get("rates", rates)
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from dicts(child, rates)


def summarized(node: dict) -> Iterator[tuple[dict, list[float]]]:
    """Yield the means of a dictionary, and the numbers of the runs beside them."""
    told, runs = node.get("mean_and_sd", node.get("summary", {})), node.get("runs", [])
    for column, mean_and_sd in told.items():
        if isinstance(runs, dict):
            yield mean_and_sd, runs[column]
        elif runs and all(column in run for run in runs):
            yield mean_and_sd, [run[column] for run in runs]


@pytest.mark.parametrize("name", ["classify", "order", "small_world", "toy_depth", "toy_parts"])
def test_means_are_those_of_the_runs(name):
    found = [pair for node, _ in dicts(RECORDS[name]) for pair in summarized(node)]
    assert found
    for told, values in found:
        sd = statistics.stdev(values) if len(values) > 1 else 0
        summary = {"mean": statistics.mean(values), "sd": sd}
        assert {name: told[name] for name in summary} == pytest.approx(summary, abs=6e-5)


def grids(node: dict, rates) -> Iterator[tuple[list[float], float]]:
    """Yield which rates were tried and which one was chosen, in the three forms of a record."""
    if "loss_at_rates" in node and rates:
        yield [*rates], node["rate"]
    if "tried" in node and "learning_rate" in node:
        yield [one["learning_rate"] for one in node["tried"]], node["learning_rate"]
    if isinstance(node.get("rates"), dict) and "rate" in node:
        yield [*map(float, node["rates"])], node["rate"]


def test_a_chosen_rate_is_no_end_of_its_grid():
    count = 0
    for record in STORED:
        for node, above in dicts(STORED[record]):
            row = str(node.get("name", node.get("stack", node.get("spread"))))
            for rates, chosen in grids(node, above):
                count += 1
                assert chosen in rates
                inside = min(rates) < chosen < max(rates)
                assert inside != ((record, row) in ENDS), (record, row, rates, chosen)
    assert count > 20
