"""Everything that a GPU can prove and record, in at most 8 minutes: ``make gpu``.

``python -m benchmarks.gpu`` first checks that the GPU computes what the CPU does in float64 and
what transformers does, that a run resumes to the last bit, and that each fast part is equal to its
plain one; two processes train as one does, on two GPUs if there are two. Then it times a step of
training in many ways, with MFU, profiles some of them by classes of kernels, with the three regimes
of Chapter 23, and runs the ladder, the roofline, the tests marked cuda and the chapters that train.
The tables go to ``bertbook/records/gpu``, into a file with the name of the card. It needs PyTorch
2.11 or newer, transformers and pytest; what else is missing is named, and left out. From a copy of
the tree, without installing: ``PYTHONPATH=. python -m benchmarks.gpu``.

``--book`` adds a last step that is not in the 8 minutes: it trains the larger model of *A real
book* (4 layers of 256 numbers, 8,000 updates), and stores its loss against minutes.

``--dry`` runs the same program on a CPU, with tiny sizes: it proves the program, and times nothing
that means anything.
"""

import argparse
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from . import gpu_bare

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "bertbook" / "records" / "gpu"
MINUTES = 8
POINTS = 40  # of a curve
CHAPTERS = ("13", "14", "16", "17", "18", "19")
# Programs of the book, and what they import beside PyTorch and transformers.
REST = {
    "roofline": ([sys.executable, "-m", "benchmarks.roofline", "--device", "cuda"], "jaxtyping"),
    "ladder": (
        [sys.executable, "-m", "benchmarks.ladder", "--device", "cuda", "--rounds", "3"],
        "jaxtyping",
    ),
}


def why_not(dry: bool) -> str | None:
    """Say in one sentence what is missing, or return None."""
    if lacking := gpu_bare.missing():
        return f"This needs {' and '.join(lacking)}: pip install {' '.join(lacking)}"
    import torch

    if not dry and not torch.cuda.is_available():
        return (
            "There is no CUDA device that this PyTorch can use; on a CPU, --dry runs the same "
            "program with tiny sizes"
        )
    return None


def slug(card: str) -> str:
    """Make a name of a file out of the name of a card."""
    return re.sub(r"[^a-z0-9]+", "-", card.lower()).strip("-")


def origin(card: str) -> dict[str, Any]:
    """Tell on what, with what and when all this is measured."""
    import torch
    import transformers

    return {
        "card": card,
        "day": date.today().isoformat(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def tiny(size: Any) -> Any:
    """Make the model and the batch of a size small, and keep all else."""
    from minibert.config import BertConfig

    small = BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=16,
    )  # fmt: skip
    ways = {name: way._replace(compiled="") for name, way in size.ways.items()}
    return size._replace(config=small, rows=3, longest=12, ways=ways)


def measure(device: str, dry: bool, card: str, deadline: float) -> dict[str, Any]:
    """Check, time and profile; return everything that is to be recorded."""
    from .gpu_checks import report_checks
    from .gpu_data import SIZES
    from .gpu_race import (
        float32_speeds,
        launch_seconds,
        peak_of,
        product_speed,
        profiled,
        race,
    )
    from .gpu_regimes import LAYERS, ROWS, TOY, regimes

    sizes = {name: tiny(size) if dry else size for name, size in SIZES.items()}
    found: dict[str, Any] = {"origin": origin(card), "checks": report_checks(device)}
    side, steps = (64, 1) if dry else (8192, 10)
    product = product_speed(device, side, steps)
    found["peak"] = peak = peak_of(card, product)
    by_precision = float32_speeds(device, side, steps)
    found["product"] = {"side": side, "operations_per_second": product, **by_precision}
    print(f"\none product of {side} × {side}: {product / 1e12:.1f} TFLOP/s; peak {peak / 1e12:.1f}")
    for precision, speed in by_precision.items():
        print(f"the same in {precision}: {speed / 1e12:.1f} TFLOP/s")
    found["launch_seconds"] = launch_seconds(device)
    print(f"to start an operation: {1e6 * found['launch_seconds']:.1f} µs")
    found["steps"] = {}
    for name, size in sizes.items():
        print(f"\nsteps of training, {size.rows} rows of {size.longest} tokens at most ({name})")
        found["steps"][name] = race(size, device, peak, steps, deadline)
    print("\nthree regimes: shares of the time of a step, by kernels")
    found["regimes"] = regimes(device, ROWS[device], TOY if dry else LAYERS)
    print("\nshares of the time of some steps from above, by kernels")
    found["kernels"] = {
        name: profiled(sizes[name], ways, device)
        for name, ways in {
            "256 × 128": ["plain parts", "fast parts", "packed, compiled"],
            "8 × 128, 4 layers of 256": ["fast, LayerNorm in bfloat16", "fast, compiled"],
        }.items()
    }
    return found


def run_rest(deadline: float) -> dict[str, str]:
    """Run the programs of the book that a GPU is good for, as far as they can run here."""
    told = {}
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MINIBERT_DEVICE": "cuda"}
    for name, (command, needs) in (marked_tests() | REST | chapter_commands()).items():
        left = deadline - time.perf_counter()
        if importlib.util.find_spec(needs) is None:
            told[name] = f"left out: {needs} is missing"
        elif left < 5:
            told[name] = "left out: no time is left"
        else:
            told[name] = outcome(command, environment, left)
        print(f"{name:12} {told[name]}", flush=True)
    return told


def outcome(command: list[str], environment: dict[str, str], seconds: float) -> str:
    """Run a command, and say how it ended."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, timeout=seconds, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        return "stopped: no time is left"
    print(done.stdout[-2000:])
    ended = "ended well" if done.returncode == 0 else f"FAILED: {done.stderr.strip()[-300:]}"
    return f"{ended}, {time.perf_counter() - start:.0f} s"


def marked_tests() -> dict[str, tuple[list[str], str]]:
    """Name the tests marked cuda."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    marked = [str(file) for file in files if "mark.cuda" in file.read_text(encoding="utf-8")]
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "-m", "cuda", *marked]
    return {"tests": (command, "nbval")}


def chapter_commands() -> dict[str, tuple[list[str], str]]:
    """Name the chapters that train, to be run on the GPU without storing anything."""
    found = {}
    for number in CHAPTERS:
        (path,) = (ROOT / "book" / "chapters").glob(f"{number}-*.ipynb")
        command = [
            sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout",
            "--log-level", "ERROR", str(path),
        ]  # fmt: skip
        found[f"Chapter {number}"] = command, "nbconvert"
    return found


def train_on_the_book(folder: Path) -> dict[str, Any]:
    """Train the larger model of *A real book*, or go on; return its loss against minutes."""
    from bertbook.corpus.kjv.chapters import as_documents, kjv_parts

    from .english import RUNS, Run

    (large,) = (run for run in RUNS if run[0] == "large")
    folder.mkdir(parents=True, exist_ok=True)
    text, run = folder / "train.txt", Run(*large, folder / "large")
    text.write_text(as_documents(kjv_parts().train), encoding="utf-8")
    if not run.is_finished:
        run.train(text)
    lines = (run.folder / "history.jsonl").read_text(encoding="utf-8").splitlines()
    return {"updates": run.steps, "minutes_and_loss": loss_against_minutes(map(json.loads, lines))}


def loss_against_minutes(history: Iterable[dict[str, float]]) -> list[list[float]]:
    """Average the loss of masked words over equal stretches, each with the minutes at its end."""
    told = [(record["seconds"] / 60, record["masked_lm_loss"]) for record in history]
    stretch = -(-len(told) // POINTS)
    pieces = [told[at : at + stretch] for at in range(0, len(told), stretch)]
    return [
        [round(piece[-1][0], 2), round(sum(loss for _, loss in piece) / len(piece), 3)]
        for piece in pieces
    ]


def store(path: Path, found: dict[str, Any]) -> None:
    """Write what is found so far: what follows may be stopped."""
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Prove, measure, print, and store; exit with 1 if a check fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dry", action="store_true", help="tiny sizes, on the CPU")
    parser.add_argument("--record", type=Path, default=FOLDER, help="folder of the record")
    parser.add_argument("--book", action="store_true", help="train on the real book as well")
    arguments = parser.parse_args()
    if reason := why_not(arguments.dry):
        sys.exit(reason)
    gpu_bare.ignore_shapes()
    import torch

    deadline = time.perf_counter() + 60 * MINUTES
    device = "cpu" if arguments.dry else "cuda"
    if arguments.dry:
        torch.set_num_threads(1)
    card = "dry run" if arguments.dry else torch.cuda.get_device_name()
    print(
        f"On {card}, until {MINUTES} minutes have passed. How far each is off, and how far it may:"
    )
    # A third of the time belongs to what follows the steps.
    found = measure(device, arguments.dry, card, deadline - 20 * MINUTES)
    arguments.record.mkdir(parents=True, exist_ok=True)
    path = arguments.record / f"{slug(card)}.json"
    store(path, found)
    found["rest"] = {} if arguments.dry else run_rest(deadline)
    store(path, found)
    if arguments.book:
        found["book"] = train_on_the_book(ROOT / "build" / "gpu")
        store(path, found)
    wrong = [name for name, check in found["checks"].items() if not check["holds"]]
    print(f"\n{len(found['checks']) - len(wrong)} checks hold, {len(wrong)} do not: {path}")
    if wrong:
        sys.exit(f"These do not hold: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
