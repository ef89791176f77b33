"""The command line of `python -m minibert.pretrain`: help, defaults, wrong usage."""

import subprocess
import sys

import pytest

from minibert.pretrain.options import DEFAULTS, LEARNING_RATES, parse_options


def test_help_does_not_wait_for_torch():
    program = (
        "import sys\nfrom minibert.pretrain.__main__ import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage: python -m minibert.pretrain FILE.txt" in done.stdout
    assert done.stderr == ""


def test_help_names_every_default(capsys):
    with pytest.raises(SystemExit) as end:
        parse_options(["--help"])
    assert end.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    for name, value in DEFAULTS.items():
        part = told.partition(f"--{name.replace('_', '-')} ")[2]
        shown = part[: part.index(")") + 1]
        if name == "cased":
            assert "(default: drop them)" in shown
        elif name == "learning_rate":
            assert "(default: 0.001 for tiny, 0.0005 for mini, else 0.0001)" in shown
        else:
            assert f"(default: {value})" in shown, name
    assert all(name in told for name in LEARNING_RATES)


def test_what_is_not_given_is_none():
    options = parse_options(["a.txt", "--out", "x", "--cased", "b.txt", "--held-out", "0"])
    assert options.files == ["a.txt", "b.txt"]
    given = {name for name in DEFAULTS if getattr(options, name) is not None}
    assert given == {"cased", "held_out"}
    assert parse_options(["--out", "x", "--resume"]).files == []


WRONG = {
    "": "the following arguments are required: --out",
    "--out x": "name at least one text file (or go on with a run: --resume)",
    "a.txt --out": "argument --out: expected one argument",
    "a.txt --out x --max 5": "unrecognized arguments: --max 5",  # no part of a name
    "a.txt --out x --max-steps 0": "argument --max-steps: 0 is too small; the least is 1",
    "a.txt --out x --batch-size many": "argument --batch-size: 'many' is no whole number",
    "a.txt --out x --seed -1": "argument --seed: -1 is too small; the least is 0",
    "a.txt --out x --vocab-size 5": "argument --vocab-size: 5 is too small; the least is 6",
    "a.txt --out x --max-length 4": "argument --max-length: 4 is too small; the least is 5",
    "a.txt --out x --save-steps 0": "argument --save-steps: 0 is too small; the least is 1",
    "a.txt --out x --held-out 1": "argument --held-out: 1 must be at least 0 and below 1",
    "a.txt --out x --held-out nan": "argument --held-out: nan must be at least 0 and below 1",
    "a.txt --out x --learning-rate 0": "argument --learning-rate: 0 must be above 0 and finite",
    "a.txt --out x --learning-rate high": "argument --learning-rate: 'high' is no number",
    "a.txt --out x --learning-rate inf": "argument --learning-rate: inf must be above 0 and finite",
}


@pytest.mark.parametrize(("line", "told"), WRONG.items())
def test_wrong_usage_has_status_2(line, told, capsys):
    with pytest.raises(SystemExit) as end:
        parse_options(line.split())
    assert end.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(told)
