"""Compiled, exported, traced: one graph for batches of every size, with every input."""

import itertools

import pytest
import torch
from bert_pairs import SMALL, build, close
from effort import mostly_thorough
from torch import nn
from torch._dynamo.testing import CompileCounter

from minibert.attention import BertSelfAttention
from minibert.fast import FAST_PARTS, UnpaddedEncoder, UnpaddedSelfAttention
from minibert.model import BertEncoder, BertModel
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM
from minibert.tasks import BertForSequenceClassification

pytestmark = pytest.mark.usefixtures("unchecked", "fresh_compiler")
SIZES = [(1, 2), (2, 13), (5, 7)]
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


def same_numbers(run, model):
    """Fail unless a way to run the model gives its numbers, at sizes it has not seen."""
    for batch, seq in SIZES:
        for padded in (True, False):
            inputs = draw_inputs(batch, seq, padded)
            expected = [value for value in model(*inputs) if value is not None]
            found = [value for value in run(*inputs) if value is not None]
            for own, other in zip(found, expected, strict=True):
                close(own, other.detach(), 1e-12)


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
    same_numbers(exported.module(), model)


class Traceable(nn.Module):
    """The tracer of TorchScript takes tensors only: what is None is left out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        output = self.model(input_ids, attention_mask, token_type_ids)
        return tuple(value for value in output if value is not None)


UNPADDED = {BertEncoder: UnpaddedEncoder, BertSelfAttention: UnpaddedSelfAttention}


# PyTorch calls the tracer old, and says at every check of a shape that it will not be repeated.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("faster", [{BertSelfAttention: FAST_PARTS[BertSelfAttention]}, UNPADDED])
def test_a_traced_model_takes_every_size_and_sees_the_padding(faster, padded, tmp_path):
    with override(faster):
        model = build(SMALL, kind=BertForSequenceClassification)
    traced = torch.jit.trace(Traceable(model), draw_inputs(3, 6, padded))
    torch.jit.save(traced, tmp_path / "model.pt")
    same_numbers(torch.jit.load(tmp_path / "model.pt"), model)
