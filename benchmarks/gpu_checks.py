"""What has to hold on a GPU before anything is timed there, for ``benchmarks.gpu``.

Each check returns how far the device is off and how far it may be. Differences are those of whole
vectors, as a share of the length of the vector that is expected.
"""

import copy
import dataclasses
import io
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import CheckpointedLayer, UnpaddedEncoder
from minibert.layer import BertLayer
from minibert.model import BertEncoder
from minibert.pretraining import score_words
from minibert.training import TrainingConfig, make_optimizer, training_step
from minibert.training.devices import to_device

from .gpu_candidates import aligned_word_loss, chunked_word_loss
from .gpu_data import FAST, LOW, ONE_PRODUCT, PACKED, Row, Size, Way, build, draw_rows, make_batch
from .gpu_processes import WAYS, differences

Check = Callable[[str], tuple[float, float]]
EXACT, ROUGH = 1e-4, 0.05  # of float32 against float64, of bfloat16 against float32
CONFIG = BertConfig(
    vocab_size=300, hidden_size=64, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=128, max_position_embeddings=64, hidden_dropout_prob=0.0,
)  # fmt: skip
ROWS = draw_rows(Size(CONFIG, 4, 40, ragged=True, ways={}))
PLAIN = Way(attention_dropout=0.0)
UNPADDED = {BertEncoder: UnpaddedEncoder, **PACKED}
CHECKPOINTED = {BertLayer: CheckpointedLayer}


def off(found: Tensor, expected: Tensor) -> float:
    """Return the length of the difference, as a share of the length of what is expected."""
    found, expected = found.detach().double().cpu(), expected.detach().double().cpu()
    return ((found - expected).norm() / expected.norm()).item()


class Found(NamedTuple):
    """A loss, and the gradient of all weights as one vector."""

    loss: Tensor
    gradient: Tensor

    def off(self, expected: "Found") -> float:
        """Return how far the one that is farther off is off."""
        return max(off(found, exact) for found, exact in zip(self, expected, strict=True))


def loss_and_gradient(model: nn.Module, batch: Row, bf16: bool = False) -> Found:
    """Compute a loss and its gradient; weights that are shared count once."""
    device = next(model.parameters()).device
    model.zero_grad()
    with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
        loss = model.train()(**to_device(batch, device)).loss
    loss.backward()
    return Found(loss.detach(), flat_gradient(model))


def flat_gradient(model: nn.Module) -> Tensor:
    """Put all gradients into one vector, in the order of the names."""
    named = {name.removeprefix("model."): p.grad for name, p in model.named_parameters()}
    return torch.cat([named[name].flatten() for name in sorted(named) if named[name] is not None])


def in_float64() -> nn.Module:
    """Build the plain model on the CPU, in float64."""
    return build(CONFIG, PLAIN, "cpu").double()


def values(device: str) -> tuple[float, float]:
    """Compare the vectors of real tokens with those of the CPU in float64."""
    batch = make_batch(ROWS, 40, "padded")
    del batch["labels"]
    real = batch["attention_mask"] == 1
    exact, model = in_float64().bert, build(CONFIG, PLAIN, device).bert
    found = model(**to_device(batch, torch.device(device))).last_hidden_state.cpu()
    return off(found[real], exact(**batch).last_hidden_state[real]), EXACT


def gradients(device: str) -> tuple[float, float]:
    """Compare loss and gradient with those of the CPU in float64."""
    batch = make_batch(ROWS, 40, "padded")
    found = loss_and_gradient(build(CONFIG, PLAIN, device), batch)
    return found.off(loss_and_gradient(in_float64(), batch)), EXACT


def one_step(device: str) -> tuple[float, float]:
    """Compare by how much a step moves the weights; a large epsilon keeps Adam off mere signs."""
    moved, config = [], TrainingConfig(max_steps=2, seed=0, adam_epsilon=1e-3, bf16=False)
    for model in (build(CONFIG, PLAIN, device), in_float64()):
        before = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
        batch = make_batch(ROWS, 40, "padded")
        training_step(model, make_optimizer(model, config), [batch], 1, config)
        after = nn.utils.parameters_to_vector(model.parameters()).detach()
        moved.append((after.double() - before.double()).cpu())
    return off(*moved), 1e-2


def against_transformers(device: str, bf16: bool) -> tuple[float, float]:
    """Compare loss and gradient with those of transformers on the same device."""
    batch = make_batch(ROWS, 40, "padded")
    ways = PLAIN, PLAIN._replace(theirs=True)
    ours, theirs = (loss_and_gradient(build(CONFIG, way, device), batch, bf16) for way in ways)
    return ours.off(theirs), ROUGH if bf16 else EXACT


def against_plain(device: str, way: Way, bf16: bool) -> tuple[float, float]:
    """Compare loss and gradient of some parts with those of the plain ones, in float32."""
    rows = full_rows() if way.batch == "placed" else ROWS
    expected = loss_and_gradient(build(CONFIG, PLAIN, device), make_batch(rows, 40, "padded"))
    model = build(CONFIG, way, device)
    if way.compiled:
        torch.compiler.reset()
        model.compile(fullgraph=True, backend=way.compiled)
    found = loss_and_gradient(model, make_batch(rows, 40, way.batch), bf16)
    return found.off(expected), ROUGH if bf16 else EXACT


def full_rows() -> list[Row]:
    """Draw rows of one length."""
    return draw_rows(Size(CONFIG, 4, 40, ragged=False, ways={}))


def a_row_of_padding(device: str, parts: dict) -> tuple[float, float]:
    """Add a row of nothing but padding: no loss and no gradient may change."""
    batch = make_batch(ROWS, 40, "padded")
    more = {"input_ids": 0, "attention_mask": 0, "labels": -100}
    longer = {name: torch.cat([batch[name], torch.full((1, 40), more[name])]) for name in batch}
    found = loss_and_gradient(build(CONFIG, PLAIN._replace(parts=parts), device), longer)
    return found.off(loss_and_gradient(in_float64(), batch)), EXACT


def resumed(device: str) -> tuple[float, float]:
    """Train four steps, and two and two with a file between them: to the last bit the same."""
    config = TrainingConfig(max_steps=4, seed=0)
    dropping = dataclasses.replace(CONFIG, hidden_dropout_prob=0.1)
    batch = make_batch(ROWS, 40, "padded")
    first = build(dropping, Way(FAST, attention_dropout=0.1), device)
    again = copy.deepcopy(first)
    optimizers = make_optimizer(first, config), make_optimizer(again, config)
    for step in range(4):
        training_step(first, optimizers[0], [batch], step, config)
        if step == 2:
            file = io.BytesIO()
            torch.save((again.state_dict(), optimizers[1].state_dict()), file)
            file.seek(0)
            again = build(dropping, Way(FAST, attention_dropout=0.1), device)
            optimizers = optimizers[0], make_optimizer(again, config)
            weights, running = torch.load(file, map_location=device)
            again.load_state_dict(weights)
            optimizers[1].load_state_dict(running)
        training_step(again, optimizers[1], [batch], step, config)
    pairs = zip(first.state_dict().values(), again.state_dict().values(), strict=True)
    return float(not all(torch.equal(a, b) for a, b in pairs)), 0.0


def placed(parts: dict, batch: str = "packed", compiled: str = "") -> Way:
    """Name a way without attention dropout."""
    return Way(parts, batch, compiled, attention_dropout=0.0)


def chunks_exist() -> bool:
    """Return whether PyTorch computes scores and loss in chunks."""
    return hasattr(nn.functional, "linear_cross_entropy")


def part_checks() -> dict[str, Check]:
    """Name each fast part, and how it is compared with the plain one."""
    in_float32 = {
        "fused attention": placed({BertSelfAttention: FAST[BertSelfAttention]}, "padded"),
        "scores at labels only": placed({score_words: FAST[score_words]}, "padded"),
        "checkpointing": placed(CHECKPOINTED, "padded"),
        "no padding": placed(UNPADDED, "padded"),
        "no padding, checkpointing": placed(UNPADDED | CHECKPOINTED, "padded"),
        "packed": placed(PACKED),
        "full rows, places named": placed(FAST, "placed"),
        "one product": placed(ONE_PRODUCT),
        "vocabulary padded": placed(PACKED)._replace(word_loss=aligned_word_loss),
    }
    in_bfloat16 = {
        "LayerNorm in bfloat16": placed(LOW, "padded"),
        "no padding, bfloat16": placed(UNPADDED | LOW, "padded"),
        "packed, bfloat16": placed(PACKED | LOW),
        "packed, bfloat16, checkpointing": placed(PACKED | LOW | CHECKPOINTED),
        "one product, bfloat16": placed(ONE_PRODUCT | LOW),
    }
    if chunks_exist():
        in_float32["loss in chunks"] = placed(PACKED)._replace(word_loss=chunked_word_loss)
    named = {name: partial(against_plain, way=way, bf16=False) for name, way in in_float32.items()}
    return named | {
        name: partial(against_plain, way=way, bf16=True) for name, way in in_bfloat16.items()
    }


def compiled_checks(backend: str) -> dict[str, Check]:
    """Name what a compiler makes one graph of."""
    ways = {
        "compiled, padded": placed(FAST, "padded", backend),
        "compiled, places named": placed(FAST | LOW, "placed", backend),
        "compiled, packed": placed(FAST | LOW | PACKED, "packed", backend),
    }
    return {name: partial(against_plain, way=way, bf16=True) for name, way in ways.items()}


def together(device: str, way: str) -> tuple[float, float]:
    """Let two processes train, and compare them with one."""
    return differences(device)[way], EXACT


CHECKS: dict[str, Check] = {
    "values against float64": values,
    "loss and gradient against float64": gradients,
    "one step against float64": one_step,
    "transformers, float32": partial(against_transformers, bf16=False),
    "transformers, bfloat16": partial(against_transformers, bf16=True),
    "a row of padding, plain parts": partial(a_row_of_padding, parts={}),
    "a row of padding, fast parts": partial(a_row_of_padding, parts=FAST),
    "resumed, to the last bit": resumed,
    **part_checks(),
    **{f"two processes, {way}": partial(together, way=way) for way in WAYS},
}


def report_checks(device: str) -> dict[str, dict[str, Any]]:
    """Make all checks, print each, and return what they found; one that fails stops nothing."""
    found = {}
    # On a CPU unpadded attention reads lengths, which breaks a graph; a GPU has the kernel.
    compiled = compiled_checks("inductor") if device == "cuda" else {}
    for name, check in (CHECKS | compiled).items():
        found[name] = outcome(check, device)
        sign = "ok   " if found[name]["holds"] else "WRONG"
        told = "{difference:.1e} of {bound:.0e}" if "bound" in found[name] else "{error}"
        print(f"{sign} {name:40} {told.format(**found[name])}", flush=True)
    return found


def outcome(check: Check, device: str) -> dict[str, Any]:
    """Make a check; an error is a finding, too."""
    try:
        difference, bound = check(device)
    except Exception as error:
        lines = str(error).splitlines() or [""]
        return {"error": f"{type(error).__name__}: {lines[0]}", "holds": False}
    return {"difference": difference, "bound": bound, "holds": difference <= bound}
