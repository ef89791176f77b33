"""The parts of the page's script that need no page hold in node as well."""

import subprocess
from pathlib import Path

import pytest
from node import node

FILES = sorted(Path(__file__).parent.glob("*.test.js"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_script_s_own_tests_pass_in_node(file):
    done = subprocess.run([*node(), "--test", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
