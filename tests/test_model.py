"""The encoder as a whole: what it returns, precision, and words for bad input."""

import copy
import dataclasses

import pytest
import torch
from bert_pairs import SMALL, build, close, draw, draw_batch, scatter_weights

from minibert.model import BertModel, initialize_weights

BATCH = draw_batch(SMALL, seed=0)


def test_a_part_can_be_initialized_alone_and_layer_norm_anew():
    dense, norm = torch.nn.Linear(50, 50, bias=False), torch.nn.LayerNorm(3)
    torch.manual_seed(0)
    initialize_weights(dense, 3.0)
    assert 2.5 < dense.weight.std() < 3.5
    scatter_weights(norm, seed=0)
    initialize_weights(norm, 0.5)
    assert (norm.weight == 1).all() and (norm.bias == 0).all()


def test_only_what_is_asked_for_is_returned():
    model = build(SMALL)
    output = model(**BATCH)
    assert output.hidden_states is output.attentions is None
    states = model(**BATCH, output_hidden_states=True)
    assert states.attentions is None and len(states.hidden_states) == 3
    attentions = model(**BATCH, output_attentions=True)
    assert attentions.hidden_states is None and len(attentions.attentions) == 2
    close(attentions.last_hidden_state, output.last_hidden_state)


def test_without_a_pooler():
    model = BertModel(SMALL, add_pooling_layer=False)
    assert not any(name.startswith("pooler") for name in model.state_dict())
    assert model(**BATCH).pooler_output is None
    whole = build(SMALL)
    kept = {k: v for k, v in whole.state_dict().items() if not k.startswith("pooler")}
    model.double().eval().load_state_dict(kept, strict=True)
    output = model(**BATCH, output_attentions=True)
    close(output.last_hidden_state, whole(**BATCH).last_hidden_state)
    assert len(output.attentions) == 2


def test_bfloat16_autocast_stays_near_and_learns():
    model = build(SMALL, dtype=torch.float32)
    seen = BATCH["attention_mask"].clone()
    seen[1] = 0
    exact = model(BATCH["input_ids"], seen)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = model(BATCH["input_ids"], seen)
    assert rough.last_hidden_state.isfinite().all()
    close(rough.last_hidden_state.float(), exact.last_hidden_state, 0.2)
    rough.last_hidden_state.float().square().sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_lower_precision_stays_near(dtype):
    exact = build(SMALL)(**BATCH).last_hidden_state
    with torch.no_grad():
        rough = build(SMALL, dtype=dtype)(**BATCH).last_hidden_state
    assert rough.dtype == dtype
    close(rough.double(), exact, {torch.float32: 1e-5}.get(dtype, 0.2))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
@pytest.mark.parametrize("training", [True, False])
def test_a_gpu_gives_the_same_numbers(training):
    config = dataclasses.replace(SMALL, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = build(config, dtype=torch.float32).train(training)
    expected = model(**BATCH, output_attentions=True)
    batch = {name: values.cuda() for name, values in BATCH.items()}
    output = copy.deepcopy(model).cuda()(**batch, output_attentions=True)
    close(output.last_hidden_state.cpu(), expected.last_hidden_state, 1e-4)
    close(output.attentions[1].cpu(), expected.attentions[1], 1e-4)
    assert build(SMALL).cuda().train()(**batch).pooler_output.isfinite().all()


IDS, VECTORS = BATCH["input_ids"], draw(4, 6, 12)
BAD = [
    ({"input_ids": IDS + 41}, ValueError, r"input_ids run from 0 to 40 .* = 41, not \d+"),
    ({}, ValueError, "give either input_ids or inputs_embeds"),
    ({"input_ids": IDS, "inputs_embeds": VECTORS}, ValueError, "give either"),
    ({"inputs_embeds": VECTORS.long()}, TypeError, r"be torch\.float32 .*, not torch\.int64"),
    ({"inputs_embeds": VECTORS[..., 1:]}, ValueError, r"\(batch, seq, 12\), not \(4, 6, 11\)"),
    ({"inputs_embeds": draw(1, 14, 12)}, ValueError, r"14 tokens .* \(13\); truncate"),
    ({"inputs_embeds": VECTORS, "attention_mask": torch.ones(4, 5)}, ValueError,
     r"attention_mask .* \(4, 6\), not \(4, 5\)"),
    ({"input_ids": IDS, "attention_mask": IDS[:1]}, ValueError, r"attention_mask .*not \(1, \d+"),
    ({"input_ids": IDS, "attention_mask": [[1]]}, TypeError, "attention_mask must be a tensor, no"),
    ({"input_ids": IDS, "attention_mask": IDS}, ValueError, r"attention_mask is 1, or 0 .*, not"),
]  # fmt: skip


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_bad_input_is_answered_in_words(given, error, words):
    with pytest.raises(error, match=words):
        build(SMALL)(**given)
