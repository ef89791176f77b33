"""The parts of the page's script that need no page hold in node as well."""

import subprocess
from pathlib import Path

from node import node


def test_the_script_s_own_tests_pass_in_node():
    files = sorted(Path(__file__).parent.glob("*.test.js"))
    done = subprocess.run([*node(), "--test", *files], capture_output=True, text=True)
    assert files and done.returncode == 0, done.stdout + done.stderr
