"""LayerNorm in 16 bits: sums in 32, what it returns in 16, the gradient as near as autocast's."""

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_labels
from torch import nn

from minibert.fast import LowPrecisionLayerNorm
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM

BATCH = draw_batch(SMALL, seed=3)
BATCH["labels"] = draw_labels(SMALL, BATCH, seed=4)["labels"]
LOW = {nn.LayerNorm: LowPrecisionLayerNorm}


def test_without_autocast_it_is_layer_norm():
    x = torch.randn(4, 7, generator=torch.Generator().manual_seed(0))
    assert torch.equal(LowPrecisionLayerNorm(7)(x), nn.LayerNorm(7)(x))


def test_mean_and_variance_are_computed_in_32_bits():
    """Sums of 256 numbers near 300 would lose all that matters in bfloat16, with its 8 digits."""
    x = 300 + 8 * torch.randn(50, 256, generator=torch.Generator().manual_seed(0))
    x = x.bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        y = LowPrecisionLayerNorm(256)(x)
    exact = nn.LayerNorm(256, dtype=torch.float64)(x.double())
    assert y.dtype == torch.bfloat16
    assert ((y - exact).abs() <= 2**-8 * exact.abs() + 1e-4).all()
    rough = x - x.mean(-1, keepdim=True)  # the mean rounded to bfloat16
    rough = rough / rough.double().std(-1, correction=0, keepdim=True)
    assert ((rough - exact).abs() > 2**-8 * exact.abs() + 1e-4).any()


def gradient(parts, autocast):
    with override(parts):
        model = build(SMALL, kind=BertForMaskedLM, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        output = model(**BATCH, output_hidden_states=True)
    output.loss.backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()]), output


def test_the_vectors_between_the_layers_have_16_bits():
    _, usual = gradient({}, autocast=True)
    _, low = gradient(LOW, autocast=True)
    assert {x.dtype for x in usual.hidden_states} == {torch.float32}
    assert {x.dtype for x in low.hidden_states} == {torch.bfloat16}
    close(low.loss.float(), usual.loss.float(), atol=0.05)


def test_the_gradient_is_as_near_as_that_of_autocast():
    exact, usual, low = (
        gradient(parts, autocast)[0] for parts, autocast in (({}, False), ({}, True), (LOW, True))
    )
    off = [((each - exact).norm() / exact.norm()).item() for each in (usual, low)]
    assert 0 < off[1] < 3 * off[0] < 0.1


@pytest.mark.usefixtures("unchecked")
def test_a_compiler_follows():
    torch._dynamo.reset()
    with override(LOW):
        model = build(SMALL, kind=BertForMaskedLM, dtype=torch.float32)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    with torch.autocast("cpu", torch.bfloat16):
        close(compiled(**BATCH).loss.float(), model(**BATCH).loss.float(), atol=0.05)
