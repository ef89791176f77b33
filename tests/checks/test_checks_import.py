"""The first chapters' checkers need no PyTorch; that of whole classes comes when asked for."""

import subprocess
import sys

import pytest

from bertbook import checks
from bertbook.checks.module import check_module


def test_the_checker_of_classes_is_there_when_asked_for():
    assert checks.check_module is check_module
    with pytest.raises(AttributeError, match="no attribute 'check_modul'"):
        checks.check_modul  # noqa: B018


def test_the_first_checkers_need_no_torch():
    program = "import sys, bertbook.checks.neighbors; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
