"""Every record says how, when and where each part was made, and its means are those of its runs."""

import importlib.util
import json
import re
import shlex
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from definitions import assert_mean_and_sd

from benchmarks import __main__ as program
from benchmarks.drafts import Draft
from benchmarks.records import origins
from bertbook.records import HERE

ROOT = Path(__file__).resolve().parents[2]
STORED = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in sorted(HERE.glob("*.json"))}
BESIDE = {"answers", "tags"}  # scores that the commands of tag_and_answer store beside it
RECORDS = {name: record for name, record in STORED.items() if name not in BESIDE}
TASKS = program.tasks()
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
    commands = {task.command for task in TASKS}
    assert {record["command"] for record in STORED.values()} <= commands
    assert {task.record for task in TASKS} == {*RECORDS}
    for command in commands:
        assert re.match(r"python -m benchmarks\.[\w.]+( |$)", command)
        assert importlib.util.find_spec(shlex.split(command)[2]), command
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "$(BIN)/python -m benchmarks --all\n" in recipe
    assert "$(BIN)/python -m benchmarks mutants\n" in recipe


def plant_task(folder, name, code):
    command = f"python -c {shlex.quote(code)}"
    block = {"command": command, "day": "2026-01-02", "minutes": 90.0}
    (folder / f"{name}.json").write_text(json.dumps({"command": command, "origin": block}))


def test_one_that_fails_is_told_and_the_others_run(tmp_path, monkeypatch, capfd):
    plant_task(tmp_path, "bad", "raise SystemExit(3)")
    plant_task(tmp_path, "good", "print('made')")
    found = program.tasks(tmp_path)
    monkeypatch.setattr(program, "tasks", lambda: found)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--all"])
    with pytest.raises(
        SystemExit, match=r"These commands failed:\npython -c 'raise SystemExit\(3\)'$"
    ):
        program.main()
    said = capfd.readouterr().out
    assert said.index("Together 3.0 hours of one core") < said.index("\nmade\n")
    assert "bad               90.0 min  2026-01-02" in said


def test_a_name_that_no_record_has_is_told(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "lader"])
    with pytest.raises(SystemExit):
        program.main()
    assert "there is no record lader; there are classify, copying" in capsys.readouterr().err


def test_a_stopped_command_goes_on_with_its_draft(tmp_path, capsys):
    record = tmp_path / "runs.json"
    record.write_text("{}")
    draft = Draft(record)
    assert draft.read({"runs": []}) == {"runs": []} and not capsys.readouterr().out
    draft.keep({"runs": [1]})
    assert record.read_text() == "{}", "the record is replaced when all is there"
    assert Draft(record).read({"runs": []}) == {"runs": [1]}
    assert f"Going on with {draft.path}; delete this file to begin anew." in capsys.readouterr().out
    draft.done()
    assert [*tmp_path.iterdir()] == [record]


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
        assert_mean_and_sd(told, values)
        assert len(values) in (1, 3, 5)
