"""Less memory, fewer bits, a smaller student: what each of them keeps, and what it gives up."""

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_labels
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from minibert.fast import (
    FAST_PARTS,
    CheckpointedLayer,
    EightBitLinear,
    LowPrecisionLayerNorm,
    in_eight_bits,
    quantize,
)
from minibert.layer import BertLayer
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM

BATCH = draw_batch(SMALL, seed=3)
LABELED = BATCH | {"labels": draw_labels(SMALL, BATCH, seed=4)["labels"]}
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
