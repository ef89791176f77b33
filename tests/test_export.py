"""Compiled and exported: one graph for batches of every size, with every input."""

import itertools

import pytest
import torch
from bert_pairs import SMALL, build, close
from effort import mostly_thorough
from torch._dynamo.testing import CompileCounter

from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM
from minibert.tasks import BertForSequenceClassification

pytestmark = pytest.mark.usefixtures("unchecked", "fresh_compiler")
every_kind = pytest.mark.parametrize(
    "kind", mostly_thorough([BertForSequenceClassification, BertModel, BertForMaskedLM])
)


@pytest.fixture
def fresh_compiler():
    """Let the compiler forget what it has seen, so that no test depends on another."""
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def draw_inputs(batch, seq, padded=True):
    """Draw ids, a mask and segments; the last token of every row is padding if asked for."""
    generator = torch.Generator().manual_seed(100 * batch + seq)
    ids = torch.randint(1, SMALL.vocab_size, (batch, seq), generator=generator)
    mask = torch.ones_like(ids)
    mask[:, -1] = 0 if padded else 1
    return ids, mask, torch.randint(2, (batch, seq), generator=generator)


@pytest.mark.slow
@every_kind
def test_three_graphs_are_enough_for_every_length_and_all_that_is_asked_for(kind):
    model, counter = build(SMALL, kind=kind), CompileCounter()
    compiled = torch.compile(model, backend=counter, dynamic=True, fullgraph=True)
    with torch.no_grad():
        for batch, seq in itertools.product((2, 3), range(3, 14)):
            output = compiled(*draw_inputs(batch, seq), output_attentions=True)
    assert 1 <= counter.frame_count <= 3
    close(output.attentions[1], model(*draw_inputs(3, 13), output_attentions=True).attentions[1])


@pytest.mark.slow
@every_kind
def test_an_exported_model_takes_every_size(kind):
    model = build(SMALL, kind=kind)
    sizes = {0: torch.export.Dim("batch", max=64), 1: torch.export.Dim("seq", min=2, max=13)}
    exported = torch.export.export(model, draw_inputs(3, 6), dynamic_shapes=(sizes,) * 3)
    for batch, seq, padded in itertools.product((1, 2, 5), (2, 7, 13), (True, False)):
        inputs = draw_inputs(batch, seq, padded)
        found, expected = exported.module()(*inputs), model(*inputs)
        for own, other in zip(found, expected, strict=True):
            if own is not None or other is not None:
                close(own, other)
