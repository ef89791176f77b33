"""The command `minibert`: one entry, help that does not wait, and what cannot be typed."""

import subprocess
import sys
from importlib.metadata import version

import pytest
from book_tree import ROOT
from small_runs import pretrain, write_inputs

from berttools import __main__ as program
from berttools.__main__ import COMMANDS, main


def test_the_script_and_the_module_are_one_function():
    tomllib = pytest.importorskip("tomllib", reason="it is of Python 3.11")
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["scripts"] == {"minibert": f"{main.__module__}:main"}


@pytest.mark.parametrize(
    "line", ["", "pretrain FILE.txt", "fill [-h]", "classify train TABLE", "grade [-h]"]
)
def test_help_does_not_wait_for_torch(line):
    words = line.split()[:-1]
    program = (
        "import sys\nfrom berttools.__main__ import main\n"
        f"try:\n    main([*{words!r}, '--help'])\nexcept SystemExit as end:\n"
        "    assert end.code == 0\nassert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: minibert {line or 'COMMAND'}" in done.stdout
    assert line or all(f"\n  {name} " in done.stdout for name in COMMANDS)


TRAIN, MOST = "classify train a.csv --out x", 2**64 - 1
WRONG = {
    "": "the following arguments are required: COMMAND",
    "train": "invalid choice: 'train' (choose from",
    "pretrain": "the following arguments are required: --out",
    "pretrain --out x": "name at least one text file (or go on with a run: --resume)",
    "pretrain a.txt --out=": "--out: it is empty; name a folder",
    "pretrain a.txt --out x --max 5": "unrecognized arguments: --max 5",  # no part of a name
    "pretrain a.txt --out x --batch-size many": "--batch-size: invalid integer value: 'many'",
    f"pretrain a.txt --out x --seed {MOST + 1}": f"--seed: {MOST + 1}: the most is {MOST}",
    "pretrain a.txt --out x --max-length 4": "--max-length: 4: the least is 5",
    "pretrain a.txt --out x --held-out nan": "--held-out: nan must be at least 0 and below 1",
    "pretrain a.txt --out x --learning-rate 1": "--learning-rate: 1 must be above 0 and below 1",
    "pretrain a.txt --out x --resume": "options of the run; leave out files",
    "pretrain --out x --resume --seed 3": "options of the run; leave out seed",
    "fill": "minibert fill: error: the following arguments are required: DIR",
    "classify": "the following arguments are required: train|predict",
    f"{TRAIN} --seed 1{'0' * 5000}": "--seed: invalid integer value: '1000",
    f"{TRAIN} --promise 1": "argument --promise: 1 must be above 0 and below 1",
}


@pytest.mark.parametrize(("line", "message"), WRONG.items(), ids=[line[:60] for line in WRONG])
def test_wrong_usage_has_status_2(line, message, capsys):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_largest_seed_works(tmp_path):
    arguments = [*write_inputs(tmp_path), "--max-steps", "1", "--seed", MOST]
    assert pretrain(*arguments, "--out", tmp_path / "out") == 0


def test_it_names_its_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"minibert {version('bert-by-hand')}\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ImportError("KeyboardInterrupt: <EMPTY>")])
def test_a_key_that_interrupts_the_start_leaves_no_trace(monkeypatch, capsys, error):
    def interrupted(_):
        raise error

    monkeypatch.setattr(program, "_run", interrupted)
    assert main(["fill", "x"]) == 130
    assert capsys.readouterr().err == "error: stopped at once; type the same command again\n"
