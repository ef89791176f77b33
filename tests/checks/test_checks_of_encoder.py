"""The exercises of Chapter 10: right answers pass, and a model may be wrong in one way only."""

import numpy as np
import pytest

from bertbook.checks.encoder import check_one_red_line, check_stream
from minibert.model import BertModel

pytestmark = pytest.mark.usefixtures("unchecked")


def stream(states):
    """Right, and written as a loop over the steps."""
    rows = []
    for before, after in zip(states, states[1:]):
        length = np.sqrt(np.square(before).sum())
        lengths = np.sqrt(np.square(after).sum() * np.square(states[0]).sum())
        rows.append(
            (np.sqrt(np.square(after - before).sum()) / length, after @ states[0] / lengths)
        )
    return rows


def test_right_answers_pass_however_they_are_written():
    verdict = check_stream(stream)
    assert verdict.passed, verdict


class WideStart(BertModel):
    """Draw the first weights too wide, and be right otherwise."""

    def __init__(self, config, add_pooling_layer=True):
        super().__init__(config, add_pooling_layer)
        if not any(p.is_meta for p in self.parameters()):
            for parameter in self.parameters():
                parameter.data.mul_(5)


class Detached(BertModel):
    """Let no gradient pass, and give the right numbers."""

    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        return output._replace(pooler_output=output.pooler_output.detach())


class Maskless(BertModel):
    """Look at padding."""

    def _additive_mask(self, attention_mask, hidden_states):
        return None


@pytest.mark.parametrize(
    ("bert", "line"),
    [
        (WideStart, "Weights start at random, and small"),
        (Detached, "Equal to ours: all gradients"),
    ],
)
def test_one_red_line_is_right(bert, line):
    verdict = check_one_red_line(bert)
    assert verdict.passed, verdict
    assert verdict.message == f"Right: of {bert.__name__} one line is red, {line!r}."


@pytest.mark.parametrize(
    ("bert", "words"),
    [
        (BertModel, "All lines of BertModel are green. What does it do wrongly?"),
        (Maskless, "4 lines of Maskless are red. The first, 'Padding changes nothing', says: What"),
    ],
)
def test_none_or_several_are_not(bert, words):
    verdict = check_one_red_line(bert)
    assert not verdict.passed
    assert words in verdict.message
