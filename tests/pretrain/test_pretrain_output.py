"""The commands in processes of their own: a plain terminal, several, a reader that has gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from small_runs import end_of, history_of, pretrain, write_inputs

from minibert.training import progress

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAIN = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def ran(*arguments, launcher=(), stdout=subprocess.PIPE, **more):
    others = ("PYTHONIO", "PYTHONUNBUFFERED", "PYTHONUTF8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(others)}
    return subprocess.run(
        [sys.executable, *launcher, "-m", "berttools", *map(str, arguments)],
        stdout=stdout, stderr=subprocess.PIPE, timeout=300,
        env=kept | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"} | more,
    )  # fmt: skip


def test_help_and_a_run_in_plain_ascii(whole, tmp_path):
    done = ran("pretrain", "--help", **PLAIN)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"FILE.txt \u2026 --out DIR" in done.stdout  # three dots are one letter elsewhere
    out = tmp_path / "Kätzchen"
    done = ran("pretrain", *whole[1], "--out", out, **PLAIN)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"K\\xe4tzchen" in done.stdout
    assert end_of(out) == end_of(whole[0])
    # The file itself says it in full.
    assert "step-…" in (out / "report.txt").read_text(encoding="utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_output_that_cannot_be_written(whole, tmp_path):
    """On a full disk, or by a reader that has gone, who has had enough if all was done."""
    reading, closed = os.pipe()
    os.close(reading)
    fill = ("fill", whole[0], "the [MASK]", "a [MASK]")
    new = ("pretrain", *whole[1], "--out", tmp_path / "out")
    for words, stdout, told in (
        (fill, os.open("/dev/full", os.O_WRONLY), "error: No space left on device\n"),
        (fill, closed, ""),
        (new, closed, "error: Broken pipe\n"),
    ):
        done = ran(*words, stdout=stdout)
        assert (done.returncode, done.stderr.decode()) == (int(told != ""), told)


def test_a_reader_that_goes_does_not_end_the_run(whole, tmp_path, monkeypatch):
    real = print

    def refuse(text, **named):
        if text.startswith("Step "):
            raise BrokenPipeError(32, "Broken pipe")
        real(text, **named)

    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr("builtins.print", refuse)
    monkeypatch.setattr("berttools.cli.output.discard", lambda stream: None)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 0
    assert end_of(tmp_path / "out") == end_of(whole[0])


def test_two_processes_end_as_one_does_in_one_folder_and_only_one_speaks(tmp_path):
    """Of 8 pairs a step each has 4."""
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    arguments, (one, two) = write_inputs(tmp_path, **NO_DROPOUT), (tmp_path / "1", tmp_path / "2")
    assert pretrain(*arguments, "--out", one) == 0
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = ran("pretrain", *arguments, "--out", two, launcher=launcher)
    assert done.returncode == 0, done.stdout + done.stderr
    ours, theirs = (load_file(out / "model.safetensors") for out in (one, two))
    torch.testing.assert_close(theirs, ours, rtol=0, atol=1e-6)
    for record, other in zip(history_of(one), history_of(two), strict=True):
        assert other == pytest.approx(record, abs=1e-5)
    assert {path.name for path in one.iterdir()} == {path.name for path in two.iterdir()}
    assert (one / "vocab.txt").read_bytes() == (two / "vocab.txt").read_bytes()
    for line in ("Text: 12 documents", "on 2 processes with cpu.", "Done: 8 steps"):
        assert done.stdout.decode().count(line) == 1
