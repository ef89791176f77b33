"""What any BERT promises, whatever its weights: about padding, order, chance and sharing."""

import dataclasses

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_config, gradients, scatter_weights

BATCH = draw_batch(SMALL, seed=0)
SEEN = BATCH["attention_mask"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_padding_changes_nothing(seed):
    config = draw_config(seed)
    model, batch = build(config, seed), draw_batch(config, seed)
    whole = model(**batch)
    for row in range(len(batch["input_ids"])):
        length = int(batch["attention_mask"][row].sum())
        alone = {name: values[row : row + 1, :length] for name, values in batch.items()}
        one = model(**alone)
        close(whole.last_hidden_state[row, :length], one.last_hidden_state[0])
        close(whole.pooler_output[row], one.pooler_output[0])
        del alone["attention_mask"]
        assert torch.equal(model(**alone).last_hidden_state, one.last_hidden_state)


def test_what_stands_in_the_padding_does_not_matter():
    model = build(SMALL)
    scribbled = dict(BATCH, input_ids=torch.where(SEEN, BATCH["input_ids"], 7))
    close(model(**scribbled).last_hidden_state[SEEN], model(**BATCH).last_hidden_state[SEEN])


def test_masks_of_ones_bools_and_floats_are_one_mask():
    model = build(SMALL)
    ids, seen = BATCH["input_ids"], BATCH["attention_mask"]
    assert torch.equal(model(ids).pooler_output, model(ids, torch.ones_like(ids)).pooler_output)
    expected = model(ids, seen).last_hidden_state
    for mask in (seen.bool(), seen.float(), seen.double(), seen.to(torch.uint8)):
        assert torch.equal(model(ids, mask).last_hidden_state, expected)


def test_a_sentence_of_nothing_but_padding_stays_finite_with_its_gradients():
    model = build(SMALL)
    seen = BATCH["attention_mask"].clone()
    seen[1] = 0
    output = model(BATCH["input_ids"], seen, output_attentions=True)
    close(output.attentions[0][1], torch.full_like(output.attentions[0][1], 1 / seen.shape[1]))
    others = [0, 2, 3]
    close(
        output.last_hidden_state[others][SEEN[others]],
        model(BATCH["input_ids"], BATCH["attention_mask"]).last_hidden_state[others][SEEN[others]],
    )
    grads = gradients(model, output.last_hidden_state.square().sum())
    assert all(grad.isfinite().all() for grad in grads.values() if grad is not None)


def test_without_positions_order_does_not_matter():
    model = build(SMALL)
    order = torch.randperm(8, generator=torch.Generator().manual_seed(1))
    ids = torch.arange(5, 13)[None]
    ordered, shuffled = model(ids).last_hidden_state, model(ids[:, order]).last_hidden_state
    assert not torch.allclose(ordered[:, order], shuffled, atol=1e-3)
    with torch.no_grad():
        model.embeddings.position_embeddings.weight.zero_()
    ordered, shuffled = model(ids).last_hidden_state, model(ids[:, order]).last_hidden_state
    close(ordered[:, order], shuffled)


def test_dropping_everything_leaves_layer_norms_of_nothing():
    config = dataclasses.replace(SMALL, hidden_dropout_prob=1.0)
    model = build(config).train()
    output = model(**BATCH, output_hidden_states=True)
    assert (output.hidden_states[0] == 0).all()
    layer = model.encoder.layer[0]
    expected = layer.output.LayerNorm(layer.attention.output.LayerNorm(torch.zeros(12).double()))
    close(output.hidden_states[1], expected.expand_as(output.hidden_states[1]))


def test_dropping_all_attention_makes_tokens_strangers():
    config = dataclasses.replace(SMALL, attention_probs_dropout_prob=1.0, hidden_dropout_prob=0.0)
    model = build(config).train()
    ids = BATCH["input_ids"]
    other = ids.clone()
    other[:, 3] = 9
    before, after = model(ids).last_hidden_state, model(other).last_hidden_state
    assert torch.equal(before[:, :3], after[:, :3])


def test_evaluation_is_deterministic_and_training_is_not_but_without_dropout_it_is_evaluation():
    model = build(SMALL)
    assert torch.equal(model(**BATCH).pooler_output, model(**BATCH).pooler_output)
    model.train()
    torch.manual_seed(0)
    first, second = model(**BATCH).pooler_output, model(**BATCH).pooler_output
    torch.manual_seed(0)
    assert torch.equal(model(**BATCH).pooler_output, first)
    assert not torch.equal(first, second)
    config = dataclasses.replace(SMALL, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = build(config)
    expected = model(**BATCH).last_hidden_state
    assert torch.equal(model.train()(**BATCH).last_hidden_state, expected)


def test_two_models_share_nothing():
    first, second = build(SMALL), build(SMALL)
    storages = [{p.data_ptr() for p in model.state_dict().values()} for model in (first, second)]
    assert not storages[0] & storages[1]
    expected = second(**BATCH).last_hidden_state
    scatter_weights(first, seed=9)
    first.train()
    assert torch.equal(second(**BATCH).last_hidden_state, expected)
