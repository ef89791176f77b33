"""The checker of calls finds a name and an argument that are gone, and nothing in a right one."""

import json
import re
import subprocess

import pytest
from check_calls import CONFIG, ROOT, mistakes
from python_code import PACKAGES

STEPS = """
from typing import NamedTuple


class Rung(NamedTuple):
    whole_width: bool = True
    buckets: bool = False


def build(rung, device):
    return rung, device
"""
RIGHT = """
import steps
from steps import Rung

both = Rung(False), "cpu"
steps.build(Rung(whole_width=False), "cpu")
steps.build(*both)
"""
WRONG = {
    "Rung(whole_width=False, labels_only=True)": 'No parameter named "labels_only"',
    "steps.build(Rung())": 'Argument missing for parameter "device"',
    "steps.build(Rung(), 1, 2)": "Expected 2 positional arguments",
    "steps.ladder": '"ladder" is not a known attribute of module "steps"',
    "ladder": '"ladder" is not defined',
}


@pytest.mark.slow
def test_what_would_stop_a_program_is_found(tmp_path):
    config = json.loads(CONFIG.read_text(encoding="utf-8")) | {"include": ["."], "extraPaths": []}
    (tmp_path / CONFIG.name).write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "steps.py").write_text(STEPS, encoding="utf-8")
    lines = ["import steps", "from steps import Rung", *WRONG]
    (tmp_path / "wrong.py").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    found = mistakes(tmp_path / CONFIG.name)
    assert len(found) == len(WRONG), found
    for number, (sentence, told) in enumerate(zip(found, WRONG.values()), 3):
        assert f"wrong.py:{number}: {told}" in sentence


def test_every_file_is_held_to_all_rules_or_to_calls():
    config = json.loads(CONFIG.read_text(encoding="utf-8"))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings = project.partition("[tool.basedpyright]")[2].partition("[tool.")[0]
    packages = re.findall(r'"(\w+)"', settings.partition("]")[0])
    looked_at = (*packages, *config["include"])
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True)
    assert [file for file in listed.stdout.splitlines() if not file.startswith(looked_at)] == []
    assert packages == [*PACKAGES]
    assert 'typeCheckingMode = "standard"' in settings
