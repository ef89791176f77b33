"""The encoder as a whole: its sizes, its start, its output, and its words for bad input."""

import copy
import dataclasses
import math

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_config, scatter_weights

from minibert.config import BertConfig
from minibert.model import BertModel, BertPooler, initialize_weights

BATCH = draw_batch(SMALL, seed=0)
SEEN = BATCH["attention_mask"] == 1


# --- Parameters ----------------------------------------------------------------------------------


def formula(config):
    """Count the parameters part by part, as Chapter 10 does."""
    hidden, wide = config.hidden_size, config.intermediate_size
    norm = 2 * hidden
    tables = config.vocab_size + config.max_position_embeddings + config.type_vocab_size
    attention = 4 * (hidden * hidden + hidden) + norm
    feed_forward = (hidden * wide + wide) + (wide * hidden + hidden) + norm
    return {
        "embeddings": tables * hidden + norm,
        "encoder": config.num_hidden_layers * (attention + feed_forward),
        "pooler": hidden * hidden + hidden,
    }


def on_paper(config):
    """Build a model that has shapes and no numbers, at once."""
    with torch.device("meta"):
        return BertModel(config)


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (BertConfig.base(), 109_482_240),
        (BertConfig.large(), 335_141_888),
        *((draw_config(seed), None) for seed in range(4)),
    ],
)
def test_parameters_by_formula_and_by_counting(config, total):
    parts = on_paper(config).named_children()
    counted = {name: sum(p.numel() for p in part.parameters()) for name, part in parts}
    assert counted == formula(config)
    assert total in (None, sum(counted.values()))


def test_the_shapes_of_bert_base_chinese():
    """我喜欢学习人工[MASK]: seven characters, [MASK], [CLS] and [SEP] are ten ids; [MASK] is 8."""
    tokens = ["[CLS]", *"我喜欢学习人工", "[MASK]", "[SEP]"]
    assert (len(tokens), tokens.index("[MASK]")) == (10, 8)
    model = on_paper(BertConfig.base(vocab_size=21128))
    ids = torch.zeros(1, len(tokens), dtype=torch.long, device="meta")
    asked = {"output_attentions": True, "output_hidden_states": True}
    output = model.eval()(ids, torch.ones_like(ids), **asked)
    assert [tuple(states.shape) for states in output.hidden_states] == 13 * [(1, 10, 768)]
    assert [tuple(probs.shape) for probs in output.attentions] == 12 * [(1, 12, 10, 10)]
    assert output.last_hidden_state.shape == (1, 10, 768)
    assert output.pooler_output.shape == (1, 768)


# --- The start -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fresh():
    torch.manual_seed(0)
    return BertModel(BertConfig.tiny(vocab_size=2000, initializer_range=0.05, pad_token_id=3))


def test_weights_start_normal_with_the_configured_spread(fresh):
    drawn = {
        name: p.detach().double().flatten()
        for name, p in fresh.named_parameters()
        if p.dim() == 2 and name != "embeddings.word_embeddings.weight"
    }
    words = fresh.embeddings.word_embeddings.weight.detach().double()
    drawn["words"] = torch.cat([words[:3], words[4:]]).flatten()
    assert len(drawn) == 2 + 2 * 6 + 1 + 1
    for name, weights in drawn.items():
        n = len(weights)
        if n < 1000:
            assert 0.03 < weights.std() < 0.07, name
            continue
        assert abs(weights.mean()) < 4.5 * 0.05 / math.sqrt(n), name
        assert abs(weights.std() / 0.05 - 1) < 4.5 / math.sqrt(2 * n), name
        kurtosis = ((weights / weights.std()) ** 4).mean()
        assert abs(kurtosis - 3) < 4.5 * math.sqrt(24 / n), f"{name} is not normal"


def test_biases_start_at_0_and_layer_norm_as_the_identity(fresh):
    for name, parameter in fresh.named_parameters():
        if name.endswith("LayerNorm.weight"):
            assert (parameter == 1).all(), name
        elif name.endswith("bias"):
            assert (parameter == 0).all(), name
    assert (fresh.embeddings.word_embeddings.weight[3] == 0).all()
    assert fresh.embeddings.word_embeddings.weight[0].any()


def test_no_two_parts_start_alike(fresh):
    first, second = fresh.encoder.layer
    assert not torch.equal(first.attention.self.query.weight, first.attention.self.key.weight)
    assert not torch.equal(first.intermediate.dense.weight, second.intermediate.dense.weight)


def test_the_start_follows_from_the_seed():
    models = []
    for seed in (5, 5, 6):
        torch.manual_seed(seed)
        models.append(BertModel(SMALL).state_dict())
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])
    assert not torch.equal(models[0]["pooler.dense.weight"], models[2]["pooler.dense.weight"])


def test_a_part_can_be_initialized_alone_and_layer_norm_anew():
    pooler, norm = BertPooler(SMALL), torch.nn.LayerNorm(3)
    torch.manual_seed(0)
    initialize_weights(pooler, 3.0)
    assert 2 < pooler.dense.weight.std() < 4
    assert (pooler.dense.bias == 0).all()
    initialize_weights(torch.nn.Linear(3, 3, bias=False), 0.5)
    scatter_weights(norm, seed=0)
    initialize_weights(norm, 0.5)
    assert (norm.weight == 1).all()
    assert (norm.bias == 0).all()


# --- What is returned ----------------------------------------------------------------------------


def test_only_what_is_asked_for_is_returned():
    model = build(SMALL)
    output = model(**BATCH)
    assert output.hidden_states is output.attentions is None
    states = model(**BATCH, output_hidden_states=True)
    assert states.attentions is None and len(states.hidden_states) == 3
    attentions = model(**BATCH, output_attentions=True)
    assert attentions.hidden_states is None and len(attentions.attentions) == 2
    close(attentions.last_hidden_state, output.last_hidden_state)
    x = torch.zeros(1, 3, 12, dtype=torch.float64)
    assert model.encoder(x)[1:] == (None, None, None)
    whole = model.encoder(x, None, True, True)
    assert isinstance(whole.hidden_states, tuple) and isinstance(whole.attentions, tuple)


def test_hidden_states_run_from_the_embeddings_to_the_last_layer():
    model = build(SMALL)
    output = model(**BATCH, output_hidden_states=True)
    embeddings = model.embeddings(BATCH["input_ids"], BATCH["token_type_ids"])
    assert torch.equal(output.hidden_states[0], embeddings)
    assert torch.equal(output.hidden_states[2], output.last_hidden_state)
    first = model.encoder.layer[0](embeddings, _additive(BATCH["attention_mask"]))[0]
    close(output.hidden_states[1], first)


def _additive(seen):
    return (1.0 - seen.double()[:, None, None, :]) * torch.finfo(torch.float64).min


def test_attention_ignores_padding_in_every_layer():
    """The well-known mistake: the mask gets lost between the layers."""
    attentions = build(SMALL)(**BATCH, output_attentions=True).attentions
    padding = ~SEEN[:, None, None, :].expand_as(attentions[0])
    assert padding.any()
    for probs in attentions:
        assert (probs[padding] == 0).all()
        close(probs.sum(dim=-1), torch.ones_like(probs[..., 0]))


def test_the_pooler_reads_the_first_token_only():
    model = build(SMALL)
    output = model(**BATCH)
    dense = model.pooler.dense
    first = output.last_hidden_state[:, 0]
    close(output.pooler_output, torch.tanh(first @ dense.weight.T + dense.bias))


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


# --- Other ways to run it ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("asked", [{}, {"output_attentions": True, "output_hidden_states": True}])
def test_the_compiler_sees_one_graph(asked):
    model = build(SMALL)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    expected, output = model(**BATCH, **asked), compiled(**BATCH, **asked)
    close(output.last_hidden_state, expected.last_hidden_state)
    close(output.pooler_output, expected.pooler_output)
    if asked:
        close(output.attentions[1], expected.attentions[1])
    output.pooler_output.sum().backward()
    close(
        model.embeddings.LayerNorm.weight.grad,
        torch.autograd.grad(expected.pooler_output.sum(), model.embeddings.LayerNorm.weight)[0],
    )


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
def test_the_compiler_sees_training_too():
    model = build(SMALL).train()
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    assert compiled(**BATCH).last_hidden_state.isfinite().all()


def test_bfloat16_autocast_stays_near_and_learns():
    model = build(SMALL, dtype=torch.float32)
    seen = BATCH["attention_mask"].clone()
    seen[1] = 0
    for asked in ({}, {"output_attentions": True}):
        exact = model(BATCH["input_ids"], seen, **asked)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rough = model(BATCH["input_ids"], seen, **asked)
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


# --- Bad input -----------------------------------------------------------------------------------

IDS = BATCH["input_ids"]
BAD = [
    ({"input_ids": IDS.float()}, TypeError, r"input_ids must be .*int64.* torch\.float32"),
    ({"input_ids": IDS.tolist()}, TypeError, "input_ids must be a tensor, not a list"),
    ({"input_ids": IDS + 41}, ValueError, r"input_ids run from 0 to 40 .* = 41, not \d+"),
    ({"input_ids": IDS - 100}, ValueError, r"input_ids run from 0 to 40 .*, not -\d+"),
    ({"input_ids": IDS[0]}, ValueError, r"\(batch, seq\), not \(\d+,\); .* input_ids\[None\]"),
    ({"input_ids": IDS[:0]}, ValueError, r"input_ids of shape \(0, \d+\) must not be empty"),
    ({"input_ids": IDS[:, :0]}, ValueError, r"input_ids of shape \(4, 0\) must not be empty"),
    ({"input_ids": IDS[:, :1].expand(4, 14)}, ValueError, r"14 tokens .* \(13\); truncate"),
    ({"attention_mask": IDS[:, 1:]}, ValueError, r"attention_mask .*\(4, \d+\), not \(4, \d+\)"),
    ({"attention_mask": IDS[0]}, ValueError, r"attention_mask must .*\(4, \d+\), not \(\d+,\)"),
    ({"attention_mask": IDS[:1]}, ValueError, r"attention_mask must .*\(4, \d+\), not \(1, \d+\)"),
    ({"attention_mask": [[1]]}, TypeError, "attention_mask must be a tensor, not a list"),
    ({"attention_mask": IDS}, ValueError, r"attention_mask is 1, or 0 .*, not \d+"),
    ({"attention_mask": torch.full_like(IDS, 2)}, ValueError, "attention_mask is 1, or 0 .* not 2"),
    ({"token_type_ids": IDS[:, 1:]}, ValueError, r"token_type_ids .*\(4, \d+\), not \(4, \d"),
    ({"token_type_ids": IDS * 0 + 2}, ValueError, "token_type_ids run from 0 to 1 .* = 2, not 2"),
    ({"token_type_ids": IDS.double()}, TypeError, r"token_type_ids must be .*torch\.float64"),
    ({"position_ids": IDS * 0 + 13}, ValueError, "position_ids run from 0 to 12 .* = 13, not 13"),
    ({"position_ids": IDS[:, 1:]}, ValueError, r"position_ids .* \(4, \d+\) or \(1, \d+\), not"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "error", "words"), BAD)
def test_bad_input_is_answered_in_words(changes, error, words):
    with pytest.raises(error, match=words):
        build(SMALL)(**{"input_ids": IDS} | changes)
