"""Less memory, fewer bits, a smaller student: what each of them keeps, and what it gives up."""

import os
import subprocess
import sys
import textwrap

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from minibert.fast import (
    FAST_PARTS,
    CheckpointedLayer,
    EightBitLinear,
    in_eight_bits,
    quantize,
)
from minibert.layer import BertLayer
from minibert.model import BertModel
from minibert.parts import override


@pytest.mark.parametrize("dropout", ["dropout", None])
def test_a_layer_that_forgets_gives_the_same_gradient(dropout):
    """With dropout, too: the second time it draws what it drew the first time."""
    extra = {nn.Dropout: FAST_PARTS[nn.Dropout]} if dropout else {}
    batch = draw_batch(SMALL, seed=3)
    found = []
    for parts in ({}, {BertLayer: CheckpointedLayer}):
        with override(parts | extra):
            model = build(SMALL).train()
        torch.manual_seed(4)
        output = model(**batch).last_hidden_state
        output.square().sum().backward()
        found.append([output, *(p.grad for p in model.parameters() if p.grad is not None)])
    for plain, again in zip(*found, strict=True):
        assert torch.equal(plain, again)


def kept_by(model):
    """Count the numbers that wait for the gradient."""
    sizes = []
    with saved_tensors_hooks(lambda x: sizes.append(x.numel()) or x, lambda x: x):
        model(**draw_batch(SMALL, seed=3))
    return sum(sizes)


def test_a_layer_that_forgets_keeps_less():
    kept = []
    for parts in ({}, {BertLayer: CheckpointedLayer}):
        with override(parts):
            model = build(SMALL)
        kept.append(kept_by(model))
    assert kept[1] < kept[0] / 4


def test_eight_bits_are_off_by_half_a_scale_at_most():
    x = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    x[3] = 0
    numbers, scale = quantize(x)
    assert numbers.dtype == torch.int8
    assert numbers.abs().amax(dim=1).tolist() == [127, 127, 127, 0, 127]
    assert ((numbers * scale - x).abs() <= scale / 2 + 1e-7).all()


def test_whole_numbers_are_multiplied_exactly_and_a_layer_without_a_bias_stays_without():
    linear = nn.Linear(16, 8)
    inside = EightBitLinear(linear)
    x = torch.randn(2, 3, 16, generator=torch.Generator().manual_seed(0))
    numbers, scale = quantize(x.flatten(0, 1))
    weights, weight_scale = quantize(linear.weight.detach())
    expected = (numbers.double() @ weights.double().T) * scale * weight_scale.T + linear.bias
    close(inside(x), expected.float().unflatten(0, (2, 3)), atol=1e-6)
    close(inside(x), linear(x), atol=0.05)
    linear = nn.Linear(16, 8, bias=False)
    nn.init.constant_(linear.weight, 0.5)
    close(EightBitLinear(linear)(torch.ones(2, 16)), torch.full((2, 8), 8.0), atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["AVX2", "DEFAULT"])
def test_products_are_right_on_older_processors_too(limit):
    """PyTorch's own product is silently wrong without the instructions for eight bits."""
    program = """
        import torch
        from minibert.fast.eight_bits import EightBitLinear
        x = torch.full((4, 64), 0.5)
        linear = torch.nn.Linear(64, 8)
        torch.nn.init.ones_(linear.weight)
        torch.nn.init.zeros_(linear.bias)
        assert (EightBitLinear(linear)(x) - 32).abs().max() < 1e-3
    """
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=os.environ | {"ONEDNN_MAX_CPU_ISA": limit},
        check=True,
    )


def test_a_model_in_eight_bits_is_a_copy_that_gives_nearly_the_same():
    model = build(SMALL, kind=BertModel, dtype=torch.float32).train()
    small, batch = in_eight_bits(model), draw_batch(SMALL, seed=3)
    assert all(part.training for part in model.modules())
    assert not any(part.training for part in small.modules())
    model.eval()
    assert not any(isinstance(part, nn.Linear) for part in small.modules())
    assert any(isinstance(part, nn.Linear) for part in model.modules())
    real = batch["attention_mask"] == 1
    with torch.no_grad():
        both = [each(**batch).last_hidden_state[real] for each in (model, small)]
    assert torch.cosine_similarity(*both, dim=-1).min() > 0.99
    with pytest.raises(RuntimeError, match="does not require grad"):
        small(**batch).last_hidden_state.sum().backward()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_eight_bits_of_sixteen(dtype):
    linear = nn.Linear(768, 3).to(dtype)
    linear.weight.data.fill_(0.05)
    x = torch.ones(2, 5, 768, dtype=dtype)
    y = in_eight_bits(nn.Sequential(linear))(x)
    assert y.dtype == dtype
    close(y.float(), linear(x).float(), 0.3)  # of 38: the last digit of bfloat16
