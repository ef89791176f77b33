"""What may pay on a GPU computes the same: loss, gradient, and the names of the weights."""

import math

import pytest
import torch
from bert_pairs import SMALL, build, close
from test_packed import LENGTHS, SHAPE, draw_rows, loss_and_gradient

from benchmarks.gpu_candidates import (
    OneProductSelfAttention,
    aligned_word_loss,
    chunked_word_loss,
    padded_table,
)
from minibert.attention import BertSelfAttention
from minibert.fast import PackedMaskedLM, UnpaddedSelfAttention, pack
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM

pytestmark = pytest.mark.usefixtures("unchecked")
CANDIDATES = {  # by name: the attention that plays, and what else the model for training takes
    "one product": (OneProductSelfAttention, {}),
    "vocabulary padded": (UnpaddedSelfAttention, {"word_loss": aligned_word_loss}),
    "loss in chunks": (UnpaddedSelfAttention, {"word_loss": chunked_word_loss}),
}
PLAIN = UnpaddedSelfAttention, {}


def packed(candidate, dtype=torch.float64):
    attention, loss = candidate
    with override({BertSelfAttention: attention}):
        return PackedMaskedLM(build(SMALL, kind=BertForMaskedLM, dtype=dtype), **loss)


def need_chunks(name):
    if name == "loss in chunks" and not hasattr(torch.nn.functional, "linear_cross_entropy"):
        pytest.skip("PyTorch has linear_cross_entropy from 2.13 on")


@pytest.mark.parametrize("name", CANDIDATES)
def test_a_candidate_has_the_loss_and_the_gradient_of_the_plain_part(name):
    need_chunks(name)
    batch = pack(draw_rows(LENGTHS), SHAPE)
    plain, fast = (loss_and_gradient(packed(each), batch) for each in (PLAIN, CANDIDATES[name]))
    for ours, theirs in zip(fast, plain, strict=True):
        close(ours, theirs, atol=1e-7 if name == "loss in chunks" else 1e-12)
    assert packed(CANDIDATES[name]).state_dict().keys() == packed(PLAIN).state_dict().keys()


def test_words_that_fill_up_the_vocabulary_are_never_expected():
    head = packed(PLAIN).model.cls.predictions
    weight, bias = padded_table(head)
    assert weight.shape == (64, SMALL.hidden_size) and len(bias) == 64
    scores = torch.randn(3, SMALL.hidden_size).double() @ weight.T + bias
    assert (scores.softmax(-1)[:, SMALL.vocab_size :] == 0).all()


@pytest.mark.parametrize("name", ["vocabulary padded", "loss in chunks"])
def test_in_bfloat16_the_loss_is_finite_and_near(name):
    need_chunks(name)
    batch = pack(draw_rows(LENGTHS), SHAPE)
    exact = packed(PLAIN, torch.float32)(**batch).loss.item()
    with torch.autocast("cpu", torch.bfloat16):
        rough = packed(CANDIDATES[name], torch.float32)(**batch).loss.item()
    assert math.isfinite(rough) and abs(rough - exact) < 0.1


def test_the_loss_in_chunks_keeps_no_scores():
    need_chunks("loss in chunks")
    batch, kept = pack(draw_rows(LENGTHS), SHAPE), {}
    for name, each in (("plain", PLAIN), ("chunked", CANDIDATES["loss in chunks"])):
        shapes, model = [], packed(each)
        with torch.autograd.graph.saved_tensors_hooks(
            lambda x, shapes=shapes: shapes.append(x.shape) or x, lambda x: x
        ):
            model(**batch)
        kept[name] = any(shape == (SHAPE.labels, SMALL.vocab_size) for shape in shapes)
    assert kept == {"plain": True, "chunked": False}
