"""A model that is wrong in one way only, in Chapter 10."""

import pytest

from bertbook.topics.encoder.checks import check_one_red_line
from minibert.model import BertModel

pytestmark = pytest.mark.usefixtures("unchecked")


class WideStart(BertModel):
    """Draw the first weights too wide, and be right otherwise."""

    def __init__(self, config, add_pooling_layer=True):
        super().__init__(config, add_pooling_layer)
        if not any(p.is_meta for p in self.parameters()):
            for parameter in self.parameters():
                parameter.data.mul_(5)


class Maskless(BertModel):
    """Look at padding."""

    def _additive_mask(self, attention_mask, hidden_states):
        return None


class Forgetful(BertModel):
    """Hand on what comes by its name, and nothing else."""

    def forward(self, *given, **named):
        return super().forward(*given[:2], **named)


def test_one_red_line_is_right():
    verdict = check_one_red_line(WideStart)
    assert verdict.passed, verdict
    said = "Right: of WideStart one line is red, 'Weights start at random, and small'."
    assert verdict.message == said


@pytest.mark.parametrize(
    ("bert", "words"),
    [
        (BertModel, "All lines of BertModel are green. What does it do wrongly?"),
        (Maskless, "4 lines of Maskless are red. The first, 'Padding changes nothing', says: What"),
        (Maskless, "Red, too: 'Equal to ours: all outputs', 'Equal to ours: all gradients', "
         "'Equal to ours: in training'. Which change leaves these as they are?"),
        (Forgetful, "it should be a tuple of 3 values. Does forward hand on all that it gets?"),
    ],
)  # fmt: skip
def test_none_or_several_are_not(bert, words):
    verdict = check_one_red_line(bert)
    assert not verdict.passed
    assert words in verdict.message
