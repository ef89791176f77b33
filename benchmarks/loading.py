"""Time loading a model of bert-base's size against transformers' from_pretrained.

``python -m benchmarks.loading`` writes random weights into a temporary folder, and prints two
tables, in about five minutes. Both libraries open this folder as BertModel; the file is in the
system's page cache. Loading alone touches few of the numbers, so a second row adds the first
forward pass over eight tokens, which reads them all. Every measurement is a process of its own. It
has loaded and used a tiny model before, so that nothing is left to import, but for the row of the
first load, where both libraries are imported and nothing has been loaded. The processes follow one
another in random order, and a ratio compares two of the same round. Peak memory is what
the process has held at most, above what it held before: of all memory, and of the memory that is
not part of a file, which the system cannot take back. On a machine that others use as well,
``--busy`` counts the processor's time.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from torch import nn

from benchmarks.encoder import CONFIGS, spread
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel
from minibert.parts import override

FIRST = "first load"  # of a process
WORK = (FIRST, "load", "load + forward")


def load_fast(folder: str) -> nn.Module:
    """Load our model of fast parts."""
    with override(fast_parts()):
        return load_pretrained(BertModel, folder)


STATUS = Path("/proc/self/status")
LOADERS: dict[str, Callable[[str], nn.Module]] = {
    "theirs": transformers.BertModel.from_pretrained,
    "ours": load_fast,
    "ours, plain": lambda folder: load_pretrained(BertModel, folder),
}
Measured = dict[str, float]


def work(who: str, what: str, folder: str) -> nn.Module:
    """Load a model, and use it if that is asked for."""
    model = LOADERS[who](folder)
    if what == "load + forward":
        with torch.inference_mode():
            model.eval()(torch.arange(8)[None])
    return model


def memory() -> dict[str, float]:
    """Return what this process holds now, in MB: all, the part outside of files, and the peak."""
    fields = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return {name: int(fields[name].split()[0]) / 1e3 for name in ("RssAnon", "VmHWM")}


class Watch(threading.Thread):
    """Look every millisecond how much memory outside of files the process holds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.running = 0.0, True

    def run(self) -> None:
        """Look until `running` is false."""
        while self.running:
            self.most = max(self.most, memory()["RssAnon"])
            time.sleep(0.001)


def measure_here(who: str, what: str, tiny: str, folder: str, busy: bool) -> Measured:
    """Load in this process: the time of one run, or the peak memory of one run."""
    if what != FIRST:
        work(who, "load + forward", tiny)  # imports all that is needed
    clock = time.process_time if busy else time.perf_counter
    start = clock()
    work(who, what, folder)
    return {"seconds": clock() - start}


def watch_here(who: str, what: str, tiny: str, folder: str) -> Measured:
    """Load in this process, and return by how much its memory has grown at most."""
    work(who, "load + forward", tiny)
    STATUS.with_name("clear_refs").write_text("5")  # the peak counts from here
    before, watch = memory(), Watch()
    watch.start()
    model = work(who, what, folder)
    watch.running = False
    watch.join()
    now = memory()
    del model
    most = max(watch.most, now["RssAnon"])
    return {
        "all": now["VmHWM"] - before["VmHWM"],
        "outside of files": most - before["RssAnon"],
    }


def measure_apart(arguments: argparse.Namespace, *task: str) -> Measured:
    """Run one measurement in a process of its own."""
    options = ["--threads", str(arguments.threads), *(["--busy"] if arguments.busy else [])]
    command = [sys.executable, "-m", "benchmarks.loading", *options, "--task", *task]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def rounds(arguments: argparse.Namespace, kind: str, *task: str) -> dict[str, list[Measured]]:
    """Measure every loader in turn."""
    rng, found = random.Random(0), {who: [] for who in LOADERS}
    for _ in range(arguments.rounds):
        for who in rng.sample(list(LOADERS), len(LOADERS)):
            found[who].append(measure_apart(arguments, kind, who, *task))
    return found


def compare(folder: str) -> float:
    """Return the largest difference of what our models and theirs give."""
    with torch.inference_mode():
        theirs, *ours = (
            load(folder).eval()(torch.arange(8)[None]).last_hidden_state
            for load in LOADERS.values()
        )
    return max((theirs - vectors).abs().max().item() for vectors in ours)


def print_rows(arguments: argparse.Namespace, tiny: str, folders: dict[str, str]) -> None:
    """Measure and print both tables."""
    print(f"{'model':10} {'':14} {'theirs ms':>9}  times as fast: median [quartiles]")
    for name, folder in folders.items():
        difference = compare(folder)
        for what in WORK:
            found = rounds(arguments, "time", what, tiny, folder)
            seconds = {who: [run["seconds"] for run in runs] for who, runs in found.items()}
            theirs = seconds.pop("theirs")
            middle = statistics.median(theirs) * 1e3
            ratios = ", ".join(f"{who} {spread(theirs, runs)}" for who, runs in seconds.items())
            print(f"{name:10} {what:14} {middle:9.1f}  {ratios}", flush=True)
        print(f"{'':10} the vectors differ by {difference:.0e}")
    if not STATUS.exists():
        print("Peak memory is read from /proc, which this system does not have.")
        return
    print(f"\n{'model':10} {'':14} {'weights MB':>10}  peak MB: {', '.join(LOADERS)}")
    for name, folder in folders.items():
        size = (Path(folder) / "model.safetensors").stat().st_size / 1e6
        for what in WORK[1:]:
            found = rounds(arguments, "memory", what, tiny, folder)
            told = (
                f"{kind} "
                + ", ".join(
                    f"{statistics.median(run[kind] for run in found[who]):.0f}" for who in LOADERS
                )
                for kind in ("all", "outside of files")
            )
            print(f"{name:10} {what:14} {size:10.0f}  {'; '.join(told)}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configs", nargs="+", choices=CONFIGS, default=list(CONFIGS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9, help="per row")
    parser.add_argument("--busy", action="store_true", help="1 thread, and its own time only")
    parser.add_argument("--task", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.threads = 1 if arguments.busy else arguments.threads
    torch.set_num_threads(arguments.threads)
    if arguments.task:
        kind, *task = arguments.task
        here = measure_here(*task, arguments.busy) if kind == "time" else watch_here(*task)
        print(json.dumps(here))
        return
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, ", end="")
    print(f"{arguments.threads} threads, BertModel out of one safetensors file")
    with tempfile.TemporaryDirectory() as root:
        for name in {"128 x 2", *arguments.configs}:
            save_pretrained(BertModel(CONFIGS[name]()), Path(root) / name)
        folders = {name: str(Path(root) / name) for name in arguments.configs}
        print_rows(arguments, str(Path(root) / "128 x 2"), folders)


if __name__ == "__main__":
    main()
