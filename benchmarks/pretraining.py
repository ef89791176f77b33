"""Time a training step of pre-training against transformers' BertForPreTraining with SDPA.

``python -m benchmarks.pretraining`` prints two tables, in about ten minutes. A step is: forget the
gradients, forward, both losses, backward, AdamW; dropout is 0.1 in both models, the batch is full,
15 % of its tokens carry a label. Every round runs each candidate once, in random order, and a ratio
compares two runs of the same round. The first table gives the time, ours with the fused AdamW and
theirs with PyTorch's default one and with the fused one; and how many multiplications per second
our step does, as a share of those in one large product of matrices. The second table gives the peak
memory of a process that takes three steps, above what it needs to import everything; once more with
the scores of all words at all positions. On a machine that others use as well, ``--busy`` counts
the processor's time of one thread. ``--steps`` takes away one of our steps at a time, and so shows
what each of them earns.
"""

import argparse
import dataclasses
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import transformers
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.encoder import STEPS, build, measure, spread
from minibert.config import BertConfig
from minibert.masking import corrupt_tokens
from minibert.pretraining import BertForPreTraining, score_words

SIZES = {  # configuration, batch, seq
    "128 x 2": (BertConfig.tiny(vocab_size=1000), 64, 32),
    "256 x 4": (BertConfig.mini(vocab_size=8192), 32, 128),
    "bert-base": (BertConfig.base(), 8, 128),
}
SIDE = 2048  # of the matrices whose product shows what the machine can do
Batch = dict[str, Tensor]
STATUS = Path("/proc/self/status")


def build_theirs(
    config: BertConfig, model_class: type[nn.Module] = transformers.BertForPreTraining
) -> nn.Module:
    """Build transformers' model."""
    fields = dataclasses.asdict(config)
    return model_class(transformers.BertConfig(**fields, attn_implementation="sdpa"))


PEAKS = {  # whose peak memory, and how to build the model
    "theirs": build_theirs,
    "ours": partial(build, BertForPreTraining),
    "scores everywhere": partial(build, BertForPreTraining, plain=[score_words]),
    "plain parts": BertForPreTraining,
}


def draw_batch(config: BertConfig, batch: int, seq: int) -> Batch:
    """Draw a full batch of pairs, corrupted, with both kinds of labels."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(5, config.vocab_size, (batch, seq), generator=generator)
    corrupted = corrupt_tokens(
        ids,
        vocab_size=config.vocab_size,
        mask_token_id=4,
        special_ids=range(5),
        generator=generator,
    )
    return {
        "input_ids": corrupted.input_ids,
        "attention_mask": torch.ones_like(ids),
        "token_type_ids": (torch.arange(seq) >= seq // 2).long().expand(batch, seq).contiguous(),
        "labels": corrupted.labels,
        "next_sentence_label": torch.randint(2, (batch,), generator=generator),
    }


def stepper(model: nn.Module, batch: Batch, fused: bool) -> Callable[[], None]:
    """Return a function that takes one training step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=fused or None)
    model.train()

    def step() -> None:
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()

    return step


def count_operations(run: Callable[[], None]) -> int:
    """Count the multiplications and additions in products of matrices."""
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


def multiplier() -> Callable[[], None]:
    """Return a function that multiplies two large matrices into memory that is already there."""
    left, right, product = (torch.randn(SIDE, SIDE) for _ in range(3))

    def multiply() -> None:
        torch.mm(left, right, out=product)

    return multiply


def candidates_of(
    ours: dict[str, nn.Module], theirs: nn.Module, batch: Batch, steps: bool
) -> dict[str, Callable[[], None]]:
    """Name what is to be timed."""
    default, fused = stepper(theirs, batch, fused=False), stepper(theirs, batch, fused=True)
    each = {step: stepper(model, batch, fused=True) for step, model in ours.items()}
    if not steps:
        return {
            "product": multiplier(),
            "theirs": default,
            "theirs, fused AdamW": fused,
            "ours": each["nothing"],
            "ours, plain parts": each["all of it"],
        }
    return {
        "theirs": default,
        **{f"without {step}": timed for step, timed in each.items()},
        "without fused AdamW": stepper(ours["nothing"], batch, fused=False),
    }


def compare(ours: nn.Module, theirs: nn.Module, batch: Batch) -> float:
    """Give ours the weights of theirs, and return the difference of the losses."""
    ours.load_state_dict(theirs.state_dict(), strict=True)
    with torch.no_grad():
        return (ours.eval()(**batch).loss - theirs.eval()(**batch).loss).abs().item()


def print_times(names: list[str], arguments: argparse.Namespace) -> None:
    """Measure the steps of all sizes."""
    clock = time.process_time if arguments.busy else time.perf_counter
    print(f"{'model':10} {'theirs ms':>9} {'rounds':>6}  times as fast: median [quartiles]")
    for name in names:
        config, *shape = SIZES[name]
        ours = {
            step: build(BertForPreTraining, config, plain)
            for step, plain in (STEPS | {"scores at labels only": (score_words,)}).items()
            if arguments.steps or step in ("nothing", "all of it")
        }
        theirs, batch = build_theirs(config), draw_batch(config, *shape)
        difference = max(compare(model, theirs, batch) for model in ours.values())
        named = candidates_of(ours, theirs, batch, arguments.steps)
        times = measure(named, arguments.seconds * len(named), arguments.rounds, clock)
        base, product = times.pop("theirs"), times.pop("product", None)
        print(
            f"{name:10} {statistics.median(base) * 1e3:9.1f} {len(base):6}  "
            f"the losses differ by {difference:.0e}"
        )
        for other, runs in times.items():
            print(f"{other:>40}  {spread(base, runs)}", flush=True)
        if product:
            products = count_operations(named["ours"]) / count_operations(named["product"])
            share = spread([products * seconds for seconds in product], times["ours"])
            print(f"{'ours, as a share of one product':>40}  {share}", flush=True)


def resident_peak() -> float:
    """Return the most memory that this process has held so far, in MB."""
    fields = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) / 1e3


def print_peak(name: str, who: str) -> None:
    """Take three steps in this process, and print by how much its peak has grown."""
    config, *shape = SIZES[name]
    fused = who != "theirs"
    smallest = BertConfig.tiny(vocab_size=10)
    stepper(
        PEAKS[who](smallest), draw_batch(smallest, 1, 8), fused
    )()  # imports what a step imports
    before = resident_peak()
    step = stepper(PEAKS[who](config), draw_batch(config, *shape), fused)
    for _ in range(3):
        step()
    print(resident_peak() - before)


def peak_of(name: str, who: str, arguments: argparse.Namespace) -> float:
    """Measure the peak memory of one candidate in a process of its own, in MB."""
    options = ["--peak", who, "--configs", name, "--threads", str(arguments.threads)]
    command = [sys.executable, "-m", "benchmarks.pretraining", *options]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def print_peaks(names: list[str], arguments: argparse.Namespace) -> None:
    """Measure and print the peak memory of all sizes."""
    if not STATUS.exists():
        print("Peak memory is read from /proc, which this system does not have.")
        return
    print(f"{'model':10} {'theirs MB':>9}  peak memory of the step, as a share of theirs")
    for name in names:
        theirs, *others = (peak_of(name, who, arguments) for who in PEAKS)
        shares = ", ".join(
            f"{who} {peak / theirs:.2f}" for who, peak in zip(list(PEAKS)[1:], others, strict=True)
        )
        print(f"{name:10} {theirs:9.0f}  {shares}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configs", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20.0, help="per row and candidate")
    parser.add_argument("--rounds", type=int, default=7, help="at least, per row")
    parser.add_argument("--busy", action="store_true", help="1 thread, and its own time only")
    parser.add_argument("--steps", action="store_true", help="take away one step at a time")
    parser.add_argument("--peak", choices=PEAKS, help="memory of one candidate only")
    arguments = parser.parse_args()
    arguments.threads = 1 if arguments.busy else arguments.threads
    torch.set_num_threads(arguments.threads)
    if arguments.peak:
        print_peak(arguments.configs[0], arguments.peak)
        return
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, ", end="")
    print(f"{arguments.threads} threads, one training step with both losses")
    print_times(arguments.configs, arguments)
    if not arguments.steps:
        print_peaks(arguments.configs, arguments)


if __name__ == "__main__":
    main()
