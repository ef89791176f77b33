"""ARCHITECTURE.md shows the packages and three flows as they are."""

import os
import re
import subprocess
import sys

import pytest
from book_tree import ROOT
from draw_packages import COMMAND, PAGE, picture

TEXT = PAGE.read_text(encoding="utf-8")
WALKS = "import walks; print(walks.written(walks.PAGE.read_text('utf-8')), end='')"


def test_the_picture_is_that_of_the_imports():
    assert picture(ROOT) in TEXT, f"run: {COMMAND}"


@pytest.mark.slow
def test_the_walks_are_those_of_the_code():
    # In a process of its own: the checks of types that these tests add are no stations.
    folders = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "house")])
    done = subprocess.run(
        [sys.executable, "-c", WALKS],
        env=os.environ | {"PYTHONPATH": folders}, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == TEXT, "run: python tests/house/walks.py"


def test_ids_become_vectors_in_a_few_functions():
    batch = TEXT.partition("<!-- walk: batch -->")[2].partition("<!-- end -->")[0]
    encoder = batch.partition("2. `")[2].partition("`BertPooler.forward`")[0]
    files = re.findall(r"`(minibert/\w+\.py)` · ", f"`{encoder}")
    assert len(files) <= 20
    assert len({*files}) <= 6
