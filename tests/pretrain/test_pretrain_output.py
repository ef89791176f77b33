"""The commands in processes of their own: any terminal, a closed one, a reader that has gone."""

import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from effort import mostly_thorough
from small_runs import end_of, pretrain

from minibert.training import checkpoint_folders, progress

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAIN = {
    "ascii": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}
needs_hang_up = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows tells nothing")
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


def command(name, *arguments):
    device = ["--device", "cpu"] if name == "pretrain" else []
    return [sys.executable, "-m", "berttools", name, *map(str, arguments), *device]


def environment(**more):
    others = ("PYTHONIO", "PYTHONUNBUFFERED", "PYTHONUTF8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(others)}
    return kept | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"} | more


def ran(name, *arguments, stdout=subprocess.PIPE, **more):
    return subprocess.run(
        command(name, *arguments), stdout=stdout, stderr=subprocess.PIPE, timeout=300,
        env=environment(**more),
    )  # fmt: skip


@pytest.mark.parametrize("encoding", mostly_thorough(PLAIN))
def test_help_in_any_encoding(encoding):
    done = ran("pretrain", "--help", **PLAIN[encoding])
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert rb"FILE.txt \u2026 --out DIR" in done.stdout  # three dots are one letter elsewhere


def test_a_run_in_plain_ascii(whole, tmp_path):
    out = tmp_path / "Kätzchen"
    done = ran("pretrain", *whole[1], "--out", out, **PLAIN["C"])
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"K\\xe4tzchen" in done.stdout
    assert rb"The folders step-\u2026 in it are checkpoints" in done.stdout
    assert end_of(out) == end_of(whole[0])
    # The file itself says it in full.
    assert "step-…" in (out / "report.txt").read_text(encoding="utf-8")


def closed_pipe():
    """The writing end of a pipe that nobody reads, as after `| head`."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@needs_full
@pytest.mark.parametrize("full", mostly_thorough([True, False]))
def test_output_that_cannot_be_written(whole, tmp_path, full):
    """On a full disk; and when the reader has gone, who may have had enough if all was done."""
    new = [*whole[1], "--out", tmp_path / "out"]
    for name, arguments, way_out in (
        ("pretrain", ["--out", whole[0], "--resume"], "send it to a place with room"),
        ("fill", [whole[0], "the [MASK]", "a [MASK]"], "send it to a place with room"),
        ("pretrain", new, "type the same command again"),
    ):
        stdout = os.open("/dev/full", os.O_WRONLY) if full else closed_pipe()
        done = ran(name, *arguments, stdout=stdout)
        os.close(stdout)
        told = done.stderr.decode()
        if full or arguments is new:
            problem = "No space left on device" if full else "Broken pipe"
            wanted = f"error: the output could not be written ({problem}); {way_out}"
            assert done.returncode == 1 and told.startswith(wanted) and told.count("\n") == 1
        else:
            assert (done.returncode, told) == (0, "")


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


LONG = ("--max-steps", "2000", "--save-steps", "5")


@needs_hang_up
def test_a_terminal_that_is_closed(whole, tmp_path):
    """The progress bar is under way, and what would be written goes to a terminal that is gone."""
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
    out = tmp_path / "out"
    process = subprocess.Popen(
        command("pretrain", *whole[1], *LONG, "--out", out),
        env=environment(), stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while b"step/s" not in shown or not checkpoint_folders(out):
        shown += os.read(ours, 1024)
    os.close(ours)
    assert process.wait(timeout=120) == 128 + signal.SIGHUP
    step = int(checkpoint_folders(out)[0].name.removeprefix("step-"))
    assert 0 < step < 2000
    assert not (out / "report.txt").exists()
