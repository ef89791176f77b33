"""Every line of shell that the README and the help of the commands show, in a small form."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from berttools.__main__ import main

ROOT = Path(__file__).parents[1]
HEROES = ("Anna", "Ben", "Clara", "David", "Emma", "Felix")
SMALL = ("--max-steps", "2", "--device", "cpu")
SMALL_CLASSIFIER = ("--model", "my-bert", "--epochs", "1", "--device", "cpu")


# What else the README tells a reader to type.
OTHERS = {
    *("make book", "make test", "python -m venv .venv", r".venv\Scripts\activate"),
    *('pip install -c constraints.txt -e ".[book,test,lab]"', "python book/_ext/assets.py"),
    *("jupyter-book build book", "jupyter lab book", "python book/_ext/browser.py"),
    'pytest -m "not thorough"',
    "minibert grade submissions --out grades",
}


def readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = "".join(re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)).splitlines()
    return [line.partition(" #")[0].strip() for line in lines if line]


def examples():
    for path in sorted((ROOT / "berttools").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for epilog in re.findall(r'^EPILOG = """\\\nexamples:\n(.*?)^"""', text, re.DOTALL | re.M):
            yield from map(str.strip, epilog.splitlines())


OURS = [
    line for line in dict.fromkeys([*readme(), *examples()])
    if line.startswith(("minibert ", "torchrun ")) and "grade" not in line
]  # fmt: skip


def run(line, *more):
    """Run `minibert …` in this process, and torchrun in some; return the status."""
    program, *words = [*shlex.split(line), *more]
    if program == "torchrun":
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", *words]
        return subprocess.run(command, timeout=300).returncode
    return main(words)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with texts, and with what the lines of the README make of them."""
    folder = tmp_path_factory.mktemp("finished")
    told = [f"{hero} is a man.\nThe man reads the book.\n{hero} is glad.\n" for hero in HEROES]
    for number, name in enumerate(("my-text.txt", "novel.txt", "letters.txt")):
        (folder / name).write_text("\n".join(told) + "Again.\n" * number, encoding="utf-8")
    rows = [f"{hero} reads {'ab'[n % 2]} {'x' * n},{n % 2}" for n, hero in enumerate(HEROES * 9)]
    (folder / "letters.csv").write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run(OURS[0], *SMALL) == 0
        assert run(next(x for x in OURS if "classify train" in x), *SMALL_CLASSIFIER) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", [pytest.param(x, marks=pytest.mark.thorough if "torchrun" in x else ()) for x in OURS]
)
def test_what_our_commands_show_can_be_typed(line, finished, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(shutil.copytree(finished, tmp_path / "here"))
    classifies = "classify train" in line
    begins = (classifies or " pretrain" in line) and "--resume" not in line
    if begins:
        shutil.rmtree("my-classifier" if classifies else "my-bert")
    elif "--resume" in line:
        Path("my-classifier/report.md" if classifies else "my-bert/report.txt").unlink()
    wishes = SMALL_CLASSIFIER if classifies else SMALL
    assert run(line, *wishes if begins else ()) == 0
    told = capfd.readouterr()
    if "minibert fill" in line or ("classify predict" in line and ".csv" not in line):
        assert told.out.splitlines()[0] in line
    elif "classify predict" in line:
        assert len(told.out.splitlines()) == 1 + 54
    elif classifies:
        assert "# The classifier in 'my-classifier'" in told.out
    else:
        assert "Done: 2 steps" in told.out


def test_what_else_the_readme_shows_is_known():
    assert set(readme()) - set(OURS) == OTHERS
