"""ARCHITECTURE.md shows the packages and three flows as they are."""

import os
import re
import subprocess
import sys

import draw_packages
import pytest
from book_tree import ROOT
from draw_packages import arrows, picture, rooms, rows

WALKS = """
import walks
print(walks.written((walks.ROOT / walks.PAGE).read_text("utf-8"), walks.walks()))
"""


def test_the_picture_is_that_of_the_imports():
    stored = (ROOT / draw_packages.PICTURE).read_text(encoding="utf-8")
    told = f"the picture of the packages is not that of the imports; run: {draw_packages.COMMAND}"
    assert stored == picture(ROOT), told


@pytest.fixture
def small_house(plot):
    """Three rooms of which one imports the two others, and the upper of these the lower."""
    for package in ("bertfamily", "berttools", "bertbook"):
        plot.file(f"{package}/__init__.py", '"""Nothing yet."""')
    plot.file("minibert/__init__.py", '"""A *small* BERT: three rooms."""')
    plot.file("minibert/config.py", "SIZE = 3")
    plot.file("minibert/layer.py", "from .config import SIZE")
    return plot.file(
        "minibert/model.py", "from .config import SIZE\nfrom .layer import SIZE as AGAIN"
    )


def test_an_arrow_that_follows_from_others_is_not_drawn(small_house):
    graph = rooms(small_house)["minibert"]
    assert graph["model"] == {"config", "layer"}
    assert arrows(graph) == [("layer", "config"), ("model", "layer")]
    assert rows(graph) == [["model"], ["layer"], ["config"]]


def test_what_a_package_says_of_itself_stands_in_the_picture(small_house):
    drawn = picture(small_house)
    assert "A small BERT: three rooms<" in drawn
    before = drawn.count("<path d=")
    (small_house / "bertbook" / "core.py").write_text("import minibert.model", encoding="utf-8")
    assert picture(small_house).count("<path d=") == before + 1
    assert "bertbook imports from minibert" in picture(small_house)


@pytest.mark.slow
def test_the_walks_are_those_of_the_code():
    # In a process of its own: the checks of types that these tests add are no stations.
    done = subprocess.run(
        [sys.executable, "-c", WALKS],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "house")]),
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert page == done.stdout.removesuffix("\n"), (
        "the walks of ARCHITECTURE.md are not those of the code; run: python tests/house/walks.py"
    )


def test_ids_become_vectors_in_a_few_functions():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    batch = page.partition("<!-- walk: batch -->")[2].partition("<!-- end -->")[0]
    encoder = batch.partition("2. `")[2].partition("`BertPooler.forward`")[0]
    files = re.findall(r"`(minibert/\w+\.py)` · ", f"`{encoder}")
    assert len(files) <= 20
    assert len({*files}) <= 6
