"""`make wheel` packs what is there, and nothing that has been there once."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("minibert", "bertfamily", "berttools", "bertbook")
PACKED = ("pyproject.toml", "constraints.txt", "README.md", "Makefile", *PACKAGES)


@pytest.fixture
def project(tmp_path):
    """Copy what a wheel is made of, with the environment of the tests as the one that make made."""
    for name in (*PACKED, *(path.name for path in ROOT.glob("LICENSE*"))):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(exist_ok=True)
        copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
    (tmp_path / ".venv" / "installed").touch()
    return tmp_path


def packed(project):
    """Make the wheel, with the setuptools of this environment, and name what is in it."""
    paths = {"PIP_NO_BUILD_ISOLATION": "false", "PYTHONPATH": ""}
    command = ["make", "-C", str(project), f"PYTHON={sys.executable}", "wheel"]
    done = subprocess.run(command, env=os.environ | paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (project / "book" / "_build" / "wheel").glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is missing")
def test_a_module_that_is_gone_is_not_packed(project):
    gone = project / "minibert" / "gone.py"
    gone.write_text('"""It will be gone."""\n', encoding="utf-8")
    assert "minibert/gone.py" in packed(project)
    gone.unlink()
    names = packed(project)
    assert {"minibert/model.py", "bertbook/questions/masks.toml"} <= {*names}
    assert "minibert/gone.py" not in names
