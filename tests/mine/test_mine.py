"""A reader's file in place of our parts: how it is taken, which tests it meets, what is said."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from accepted_styles import text_of
from my_parts import GROUPS, OURS_ALONE, group_of, load, play
from scoreboard import HOW_TO_BEGIN, main
from solutions import file_of_solutions
from torch import nn

from minibert.attention import BertSelfAttention
from minibert.embeddings import BertEmbeddings
from minibert.layer import BertLayer
from minibert.masking import corrupt_tokens
from minibert.parts import part, replaced, use

ROOT = Path(__file__).parents[2]


def write(folder, text):
    """Write a reader's file under a name that no other test has."""
    path = folder / f"{re.sub(r'[^a-z]', '_', folder.name.lower())}_bert.py"
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments):
    """Run Python in the root of the project."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


# --- What a file holds ---------------------------------------------------------------------------


def test_a_file_is_taken_class_by_class(tmp_path):
    players, nameless = load(write(tmp_path, text_of()))
    assert list(players)[:2] == [BertEmbeddings, BertSelfAttention]
    assert players[BertSelfAttention].__name__ == "MySelfAttention"
    assert (len(players), nameless) == (17, [])
    try:
        play(players)
        assert part(BertLayer) is players[BertLayer]
    finally:
        use({role: role for role in replaced()})
    assert replaced() == {}


def test_what_has_a_role_plays_and_a_class_without_one_is_named(tmp_path):
    text = (
        "from torch.nn import GELU as MyPooler\nclass MyDropout:\n    pass\n"
        "class MySelfAtention:\n    pass\n"
        "def my_softmax(x):\n    pass\ndef my_corrupt_tokens(x):\n    pass\n"
    )
    players, nameless = load(write(tmp_path, text))
    assert list(players) == [nn.Dropout, corrupt_tokens]
    assert len(nameless) == 1 and "MySelfAtention is named after no part" in nameless[0]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, r"there is no file .*bert\.py"),
        ("", "holds no part, such as MySelfAttention; the names are MyEmbeddings, MySelfAttention"),
        ("class MyPoller:\n    pass\n", "holds no part, .*: MyPoller is named after no part"),
        ("import minibart\n", "stopped with ModuleNotFoundError: No module named 'minibart'"),
        ("class MyPooler:\n    pass\n", r"derived from .* class My…\(nn"),
    ],
)
def test_a_file_that_cannot_be_taken(tmp_path, text, words):
    path = tmp_path / "bert.py" if text is None else write(tmp_path, text)
    with pytest.raises(pytest.UsageError, match=words):
        play(load(path)[0])


# --- Which tests are run with it -----------------------------------------------------------------


@pytest.mark.parametrize("name", [*(n for names in GROUPS.values() for n in names), *OURS_ALONE])
def test_every_entry_names_tests_that_are_there(name):
    file, _, test = name.partition("::")
    assert f"def {test or 'test_'}" in (ROOT / file).read_text(encoding="utf-8")
    assert bool(group_of(f"{name}::test_x[1]")) == (name not in OURS_ALONE)


@pytest.mark.slow
@pytest.mark.thorough
def test_pytest_runs_on_the_readers_parts(tmp_path):
    file = write(tmp_path, text_of())
    done = run("-m", "pytest", f"--mine={file}", "-p", "no:cacheprovider", "tests/test_layer.py",
               "tests/test_model_properties.py", "-k", "padding or formula")  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "running on: {BertEmbeddings: MyEmbeddings, BertSelfAttention: MySelf" in done.stdout
    assert re.search(r"\b7 passed, \d+ deselected", done.stdout)


# --- The scoreboard ------------------------------------------------------------------------------


@pytest.mark.usefixtures("unchecked")
def test_what_is_missing_or_cannot_be_built_is_told_and_no_model_is_built(tmp_path, capsys):
    assert main(tmp_path / "my_bert.py") == 1
    assert capsys.readouterr().out == HOW_TO_BEGIN.format(file=tmp_path / "my_bert.py") + "\n"
    text = "def my_corrupt_tokens(ids):\n    pass\n\nclass MyPooler:\n    pass\n"
    assert main(write(tmp_path, text)) == 1
    out = capsys.readouterr().out
    for words in (
        r"✗ BertPooler +MyPooler +0 of \d\d\n      BertPooler is replaced by a class",
        r"✗ corrupt_tokens +my_corrupt_tokens +0 of 1\n      my_corrupt_tokens",
        r"✗ not tested\n      Models are built as soon as each part is built",
    ):
        assert re.search(words, out)


@pytest.mark.thorough
def test_the_scoreboard_of_the_solutions(tmp_path):
    path = write(tmp_path, file_of_solutions())
    done = run("tests/scoreboard.py", path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    held = [re.fullmatch(r"  ✓ .*?(\d+) of (\d+)", line) for line in lines if line[:1] == " "]
    assert len(held) == len(load(path)[0]) + len(GROUPS)
    assert all(match and match[1] == match[2] != "0" for match in held)


@pytest.mark.thorough
@pytest.mark.slow
def test_the_scoreboard_of_a_planted_bug(tmp_path):
    text = text_of().replace("sqrt(h // self.heads)", "sqrt(h)")
    done = run("tests/scoreboard.py", write(tmp_path, text))
    assert done.returncode == 1, done.stderr
    for line in (
        r"✗ BertSelfAttention +MySelfAttention +\d+ of \d+\n +context differs .* scores by √hidden",
        r"✗ BertModel +MyBert +\d+ of \d+\n +last_hidden_state differs .* by √hidden",
        r"✓ BertSelfOutput +MySelfOutput",
        r"✓ properties +(\d+) of \1\n",
        r"✗ equality with transformers +\d+ of \d+\n +tests/\S+::test_.*not close!",
        r"✓ training +(\d+) of \1\n",
    ):
        assert re.search(line, done.stdout), (line, done.stdout)
    held, total = re.search(r"✗ BertSelfAttention .* (\d+) of (\d+)", done.stdout).groups()
    assert int(total) - int(held) == 3, "numbers, gradients, training"
