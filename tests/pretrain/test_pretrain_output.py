"""The commands in processes of their own: any terminal, a closed one, a reader that has gone."""

import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from effort import mostly_thorough
from small_runs import end_of, pretrain

from minibert.pretrain.output import OutputLost, discard_closed_terminal
from minibert.training import checkpoint_folders, progress

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAIN = {
    "ascii": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}
COMMANDS = ("minibert.pretrain", "minibert.fill")
needs_hang_up = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows tells nothing")
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


def command(name, *arguments):
    device = ["--device", "cpu"] if name == "minibert.pretrain" else []
    return [sys.executable, "-m", name, *map(str, arguments), *device]


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
@pytest.mark.parametrize("name", COMMANDS)
def test_help_in_any_encoding(name, encoding):
    done = ran(name, "--help", **PLAIN[encoding])
    assert (done.returncode, done.stderr) == (0, b"")
    assert re.search(rb"usage: python -m minibert\.\w+ .*\n", done.stdout)
    assert done.stdout.isascii()
    if name == "minibert.pretrain":
        assert b"FILE.txt ... --out DIR" in done.stdout  # the dots are one letter elsewhere


def test_a_run_in_plain_ascii(whole, tmp_path):
    out = tmp_path / "Kätzchen"
    done = ran("minibert.pretrain", *whole[1], "--out", out, **PLAIN["C"])
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"K\\xe4tzchen" in done.stdout
    assert b"The folders step-... in it are checkpoints" in done.stdout
    assert end_of(out) == end_of(whole[0])
    # The file itself says it in full.
    assert "step-…" in (out / "report.txt").read_text(encoding="utf-8")


def test_guesses_in_plain_ascii(whole):
    done = ran("minibert.fill", whole[0], "the café [MASK]", **PLAIN["ascii"], LC_ALL="C.UTF-8")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[0] == b"the caf\\xe9 [MASK]"
    assert len(done.stdout.splitlines()) == 6


def closed_pipe():
    """The writing end of a pipe that nobody reads, as after `| head`."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def test_a_finished_run_whose_reader_has_had_enough(whole):
    for name, arguments in (
        ("minibert.pretrain", ["--out", whole[0], "--resume"]),
        ("minibert.fill", [whole[0], "the [MASK]", "a [MASK]"]),
        *((each, ["--help"]) for each in COMMANDS),
    ):
        stdout = closed_pipe()
        done = ran(name, *arguments, stdout=stdout)
        os.close(stdout)
        assert (done.returncode, done.stderr) == (0, b""), name


@pytest.mark.parametrize("buffered", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_run_whose_reader_has_gone_says_how_to_go_on(whole, tmp_path, buffered):
    stdout = closed_pipe()
    out = tmp_path / "out"
    done = ran("minibert.pretrain", *whole[1], "--out", out, stdout=stdout, **buffered)
    os.close(stdout)
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "error: the output could not be written (Broken pipe); type the same command again\n"
    )


def test_a_run_without_a_terminal_gives_signs_of_life(whole, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "SOON", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 0
    told = capsys.readouterr().out.partition("Training: ")[2].partition("\nDone: ")[0]
    lines = told.strip().splitlines()[1:]
    assert [line.partition(":")[0] for line in lines] == [f"Step {n} of 8" for n in range(2, 8)]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in lines]
    assert min(losses) > 4 and all(line.endswith(" seconds left.") for line in lines)


def test_a_reader_that_goes_does_not_end_the_run(whole, tmp_path, monkeypatch):
    real = print

    def refuse(text, **named):
        if text.startswith("Step "):
            raise BrokenPipeError(32, "Broken pipe")
        real(text, **named)

    monkeypatch.setattr(progress, "SOON", 0.0)
    monkeypatch.setattr("builtins.print", refuse)
    monkeypatch.setattr("minibert.pretrain.output.discard", lambda stream: None)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 0
    assert end_of(tmp_path / "out") == end_of(whole[0])


@needs_full
def test_no_room_for_the_output(whole, tmp_path):
    finished = ["--out", whole[0], "--resume"]
    guess = [whole[0], "the [MASK]"]
    for name, arguments, way_out in (
        ("minibert.pretrain", finished, "send it to a place with room"),
        ("minibert.fill", guess, "send it to a place with room"),
        ("minibert.pretrain", [*whole[1], "--out", tmp_path / "out"], "type the same command aga"),
    ):
        with open("/dev/full", "wb") as full:
            done = ran(name, *arguments, stdout=full)
        assert done.returncode == 1
        (told,) = done.stderr.decode().splitlines()
        wanted = "error: the output could not be written (No space left on device); "
        assert told.startswith(wanted + way_out)


LONG = ("--max-steps", "2000", "--save-steps", "5")


def after(arguments, *options):
    """Put options in the place of those with the same name."""
    given = list(arguments)
    for name, value in zip(options[::2], options[1::2], strict=True):
        given[given.index(name) + 1] = value
    return given


@needs_hang_up
def test_a_terminal_that_is_closed(whole, tmp_path):
    """The progress bar is under way, and what would be written goes to a terminal that is gone."""
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
    out = tmp_path / "out"
    process = subprocess.Popen(
        command("minibert.pretrain", *after(whole[1], *LONG), "--out", out),
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
    done = ran("minibert.pretrain", "--out", out, "--resume", "--max-steps", "2001")
    assert "was begun with --max-steps 2000, not 2001" in done.stderr.decode()


def test_streams_in_memory_are_left_alone(capsys):
    discard_closed_terminal()
    print("here")
    assert capsys.readouterr().out == "here\n"


def test_why_the_output_was_lost():
    pipe, full = OutputLost(BrokenPipeError(32, "Broken pipe")), OutputLost(OSError(28, "No room"))
    assert (pipe.reader_is_gone, full.reader_is_gone) == (True, False)
    assert str(full) == "the output could not be written (No room)"
