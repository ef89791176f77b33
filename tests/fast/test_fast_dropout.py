"""Dropout: the rate, the scale, independence, the gradient; and the two degenerate rates."""

import math

import pytest
import torch

from minibert.fast.dropout import FastDropout

MILLION = 2**20


@pytest.fixture(autouse=True)
def fixed_chance():
    torch.manual_seed(0)


def dropped(p, n=MILLION):
    """Say which of n entries were dropped."""
    return FastDropout(p)(torch.ones(n)) == 0


def test_outside_training_and_at_the_rate_0_nothing_happens_and_at_the_rate_1_all_goes():
    x = torch.randn(3, 4, requires_grad=True)
    for nothing in (FastDropout(0.1).eval(), FastDropout(1.0).eval(), FastDropout(0.0)):
        assert nothing(x) is x
    y = FastDropout(1.0)(x)
    assert not y.any()
    assert not torch.autograd.grad(y.sum(), x)[0].any()


@pytest.mark.parametrize("p", [0.999992, 0.999993, 1 - 2**-17, 1 - 2**-30, 1e-6])
def test_a_rate_next_to_0_or_1_leaves_a_finite_number_or_none(p):
    x = torch.ones(1000, requires_grad=True)
    y = FastDropout(p)(x)
    y.sum().backward()
    assert y.isfinite().all() and torch.equal(x.grad, y)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 1 / 3])
def test_what_remains_is_scaled_by_the_rounded_rate(p):
    x = torch.randn(1000, dtype=torch.float64)
    y = FastDropout(p)(x)
    kept = y != 0
    rounded = round(p * 65536) / 65536
    torch.testing.assert_close(y[kept], x[kept] / (1 - rounded), rtol=1e-12, atol=0)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.999])
def test_the_share_dropped_is_the_rate(p):
    share = dropped(p).double().mean().item()
    assert abs(share - p) < 4.5 * math.sqrt(p * (1 - p) / MILLION) + 1 / 65536


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_the_four_entries_of_one_draw_know_nothing_of_each_other(p):
    lanes = dropped(p).double().view(-1, 4)
    spread = math.sqrt(p * (1 - p))
    assert ((lanes.mean(dim=0) - p).abs() < 4.5 * spread / 512).all()
    normal = (lanes - p) / spread
    same_draw = normal.T @ normal / len(lanes) - torch.eye(4)
    next_draw = normal[:-1].T @ normal[1:] / len(lanes)
    for correlations in (same_draw, next_draw):
        assert (correlations.abs() < 0.012).all(), correlations


def test_the_gradient_passes_where_the_number_did():
    x = torch.randn(50, dtype=torch.float64, requires_grad=True)
    y = FastDropout(0.4)(x)
    (grad,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(grad * x, y, rtol=1e-12, atol=0)


def test_chance_is_torchs_and_goes_on():
    x = torch.ones(40)
    first, second = FastDropout(0.5)(x), FastDropout(0.5)(x)
    torch.manual_seed(0)
    again = FastDropout(0.5)(x)
    assert torch.equal(first, again)
    assert not torch.equal(first, second)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (4,), (5,), (2, 3, 7), (0,), (3, 0)])
def test_any_shape_and_elsewhere_than_on_a_cpu_pytorchs_own(shape):
    assert FastDropout(0.5)(torch.ones(shape)).shape == shape
    assert FastDropout(0.5)(torch.ones(shape, device="meta")).device.type == "meta"


def test_an_input_that_is_not_contiguous_is_not_changed():
    x = torch.randn(6, 5).T
    before, y = x.clone(), FastDropout(0.5)(x)
    assert y.shape == (5, 6)
    assert ((y == 0) | ((y - 2 * x).abs() < 1e-6)).all()
    assert torch.equal(x, before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_the_precision_stays(dtype):
    y = FastDropout(0.5)(torch.ones(100, dtype=dtype))
    assert y.dtype == dtype
    assert set(y.tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_a_rate_that_is_none(p):
    with pytest.raises(ValueError, match=f"{p}"):
        FastDropout(p)


def test_the_gradient_keeps_one_byte_per_entry():
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        FastDropout(0.1)(torch.randn(20, 50, requires_grad=True))
    assert sum(x.nbytes for x in kept) == 20 * 50
