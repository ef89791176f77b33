"""One writer for the folder of a run; whoever dies leaves it free."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from small_model import make_trainer, ragged_batches

from minibert.training.checkpoint import LOCK, checkpoint_folders, locked

HOLDER = """
import sys, time
from minibert.training.checkpoint import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of a folder."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.slow
def test_a_second_process_gets_a_sentence_and_a_dead_one_holds_nothing(tmp_path, holder):
    trainer = make_trainer(tmp_path / "run", max_steps=2)
    with pytest.raises(BlockingIOError, match=r"another process is writing to '.*run'; wait until"):
        trainer.fit(ragged_batches())
    assert trainer.step == 0 and not checkpoint_folders(tmp_path / "run")
    holder.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    holder.wait()
    assert (tmp_path / "run" / LOCK).exists()
    trainer.fit(ragged_batches())
    assert checkpoint_folders(tmp_path / "run")[0].name == "step-00000002"


def test_of_two_trainers_one_writes(tmp_path):
    """Both find an empty folder, as two commands do that are typed at once."""
    trainers = [make_trainer(tmp_path / "run", max_steps=2) for _ in range(2)]
    errors = []

    def second():
        try:
            trainers[1].fit(ragged_batches())
        except BlockingIOError as error:
            errors.append(str(error))

    class Waiting(list):
        def epoch(self, number, start=0):
            other = threading.Thread(target=second)
            other.start()
            other.join()
            return iter(self[start:])

    trainers[0].fit(Waiting(ragged_batches(2)))
    assert errors and all("another process is writing to" in each for each in errors)
    assert (trainers[0].step, trainers[1].step) == (2, 0)
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert left == {"history.jsonl", "step-00000002"}


def test_a_run_that_began_and_ended_meanwhile_is_not_overwritten(tmp_path, monkeypatch):
    first, second = (make_trainer(tmp_path / "run", max_steps=2) for _ in range(2))
    real = first._folder_locked
    monkeypatch.setattr(first, "_folder_locked", lambda: second.fit(ragged_batches()) and real())
    with pytest.raises(ValueError, match=r"holds a run already \(step-00000002\)"):
        first.fit(ragged_batches())


def test_the_lock_goes_after_a_failure(tmp_path):
    for _ in range(2):
        with pytest.raises(KeyError), locked(tmp_path):
            raise KeyError
    assert os.listdir(tmp_path) == []
