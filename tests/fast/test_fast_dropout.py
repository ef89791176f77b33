"""Dropout: the rate, the scale, independence, the gradient; and the two degenerate rates."""

import math

import pytest
import torch

from minibert.fast.dropout import FastDropout

MILLION = 2**20


@pytest.fixture(autouse=True)
def fixed_chance():
    torch.manual_seed(0)


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
    lanes = (FastDropout(p)(torch.ones(MILLION)) == 0).double().view(-1, 4)
    spread = math.sqrt(p * (1 - p))
    assert abs(lanes.mean().item() - p) < 4.5 * spread / math.sqrt(MILLION) + 1 / 65536
    assert ((lanes.mean(dim=0) - p).abs() < 4.5 * spread / 512).all()
    normal = (lanes - p) / spread
    same_draw = normal.T @ normal / len(lanes)
    next_draw = normal[:-1].T @ normal[1:] / len(lanes)
    for correlations in (same_draw.fill_diagonal_(0), next_draw):
        assert (correlations.abs() < 0.012).all(), correlations


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


def test_the_gradient_keeps_one_byte_per_entry():
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x) or x, lambda x: x):
        FastDropout(0.1)(torch.randn(20, 50, requires_grad=True))
    assert sum(x.nbytes for x in kept) == 20 * 50
