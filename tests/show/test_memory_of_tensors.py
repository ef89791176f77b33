"""What a computation holds at once: every tensor until it is given back, and no view."""

import itertools

import pytest
import torch

from bertbook.topics.many_heads.memory import peak_bytes
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig

X = torch.ones(10, 10)  # 400 bytes


def in_steps():
    a = X + 1
    b = a * 2
    del a
    return b.exp().sum()


@pytest.mark.parametrize(
    ("run", "most"),
    [
        (lambda: X.view(100)[3:].unsqueeze(0), 0),
        (lambda: X.clone().add_(1).mul_(2), 400),
        (lambda: len([X + 1 for _ in range(5)]), 2000),
        (in_steps, 400 + 400 + 4),  # b, its exp, and their sum
    ],
)
def test_a_count_by_hand(run, most):
    assert [peak_bytes(run) for _ in range(2)] == [most, most]


def test_a_gradient_keeps_what_its_way_back_needs():
    weight = torch.ones(10, 10, requires_grad=True)

    def forward():
        x = X
        for _ in range(4):
            x = (x @ weight).exp()
        return x

    with torch.no_grad():
        without = peak_bytes(forward)
    assert without == 1200  # what went in, the product and its exp
    assert peak_bytes(forward) == 400 * (4 + 1)  # each exp is kept, and one product in flight


def test_the_profiler_sees_the_same():
    attention = BertSelfAttention(BertConfig.tiny(vocab_size=9)).eval()
    x = torch.randn(2, 50, attention.query.in_features)
    with torch.no_grad():
        counted = peak_bytes(lambda: attention(x))
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
            attention(x)
    found = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
    found.sort(key=lambda event: event.start_ns())
    assert counted == max(itertools.accumulate(event.nbytes() for event in found))
