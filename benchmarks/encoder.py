"""Time the encoder against transformers' with the same weights, the same batch and SDPA.

``python -m benchmarks.encoder`` prints one table, in about ten minutes. Every round runs each
candidate once, in random order, and a ratio compares two runs of the same round. Forward means
evaluation without gradients; fwd + bwd is training, with dropout 0.1 in both models, and the
gradient of every output. ``--padded`` pads half of the sequences to twice their length. On a
machine that others use as well, ``--busy`` counts the processor's time of one thread. "Without
nothing" is ours with all fast parts, "without all of it" ours with plain ones; ``--steps`` also
takes away one at a time, and so shows what each of them earns.
"""

import argparse
import dataclasses
import random
import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial

import torch
import transformers
from torch import Tensor, nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import FAST_PARTS, fast_parts
from minibert.model import BertModel
from minibert.parts import override

CONFIGS = {"128 x 2": BertConfig.tiny, "256 x 4": BertConfig.mini, "bert-base": BertConfig.base}
Candidates = dict[str, Callable[[], None]]
STEPS = {  # what is taken away: whose parts are plain
    "nothing": (),
    "fast dropout": (nn.Dropout,),
    "SDPA": (BertSelfAttention,),
    "all of it": tuple(FAST_PARTS),
}


def build(kind: type[nn.Module], config: BertConfig, plain: Iterable[Callable] = ()) -> nn.Module:
    """Build our model of fast parts, but for those that shall be plain."""
    with override(fast_parts()), override({role: role for role in plain}):
        return kind(config)


def build_pair(
    config: BertConfig, steps: Iterable[str]
) -> tuple[dict[str, BertModel], transformers.BertModel]:
    """Build transformers' model, and ours with its weights, without each of the steps."""
    fields = dataclasses.asdict(config)
    theirs = transformers.BertModel(transformers.BertConfig(**fields, attn_implementation="sdpa"))
    ours = {step: build(BertModel, config, STEPS[step]) for step in steps}
    for model in ours.values():
        model.load_state_dict(theirs.state_dict(), strict=True)
    return ours, theirs


def draw_batch(batch: int, seq: int, padded: bool) -> dict[str, Tensor]:
    """Draw a batch of pairs as a tokenizer returns it."""
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1000, 30000, (batch, seq), generator=generator)
    mask = torch.ones_like(ids)
    if padded:
        mask[batch // 2 :, seq // 2 :] = 0
    types = (torch.arange(seq) >= seq // 2).long().expand(batch, seq).contiguous()
    return {"input_ids": ids * mask, "attention_mask": mask, "token_type_ids": types * mask}


def forward(model: nn.Module, batch: dict[str, Tensor]) -> None:
    """Encode, as in use."""
    with torch.no_grad():
        model(**batch)


def forward_backward(model: nn.Module, batch: dict[str, Tensor]) -> None:
    """Encode, and carry a gradient back to every parameter, as in training."""
    model.zero_grad()
    output = model(**batch)
    parts = [output.last_hidden_state, output.pooler_output]
    torch.autograd.backward(parts, [torch.ones_like(part) for part in parts])


def measure(
    candidates: Candidates, seconds: float, rounds: int, clock: Callable[[], float]
) -> dict[str, list[float]]:
    """Run all candidates in turn, for some time and at least for some rounds; drop the first."""
    rng, times = random.Random(0), {name: [] for name in candidates}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) <= rounds:
        for name in rng.sample(list(candidates), len(candidates)):
            start = clock()
            candidates[name]()
            times[name].append(clock() - start)
    return {name: runs[1:] for name, runs in times.items()}


def spread(theirs: list[float], ours: list[float]) -> str:
    """Write how many times faster ours is: the median of all rounds, and the quartiles."""
    ratios = [their / our for their, our in zip(theirs, ours, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:5.2f} [{low:.2f}, {high:.2f}]"


def compare(ours: BertModel, theirs: nn.Module, batch: dict[str, Tensor]) -> float:
    """Return the largest difference between the numbers of the two models."""
    with torch.no_grad():
        a, b = ours.eval()(**batch), theirs.eval()(**batch)
    seen = batch["attention_mask"] == 1
    return (a.last_hidden_state - b.last_hidden_state)[seen].abs().max().item()


def candidates_of(
    ours: dict[str, BertModel], theirs: nn.Module, run: Callable, batch: dict[str, Tensor]
) -> Candidates:
    """Name what is to be timed."""
    models = {"theirs": theirs} | ours
    return {name: partial(run, model, batch) for name, model in models.items()}


def print_rows(name: str, arguments: argparse.Namespace) -> None:
    """Measure one configuration in all sizes."""
    ours, theirs = build_pair(CONFIGS[name](), arguments.steps)
    clock = time.process_time if arguments.busy else time.perf_counter
    for seq in arguments.seq:
        for size in arguments.batch:
            batch = draw_batch(size, seq, arguments.padded)
            difference = compare(ours["nothing"], theirs, batch)
            for what, run in {"forward": forward, "fwd + bwd": forward_backward}.items():
                for model in (*ours.values(), theirs):
                    model.train(run is forward_backward)
                named = candidates_of(ours, theirs, run, batch)
                times = measure(named, arguments.seconds * len(named), arguments.rounds, clock)
                base = times.pop("theirs")
                ratios = "   ".join(f"{spread(base, runs):>18}" for runs in times.values())
                print(
                    f"{name:10} {seq:4} {size:5}  {what:9} {statistics.median(base) * 1e3:9.1f} "
                    f"{len(base):6}  {ratios}   {difference:.0e}",
                    flush=True,
                )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configs", nargs="+", choices=CONFIGS, default=list(CONFIGS))
    parser.add_argument("--seq", nargs="+", type=int, default=[32, 128])
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 32])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5.0, help="per row and candidate")
    parser.add_argument("--rounds", type=int, default=5, help="at least, per row")
    parser.add_argument("--busy", action="store_true", help="1 thread, and its own time only")
    parser.add_argument("--padded", action="store_true", help="pad half of the sequences")
    parser.add_argument("--steps", action="store_true", help="take away one step at a time")
    arguments = parser.parse_args()
    arguments.threads = 1 if arguments.busy else arguments.threads
    torch.set_num_threads(arguments.threads)
    arguments.steps = list(STEPS) if arguments.steps else ["nothing", "all of it"]
    names = [f"without {step}" for step in arguments.steps]
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, ", end="")
    print(f"{arguments.threads} threads; times as fast as transformers: median [quartiles]")
    heads = "   ".join(f"{name:>18}" for name in names)
    print(
        f"{'model':10} {'seq':>4} {'batch':>5}  {'what':9} {'theirs ms':>9} {'rounds':>6}  "
        f"{heads}   diff"
    )
    for name in arguments.configs:
        print_rows(name, arguments)


if __name__ == "__main__":
    main()
