"""The first chapters' checkers need no PyTorch."""

import subprocess
import sys


def test_the_first_checkers_need_no_torch():
    program = "import sys, bertbook.topics.neighbors.checks; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
