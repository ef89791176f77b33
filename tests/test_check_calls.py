"""The checker of calls finds a name and an argument that are gone, and nothing in a right one."""

import json

import pytest
from check_calls import CONFIG, mistakes

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


def test_the_checker_looks_at_all_that_the_packages_are_not():
    config = json.loads(CONFIG.read_text(encoding="utf-8"))
    assert config["include"] == ["benchmarks", "book/_ext", "tests"]
