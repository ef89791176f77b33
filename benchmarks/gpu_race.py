"""The table of steps of ``benchmarks.gpu``: how long each way takes, and what share of the peak.

MFU, model FLOPs utilization, counts the operations that the task needs, without those of padding
or of scores that nobody asks for, and divides by what the data sheet promises in bfloat16.
"""

import gc
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.profiler import ProfilerActivity, profile

from minibert.training.devices import to_device

from .gpu_data import Row, Size, Way, build, draw_rows, make_batch
from .ladder_steps import useful_products

PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}  # bfloat16, dense, of the data sheets
WARM = 3  # steps before those that are timed
NEAR = 0.02  # how far the loss of a way may be from the plain one, as a share
CLASSES = {  # of kernels, by what their names contain; the first that fits
    "attention": r"flash|fmha|attention|varlen|sdpa|softmax",
    "products": r"gemm|cutlass|xmma|nvjet|addmm|::mm|bmm|linear",
    "optimizer": r"adam|multi_tensor|foreach",
    "LayerNorm": r"layer_norm|layernorm",
}
# Operations of a CPU's trace that look at a tensor in another way, make room, or call another one.
BOOKKEEPING = re.compile(
    r"::(_reshape_alias|_to_copy|_unsafe_view|alias|as_strided|chunk|contiguous|detach_?|dropout"
    r"|embedding|embedding_backward|empty|empty_like|empty_strided|expand|flatten|is_nonzero|item"
    r"|layer_norm|linear|matmul|narrow|ones_like|permute|reshape|resize_|resolve_conj|resolve_neg"
    r"|result_type|select|slice|softmax|split|square|squeeze|t|to|transpose|unflatten|unsqueeze"
    r"|view|zeros|zeros_like|__and__)$"
)


class Step(NamedTuple):
    """A way to train that stands ready."""

    run: Callable[[], None]
    loss: float  # of the first weights, without dropout


def waiter(device: str) -> Callable[[], object]:
    """Return what waits until a device has done all its work."""
    return torch.cuda.synchronize if device == "cuda" else int


def prepare(size: Size, way: Way, rows: list[Row], device: str) -> Step:
    """Build a model and its batch, compute the loss once, and compile if the way says so."""
    model = build(size.config, way, device)
    batch = to_device(make_batch(rows, size.longest, way.batch), torch.device(device))

    def loss_of() -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16):
            return model(**batch).loss

    with torch.no_grad():
        model.eval()
        loss = loss_of().item()
    model.train()
    if way.compiled:
        torch.compiler.reset()
        model.compile(mode=way.compiled, fullgraph=not way.theirs and device == "cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)

    def run() -> None:
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()

    return Step(run, loss)


def median_seconds(run: Callable[[], object], device: str, steps: int) -> float:
    """Warm up, then time some steps, each to its end."""
    wait, seconds = waiter(device), []
    for _ in range(min(WARM, steps)):
        run()
    for _ in range(steps):
        wait()
        start = time.perf_counter()
        run()
        wait()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def peak_of(card: str, product: float) -> float:
    """Return the operations a second of a card: by its data sheet, or those of one product."""
    known = [peak for name, peak in PEAKS.items() if name in card]
    return known[0] if known else product


def product_speed(device: str, side: int, steps: int, dtype: torch.dtype = torch.bfloat16) -> float:
    """Measure the operations a second of one large product."""
    left, right = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    return 2 * side**3 / median_seconds(lambda: left @ right, device, steps)


def float32_speeds(device: str, side: int, steps: int) -> dict[str, float]:
    """Measure the same product in float32, exactly and by TF32."""
    before, found = torch.get_float32_matmul_precision(), {}
    for name, precision in {"float32": "highest", "TF32": "high"}.items():
        torch.set_float32_matmul_precision(precision)
        found[name] = product_speed(device, side, steps, torch.float32)
    torch.set_float32_matmul_precision(before)
    return found


def launch_seconds(device: str, count: int = 1000) -> float:
    """Measure how long it takes to start an operation that has next to nothing to compute."""
    number = torch.zeros(1, device=device)

    def start_many() -> None:
        for _ in range(count):
            number.add_(1)

    return median_seconds(start_many, device, WARM) / count


def race(
    size: Size, device: str, peak: float, steps: int, deadline: float
) -> dict[str, dict[str, Any]]:
    """Time all ways of one size in turn; leave out what there is no time or no memory for."""
    rows, found, plain = draw_rows(size), {}, None
    operations = 2 * useful_products(size.config, rows)
    tokens = sum(len(row["labels"]) for row in rows)
    for name, way in size.ways.items():
        if time.perf_counter() > deadline:
            print(f"{name:50} left out: no time is left", flush=True)
            continue
        try:
            step = prepare(size, way, rows, device)
            plain = plain or step.loss
            if abs(step.loss - plain) > NEAR * plain:
                raise ArithmeticError(f"its loss is {step.loss:.4f} in place of {plain:.4f}")
            seconds = median_seconds(step.run, device, steps)
        except Exception as error:  # no memory, no such kernel, another loss: the others go on
            found[name] = {"failed": (str(error).splitlines() or [type(error).__name__])[0]}
            print(f"{name:50} failed: {found[name]['failed']}", flush=True)
            continue
        finally:
            step = None
            release(device)
        share = operations / seconds / peak
        found[name] = {
            "milliseconds": round(1e3 * seconds, 3),
            "mfu": round(share, 4),
            "tokens_per_second": round(tokens / seconds),
        }
        print(
            f"{name:50} {1e3 * seconds:9.2f} ms  MFU {share:.3f}  {tokens / seconds:9.0f} tokens/s",
            flush=True,
        )
    return found


def release(device: str) -> None:
    """Give the memory of a model back."""
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()


def kernel_classes(run: Callable[[], None], device: str) -> dict[str, float]:
    """Profile one step: the share of its time in each class of kernels, and how many it starts.

    The time is that of steps without the profiler, which slows down what is between kernels. On a
    CPU an operation is a kernel if it computes: a view, or a step of autograd's bookkeeping, is
    none.
    """
    passed = 1e6 * median_seconds(run, device, WARM)  # microseconds, as the profiler counts
    activities = [ProfilerActivity.CUDA if device == "cuda" else ProfilerActivity.CPU]
    with profile(activities=activities) as trace:
        run()
        waiter(device)()
    took, count = Counter(), 0
    for event in trace.key_averages():
        spent = event.self_device_time_total if device == "cuda" else event.self_cpu_time_total
        if not spent or (device == "cpu" and not computes(event.key)):
            continue
        fits = [kind for kind, names in CLASSES.items() if re.search(names, event.key.lower())]
        took[fits[0] if fits else "everything else"] += spent
        count += event.count
    total = max(passed, sum(took.values()))  # kernels of several streams may overlap
    took["between kernels"] = total - sum(took.values())
    return {kind: round(spent / total, 4) for kind, spent in took.items()} | {"kernels": count}


def computes(name: str) -> bool:
    """Tell whether an operation of a CPU's trace reads or writes the entries of a tensor."""
    return name.startswith("aten::") and not BOOKKEEPING.search(name)


def print_shares(name: str, trace: dict[str, float]) -> None:
    """Print what `kernel_classes` has found in a step, the largest share first."""
    shares = sorted(((share, kind) for kind, share in trace.items() if kind != "kernels"))[::-1]
    told = ", ".join(f"{kind} {share:.0%}" for share, kind in shares)
    print(f"{name:50} {told}; {trace['kernels']:.0f} kernels", flush=True)


def profiled(size: Size, ways: list[str], device: str) -> dict[str, dict[str, float]]:
    """Profile some ways of one size."""
    rows, found = draw_rows(size), {}
    for name in ways:
        step = prepare(size, size.ways[name], rows, device)
        found[name] = kernel_classes(step.run, device)
        print_shares(name, found[name])
        step = None
        release(device)
    return found
