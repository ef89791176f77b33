"""The encoder as a whole: its start, what it returns, precision, and words for bad input."""

import copy
import dataclasses
import math

import pytest
import torch
from bert_pairs import KINDS, SMALL, build, close, draw_batch, scatter_weights

from minibert.config import BertConfig
from minibert.model import BertModel, initialize_weights

BATCH = draw_batch(SMALL, seed=0)


def test_weights_start_normal_with_the_configured_spread_and_layer_norm_as_the_identity():
    torch.manual_seed(0)
    model = BertModel(BertConfig.tiny(vocab_size=2000, initializer_range=0.05, pad_token_id=3))
    assert not model.embeddings.word_embeddings.weight[3].any()
    for name, parameter in model.named_parameters():
        weights = parameter.detach().double().flatten()
        if name.endswith("LayerNorm.weight"):
            assert (weights == 1).all(), name
        elif name.endswith("bias"):
            assert (weights == 0).all(), name
        elif len(weights) > 1000:
            n, weights = len(weights), weights[weights != 0]
            assert len(weights) >= n - 128  # those of the padding row
            assert abs(weights.mean()) < 4.5 * 0.05 / math.sqrt(n), name
            assert abs(weights.std() / 0.05 - 1) < 4.5 / math.sqrt(2 * n), name
            kurtosis = ((weights / weights.std()) ** 4).mean()
            assert abs(kurtosis - 3) < 4.5 * math.sqrt(24 / n), f"{name} is not normal"


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


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_returns_no_more_than_its_encoder_and_by_names(kind):
    output = build(SMALL, kind=kind)(**BATCH)
    assert output.hidden_states is output.attentions is None


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


IDS = BATCH["input_ids"]
BAD = [
    ({"input_ids": IDS + 41}, ValueError, r"input_ids run from 0 to 40 .* = 41, not \d+"),
    ({"input_ids": IDS * 0 - 1}, ValueError, r"input_ids run from 0 to 40 .* = 41, not -1"),
    ({"token_type_ids": IDS[:, 1:]}, ValueError, r"token_type_ids .*\(4, \d+\), not \(4, \d"),
    ({"position_ids": IDS * 0 + 13}, ValueError, "position_ids run from 0 to 12 .* = 13, not 13"),
    ({"attention_mask": IDS[:1]}, ValueError, r"attention_mask must .*\(4, \d+\), not \(1, \d+\)"),
    ({"attention_mask": [[1]]}, TypeError, "attention_mask must be a tensor, not a list"),
    ({"attention_mask": IDS}, ValueError, r"attention_mask is 1, or 0 .*, not \d+"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "error", "words"), BAD)
def test_bad_input_is_answered_in_words(changes, error, words):
    with pytest.raises(error, match=words):
        build(SMALL)(**{"input_ids": IDS} | changes)
