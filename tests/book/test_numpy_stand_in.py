"""What the pages have for numpy gives numpy's numbers: tests of the package run on it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy_replaced import CHAPTERS, OF_A_CHAPTER

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "live" / "python"))
import numpy_stand_in  # noqa: E402

NOT_THERE = (
    "all_exercises_are_found",  # counts those of all chapters
    "pairs_of_mistakes",  # takes a minute
    "no_wrong_answer",  # of checkers that are not there
    *(f"reply[{number}" for number in ("0.", "5.1", "5.3", *(f"{n}." for n in range(7, 27)))),
)
FILES = (
    "tests/reference",
    "minibert/reference",  # for what its examples print
    "tests/checks/test_answers.py",
    "tests/checks/test_every_exercise.py",
)
NOT_NUMPYS = {"partition", "trace", "device"}  # of a text, of a mistake, of a tensor
X = [[1.0, -2.5, 3.0], [0.25, 5.0, -6.0]]


def listed(name):
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


@pytest.mark.thorough
def test_the_tests_of_the_first_chapters_pass_on_it():
    plugins = ["-p", "numpy_replaced", "-p", "no:cacheprovider"]
    program = [sys.executable, "-m", "pytest", "-q", *plugins]
    options = ["-o", "addopts=--doctest-modules", "-k", " and ".join(f"not {n}" for n in NOT_THERE)]
    paths = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"
    done = subprocess.run(
        [*program, *options, *FILES],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 180


def sources():
    """Yield each file that computes in the first chapters: cells, checkers with mistakes, twins."""
    for path in sorted((ROOT / "book" / "chapters").glob("0[1-6]-*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield pytest.param("\n".join(code), id=path.name)
    for path in [*ROOT.glob("bertbook/topics/*/*.py"), *ROOT.glob("minibert/reference/*.py")]:
        text = path.read_text(encoding="utf-8")
        chapter = OF_A_CHAPTER.match(text)
        if path.parent.name == "reference" or (chapter and int(chapter[1]) in CHAPTERS):
            yield pytest.param(text, id=path.name)


def has(thing, name):
    first, _, rest = name.partition(".")
    return hasattr(thing, first) and (not rest or hasattr(getattr(thing, first), rest))


@pytest.mark.parametrize("source", [*sources()])
def test_every_name_of_numpy_that_a_reader_of_these_chapters_may_type_is_there(source):
    names = {*re.findall(r"\bnp\.((?:linalg\.|random\.)?\w+)", source)}
    methods = {*re.findall(r"(?<=[\w)\]]\.)[a-z]\w*", source)} - NOT_NUMPYS
    one, rng = numpy_stand_in.ones((2, 2)), numpy_stand_in.random.default_rng(0)
    assert {name for name in names if not has(numpy_stand_in, name)} == set()
    assert {name for name in methods if hasattr(np.eye(2), name) and not has(one, name)} == set()
    assert {m for m in methods if hasattr(np.random.Generator, m) and not has(rng, m)} == set()


@pytest.mark.parametrize("seed", [0, 11, 2**40 + 7])
def test_chance_is_the_same(seed):
    ours, theirs = numpy_stand_in.random.default_rng(seed), np.random.default_rng(seed)
    for draw in (
        lambda rng: rng.standard_normal((40, 50)),
        lambda rng: rng.random(7),
        lambda rng: rng.integers(3, 17, 9),
        lambda rng: rng.normal(1, 2, 5),
    ):
        np.testing.assert_allclose(draw(ours).tolist(), draw(theirs), rtol=0, atol=1e-13)


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("code", listed("numpy_same.txt"))
def test_an_expression_gives_what_numpy_gives(code):
    with np.errstate(all="ignore"):
        want, found = (
            eval(code, {"np": numpy, "X": X, "Z": numpy.arange(24).reshape(2, 3, 4) % 7 / 4 - 1})
            for numpy in (np, numpy_stand_in)
        )
    np.testing.assert_allclose(np.array(found.tolist()), want, rtol=1e-12)
    assert found.shape == want.shape and found.dtype.kind == want.dtype.kind
    assert str(found) == str(want)


@pytest.mark.parametrize("code", listed("numpy_errors.txt"))
def test_an_error_says_what_numpys_says(code):
    said = []
    for numpy in (np, numpy_stand_in):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            eval(code, {"np": numpy})
        said.append((caught.type.__name__, str(caught.value).strip()[:60]))
    assert said[0] == said[1]


def test_a_view_shares_its_numbers():
    x = numpy_stand_in.zeros((2, 3))
    x.T[1] += 2
    row = x[0]
    row[2] = 5
    assert x.tolist() == [[0, 2, 5], [0, 2, 0]]
