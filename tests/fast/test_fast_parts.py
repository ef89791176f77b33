"""Each fast part beside the plain one, all of them at once, and a compiler that follows."""

import math
from contextlib import ExitStack

import pytest
import torch
from bert_pairs import KINDS, PADDED, SMALL, TINY, build, close, draw, draw_batch, scattered
from tasks import ALL
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from minibert.attention import BertAttention, BertSelfAttention, additive_mask, causal_mask
from minibert.fast import (
    FAST_PARTS,
    CheckpointedLayer,
    EightBitLinear,
    LowPrecisionLayerNorm,
    fast_parts,
    in_eight_bits,
    quantize,
    switch_on,
)
from minibert.fast.attention import FastSelfAttention
from minibert.fast.dropout import FastDropout
from minibert.layer import BertLayer
from minibert.model import BertPooler
from minibert.parts import override, part, replaced, use
from minibert.pretraining import BertForMaskedLM, BertForPreTraining


@pytest.fixture(autouse=True)
def fixed_chance():
    torch.manual_seed(0)


# Attention: the same numbers, and fused only where that is faster and right


CAUSAL, PADDING = causal_mask(5, torch.float64), additive_mask(PADDED, torch.float64)
MASKS = {
    "none": None,
    "padding": PADDING,
    "causal": CAUSAL,
    "both": torch.minimum(CAUSAL, PADDING),
    "a sentence of padding": additive_mask(PADDED * torch.tensor([[1], [0], [1]]), torch.float64),
    "one per head": torch.finfo(torch.float64).min * (draw(3, 3, 5, 5) > 1).double(),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("output_attentions", [True, False])
def test_plain_and_fast_agree_in_value_and_gradient(mask, output_attentions):
    results = []
    for kind in (BertSelfAttention, FastSelfAttention):
        attention = scattered(kind(TINY))
        x = draw(3, 5, 6).requires_grad_()
        context, probs = attention(x, mask, output_attentions)
        (context * draw(3, 5, 6, seed=2)).sum().backward()
        seen = [probs] if output_attentions else []
        results.append([context, x.grad, *seen, *(p.grad for p in attention.parameters())])
    for plain, fast in zip(*results, strict=True):
        assert plain.isfinite().all()
        torch.testing.assert_close(plain, fast, rtol=0, atol=1e-12)


# Dropout: the rate, the scale, independence, the gradient; and the two degenerate rates


def test_outside_training_and_at_the_rate_0_nothing_happens_and_at_the_rate_1_all_goes():
    x = torch.randn(3, 4, requires_grad=True)
    for nothing in (FastDropout(0.1).eval(), FastDropout(1.0).eval(), FastDropout(0.0)):
        assert nothing(x) is x
    y = FastDropout(1.0)(x)
    assert not y.any()
    assert not torch.autograd.grad(y.sum(), x)[0].any()
    with pytest.raises(ValueError, match=r"1\.1"):
        FastDropout(1.1)


@pytest.mark.parametrize("p", [0.999992, 0.999993, 1 - 2**-17, 1 - 2**-30, 1e-6])
def test_a_rate_next_to_0_or_1_leaves_a_finite_number_or_none(p):
    x = torch.ones(1000, requires_grad=True)
    y = FastDropout(p)(x)
    y.sum().backward()
    assert y.isfinite().all() and torch.equal(x.grad, y)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 1 / 3])
def test_what_remains_is_scaled_by_the_rounded_rate_and_so_is_its_gradient(p, dtype):
    x = torch.randn(40, 25, dtype=dtype).T.requires_grad_()  # not contiguous
    before, y = x.detach().clone(), FastDropout(p)(x)
    scale = 1 / (1 - round(p * 65536) / 65536)
    kept = y != 0
    assert y.dtype == dtype and y.shape == (25, 40) and not kept.all()
    exact = {"rtol": 4 * torch.finfo(dtype).eps, "atol": 0}
    torch.testing.assert_close(y, torch.where(kept, x * scale, 0), **exact)
    (grad,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(grad, kept * torch.tensor(scale, dtype=dtype), **exact)
    assert torch.equal(x, before)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.999])
def test_the_share_dropped_is_the_rate_and_the_four_of_one_draw_know_nothing_of_each_other(p):
    lanes = (FastDropout(p)(torch.ones(2**20)) == 0).double().view(-1, 4)
    spread = math.sqrt(p * (1 - p))
    assert abs(lanes.mean().item() - p) < 4.5 * spread / math.sqrt(2**20) + 1 / 65536
    assert ((lanes.mean(dim=0) - p).abs() < 4.5 * spread / 512).all()
    normal = (lanes - p) / spread
    same_draw = normal.T @ normal / len(lanes)
    next_draw = normal[:-1].T @ normal[1:] / len(lanes)
    for correlations in (same_draw.fill_diagonal_(0), next_draw):
        assert (correlations.abs() < 0.012).all(), correlations


def test_chance_is_torchs_the_gradient_keeps_a_byte_per_entry_and_any_shape_will_do():
    x, kept = torch.ones(40, requires_grad=True), []
    with saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        first, second = FastDropout(0.5)(x), FastDropout(0.5)(x)
    assert sum(x.nbytes for x in kept) == 2 * 40
    torch.manual_seed(0)
    assert torch.equal(first, FastDropout(0.5)(x))
    assert not torch.equal(first, second)
    for shape in ((), (1,), (3,), (4,), (5,), (2, 3, 7), (0,), (3, 0)):
        assert FastDropout(0.5)(torch.ones(shape)).shape == shape
    assert FastDropout(0.5)(torch.ones(3, device="meta")).device.type == "meta"  # PyTorch's own


# All of them at once: the same numbers, the draws of weights, and who keeps a part

REPLACED = {BertSelfAttention, nn.Dropout}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("padded", [True, False])
def test_every_model_gives_the_same_numbers_and_gradients(kind, padded):
    batch = draw_batch(SMALL, seed=3)
    if not padded:
        batch["attention_mask"] = torch.ones_like(batch["attention_mask"])
    found = []
    for players in ({}, fast_parts()):
        with override(players):
            model = build(SMALL, kind=kind)
        held = {type(module) for module in model.modules()}
        assert held & REPLACED == (set() if players else REPLACED)
        output = [x for x in model(**batch) if isinstance(x, torch.Tensor)]
        sum(x.square().sum() for x in output).backward()
        found.append([*output, *(p.grad for p in model.parameters() if p.grad is not None)])
    for plain, fast in zip(*found, strict=True):
        close(fast, plain, atol=1e-10)


def test_a_part_of_the_readers_is_left_to_her_and_all_play_until_somebody_else_does():
    mine = type("Mine", (nn.Dropout,), {})
    with override({nn.Dropout: mine}):
        with override(fast_parts()):
            assert part(nn.Dropout) is mine
            assert type(part(BertSelfAttention)(SMALL)) is FAST_PARTS[BertSelfAttention]
        assert replaced() == {nn.Dropout: mine}
    try:
        switch_on()
        assert FAST_PARTS.items() <= replaced().items()
    finally:
        use({role: role for role in replaced()})
    assert replaced() == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("times", [1, 2])
def test_a_readers_parts_draw_what_ours_draw(kind, times):
    mine = {each: type(f"My{each.__name__}", (each,), {}) for each in (BertAttention, BertPooler)}
    models = []
    for players in ({}, mine):
        with ExitStack() as stack:
            stack.enter_context(override(players))
            for _ in range(times):
                stack.enter_context(override(fast_parts()))
            torch.manual_seed(0)
            models.append(kind(SMALL))
    ours, theirs = (model.state_dict() for model in models)
    assert list(ours) == list(theirs)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    held = {type(module) for module in models[1].modules()}
    assert mine[BertAttention] in held
    assert (mine[BertPooler] in held) == any(type(m) is BertPooler for m in models[0].modules())


# A compiler follows the whole step: no graph breaks, and the same loss and gradient

PARTS = {"plain": dict, "fast": fast_parts, "checkpointed": lambda: {BertLayer: CheckpointedLayer}}
BATCH = draw_batch(SMALL, seed=3)
LABELS = ALL[1].labels(BATCH, seed=4)
WHOLE = {name: rows for name, rows in BATCH.items() if name != "attention_mask"}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("batch", [BATCH, WHOLE], ids=["mask", "no mask"])
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
def test_a_step_is_one_graph(kind, parts, batch):
    labels = LABELS if kind is BertForPreTraining else {"labels": LABELS["labels"]}
    torch._dynamo.reset()
    with override(PARTS[parts]()):
        model = build(SMALL, kind=kind)
    found = []
    for each in (model, torch.compile(model, fullgraph=True, backend="eager")):
        model.zero_grad()
        loss = each(**batch, **labels).loss
        loss.backward()
        found.append([loss, *(p.grad for p in model.parameters() if p.grad is not None)])
    for eager, compiled in zip(*found, strict=True):
        close(compiled, eager, atol=1e-12)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_a_loss_of_a_task_is_one_graph_and_needs_no_entry(task):
    torch._dynamo.reset()
    model, labels = build(SMALL, kind=task.kind, **task.task), task.labels(BATCH, 0)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    close(compiled(**BATCH, **labels).loss, model(**BATCH, **labels).loss, atol=1e-12)
    somewhere = {name: values.to("meta") for name, values in (BATCH | labels).items()}
    assert model.to("meta")(**somewhere).loss.shape == ()


# Less memory, fewer bits: what each of them keeps, and what it gives up

LABELED = BATCH | {"labels": LABELS["labels"]}
LOW = {nn.LayerNorm: LowPrecisionLayerNorm}


@pytest.mark.parametrize("extra", [{nn.Dropout: FAST_PARTS[nn.Dropout]}, {}])
def test_a_layer_that_forgets_gives_the_same_gradient_and_keeps_less(extra):
    """With dropout, too: the second time it draws what it drew the first time."""
    found, kept = [], []
    for parts in ({}, {BertLayer: CheckpointedLayer}):
        with override(parts | extra):
            model = build(SMALL).train()
        torch.manual_seed(4)
        sizes = []
        with saved_tensors_hooks(lambda x, to=sizes: to.append(x.numel()) or x, lambda x: x):
            output = model(**BATCH).last_hidden_state
        output.square().sum().backward()
        kept.append(sum(sizes))
        found.append([output, *(p.grad for p in model.parameters() if p.grad is not None)])
    for plain, again in zip(*found, strict=True):
        assert torch.equal(plain, again)
    assert kept[1] < kept[0] / 4


def test_mean_and_variance_are_computed_in_32_bits():
    """Sums of 256 numbers near 300 would lose all that matters in bfloat16, with its 8 digits."""
    x = 300 + 8 * torch.randn(50, 256, generator=torch.Generator().manual_seed(0))
    assert torch.equal(LowPrecisionLayerNorm(256)(x), nn.LayerNorm(256)(x))
    x = x.bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        y = LowPrecisionLayerNorm(256)(x)
    exact = nn.LayerNorm(256, dtype=torch.float64)(x.double())
    assert y.dtype == torch.bfloat16
    assert ((y - exact).abs() <= 2**-8 * exact.abs() + 1e-4).all()
    rough = x - x.mean(-1, keepdim=True)  # the mean rounded to bfloat16
    rough = rough / rough.double().std(-1, correction=0, keepdim=True)
    assert ((rough - exact).abs() > 2**-8 * exact.abs() + 1e-4).any()


@pytest.mark.usefixtures("unchecked")
def test_the_vectors_have_16_bits_and_the_gradient_is_as_near_as_that_of_autocast():
    gradients, outputs = [], []
    for parts, enabled in (({}, False), ({}, True), (LOW, True)):
        with override(parts):
            model = build(SMALL, kind=BertForMaskedLM, dtype=torch.float32)
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            outputs.append(model(**LABELED, output_hidden_states=True))
        outputs[-1].loss.backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    _, usual, low = outputs
    assert {x.dtype for x in usual.hidden_states} == {torch.float32}
    assert {x.dtype for x in low.hidden_states} == {torch.bfloat16}
    close(low.loss.float(), usual.loss.float(), atol=0.05)
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    with torch.autocast("cpu", torch.bfloat16):
        close(compiled(**LABELED).loss.float(), low.loss.float(), atol=0.05)
    exact, *near = gradients
    off = [((each - exact).norm() / exact.norm()).item() for each in near]
    assert 0 < off[1] < 3 * off[0] < 0.1


def test_eight_bits_are_off_by_half_a_scale_and_whole_numbers_are_multiplied_exactly():
    x = torch.randn(2, 3, 16, generator=torch.Generator().manual_seed(0))
    x[1, 0] = 0
    numbers, scale = quantize(x.flatten(0, 1))
    assert numbers.dtype == torch.int8
    assert numbers.abs().amax(dim=1).tolist() == [127, 127, 127, 0, 127, 127]
    assert ((numbers * scale - x.flatten(0, 1)).abs() <= scale / 2 + 1e-7).all()
    linear = nn.Linear(16, 8)
    weights, weight_scale = quantize(linear.weight.detach())
    expected = (numbers.double() @ weights.double().T) * scale * weight_scale.T + linear.bias
    close(EightBitLinear(linear)(x), expected.float().unflatten(0, (2, 3)), atol=1e-6)
    close(EightBitLinear(linear)(x), linear(x), atol=0.05)
    linear = nn.Linear(16, 8, bias=False)
    nn.init.constant_(linear.weight, 0.5)
    close(EightBitLinear(linear)(torch.ones(2, 16)), torch.full((2, 8), 8.0), atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_model_in_eight_bits_is_a_copy_that_gives_nearly_the_same(dtype):
    model = build(SMALL, dtype=torch.float32).train()
    small = in_eight_bits(model)
    assert all(part.training for part in model.modules())
    assert not any(part.training or isinstance(part, nn.Linear) for part in small.modules())
    with torch.no_grad():
        both = [each(**BATCH).last_hidden_state for each in (model.eval(), small)]
    real = BATCH["attention_mask"] == 1
    assert torch.cosine_similarity(*(states[real] for states in both), dim=-1).min() > 0.99
    with pytest.raises(RuntimeError, match="does not require grad"):
        small(**BATCH).last_hidden_state.sum().backward()
    linear = nn.Linear(768, 3).to(dtype)
    linear.weight.data.fill_(0.05)
    x = torch.ones(2, 5, 768, dtype=dtype)
    y = in_eight_bits(nn.Sequential(linear))(x)
    assert y.dtype == dtype
    close(y.float(), linear(x).float(), 0.3)  # of 38: the last digit of bfloat16
