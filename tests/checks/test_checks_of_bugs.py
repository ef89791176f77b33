"""Chapter 26: usual ways to rename words wrongly are named, and changes break what is said."""

import pytest
import torch

from bertbook.core.exercises.mistake import as_mistakes, rewritten
from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants
from bertbook.museum.stepwise import Attention
from bertbook.topics.bugs.broken_models import _RENAMED, _renamed, check_renamed
from bertbook.topics.bugs.checks import check_falling
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.model import BertModel, BertModelOutput
from minibert.parts import override

MISTAKES = as_mistakes(_RENAMED)
pytestmark = pytest.mark.slow


def test_a_usual_way_to_rename_words_wrongly_gets_its_hint():
    assert check_renamed(_renamed).passed
    told = [check_renamed(rewritten(_renamed, mistake.wrong)).message for mistake in MISTAKES]
    assert told == [f"Not yet. {mistake.hint}" for mistake in MISTAKES]
    assert len(MISTAKES) >= 17


class Mean(BertModel):
    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        return output._replace(pooler_output=output.last_hidden_state.mean(dim=1))


class Sort(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        order = (input_ids != 0).sum(dim=1).argsort(stable=True)
        given = (x if x is None else x[order] for x in (input_ids, attention_mask, token_type_ids))
        return BertModelOutput(super().forward(*given).last_hidden_state)


class Rootless(Attention):
    def weigh(self, scores, mask):
        return super().weigh(scores * self.head_size**0.5, mask)


class Root(BertModel):
    def __init__(self, config, add_pooling_layer=True):
        with override({BertSelfAttention: Rootless}):
            super().__init__(config, add_pooling_layer)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("name", "model"), [("mean", Mean), ("root", Root), ("sort", Sort)])
def test_what_fails_is_what_fails(name, model):
    torch.manual_seed(0)
    fallen = set(check_invariants(model(BertConfig(**SIZES), False)).broken)
    assert fallen == check_falling.right(name)
