"""The command line of `minibert pretrain`: help, defaults, wrong usage."""

import subprocess
import sys

import pytest

from berttools.cli.options import LARGEST_SEED
from berttools.pretrain.command import parse_options


@pytest.mark.parametrize("command", [["pretrain", "FILE.txt"], ["classify", "train", "TABLE"]])
def test_help_does_not_wait_for_torch(command):
    *words, first = command
    program = (
        f"import sys\nfrom berttools.__main__ import main\n"
        f"try:\n    main([*{words!r}, '--help'])\nexcept SystemExit as end:\n"
        "    assert end.code == 0\nassert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: minibert {' '.join([*words, first])}" in done.stdout


WRONG = {
    "": "the following arguments are required: --out",
    "--out x": "name at least one text file (or go on with a run: --resume)",
    "a.txt --out x --max 5": "unrecognized arguments: --max 5",  # no part of a name
    "a.txt --out x --batch-size many": "argument --batch-size: 'many' is no whole number",
    f"a.txt --out x --seed {2**64}": f"{2**64} is too large; the most is {2**64 - 1}",
    "a.txt --out x --max-length 4": "argument --max-length: 4 is too small; the least is 5",
    "a.txt --out x --held-out nan": "argument --held-out: nan must be at least 0 and below 1",
    "a.txt --out x --learning-rate inf": "argument --learning-rate: inf must be above 0 and finite",
}


@pytest.mark.parametrize(("line", "told"), WRONG.items())
def test_wrong_usage_has_status_2(line, told, capsys):
    with pytest.raises(SystemExit) as end:
        parse_options(line.split())
    assert end.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(told)


def test_the_largest_seed_works_in_both_commands_and_the_next_in_none(tmp_path, capsys):
    from small_runs import pretrain, write_inputs

    from berttools.classify.command import parse_options as parse_classify

    arguments = [*write_inputs(tmp_path), "--max-steps", "1", "--seed", LARGEST_SEED]
    assert pretrain(*arguments, "--out", tmp_path / "out") == 0
    with pytest.raises(SystemExit):
        parse_classify(["train", "t.csv", "--out", "x", "--seed", str(LARGEST_SEED + 1)])
    assert f"{LARGEST_SEED + 1} is too large; the most is {LARGEST_SEED}" in capsys.readouterr().err
