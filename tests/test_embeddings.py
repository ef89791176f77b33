"""Embeddings against the numpy twins, and what they say to ids that make no sense."""

import dataclasses
import math

import pytest
import torch
from bert_pairs import draw, draw_batch, draw_config, equal, scattered

from minibert import reference
from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings, sinusoidal_positions

SMALL = BertConfig(
    vocab_size=11, hidden_size=6, num_attention_heads=2, intermediate_size=8,
    max_position_embeddings=7, type_vocab_size=3, pad_token_id=4,
)  # fmt: skip
IDS = torch.tensor([[1, 10, 3, 1], [5, 2, 4, 4]])


def build(config=SMALL, seed=0):
    return scattered(BertEmbeddings(config), seed)


def by_numpy(embeddings, ids, types, places, eps):
    """Look up and add with the reference."""
    tables = {name: p.detach().numpy() for name, p in embeddings.named_parameters()}
    summed = (
        reference.embedding_lookup(ids.numpy(), tables["word_embeddings.weight"])
        + reference.embedding_lookup(types.numpy(), tables["token_type_embeddings.weight"])
        + reference.embedding_lookup(places.numpy(), tables["position_embeddings.weight"])
    )
    return reference.layer_norm(summed, tables["LayerNorm.weight"], tables["LayerNorm.bias"], eps)


@pytest.mark.parametrize("seed", range(5))
def test_embeddings_equal_the_numpy_twins(seed):
    config = draw_config(seed)
    embeddings = build(config, seed)
    batch = draw_batch(config, seed)
    ids, types = batch["input_ids"], batch["token_type_ids"]
    generator = torch.Generator().manual_seed(seed)
    places = torch.randint(config.max_position_embeddings, ids.shape, generator=generator)
    twin = by_numpy(embeddings, ids, types, places, config.layer_norm_eps)
    equal(embeddings(ids, types, places), twin)
    equal(embeddings(ids.int(), types.int(), places.int()), twin)  # of 32 bits


def test_segments_are_0_and_positions_count_by_default():
    embeddings = build()
    zeros = torch.zeros_like(IDS)
    places = torch.arange(4).expand(2, 4)
    assert torch.equal(embeddings(IDS), embeddings(IDS, zeros, places))
    assert torch.equal(embeddings(IDS), embeddings(IDS, position_ids=places[:1]))


def test_a_word_that_occurs_twice_collects_both_gradients_and_padding_stays_at_0():
    assert (BertEmbeddings(SMALL).word_embeddings.weight[4] == 0).all()
    embeddings, grad_output = build(), draw(2, 4, 6)
    summed = embeddings.word_embeddings(IDS)
    (ours,) = torch.autograd.grad(summed, embeddings.word_embeddings.weight, grad_output)
    twin = reference.embedding_lookup_backward(grad_output.numpy(), IDS.numpy(), 11)
    twin[4] = 0  # the row of the padding token does not learn
    equal(ours, twin)


def test_dropout_comes_last_and_only_in_training():
    embeddings = build(dataclasses.replace(SMALL, hidden_dropout_prob=0.5))
    assert torch.equal(embeddings(IDS), build()(IDS))
    torch.manual_seed(0)
    ratio = embeddings.train()(IDS) / build()(IDS)
    torch.testing.assert_close(ratio, ratio.round(), rtol=0, atol=1e-12)
    assert set(ratio.round().abs().unique().tolist()) == {0.0, 2.0}


def test_the_longest_sequence_fits_and_one_more_token_only_with_places_of_its_own():
    embeddings, longer = build(), torch.ones(1, 8, dtype=torch.long)
    assert embeddings(longer[:, 1:]).shape == (1, 7, 6)
    assert embeddings(longer, None, torch.zeros_like(longer)).shape == (1, 8, 6)


TYPES, PLACES = IDS % 3, IDS % 7
BAD = [
    ([IDS + 1], ValueError, "input_ids run from 0 to 10 with vocab_size = 11, not 11$"),
    ([IDS - 2], ValueError, "input_ids run from 0 to 10 with vocab_size = 11, not -1$"),
    ([IDS, TYPES + 1], ValueError, "token_type_ids run from 0 to 2 with type_vocab_.* not 3$"),
    ([IDS, TYPES, PLACES + 2], ValueError, "position_ids run from 0 to 6 with max_posit.* not 7$"),
    ([IDS.repeat(1, 2)], ValueError, r"8 tokens .* max_position_embeddings \(7\); truncate"),
    ([IDS.float()], TypeError, r"input_ids must be torch\.int64 .* not torch\.float32"),
    ([IDS.tolist()], TypeError, "input_ids must be a tensor, not a list"),
    ([IDS, TYPES.double()], TypeError, r"token_type_ids must be torch\.int64 .* torch\.float64"),
    ([IDS, TYPES, [0, 1]], TypeError, "position_ids must be a tensor, not a list"),
    ([IDS[0]], ValueError, r"\(batch, seq\), not \(4,\); .* input_ids\[None\]"),
    ([IDS[:, :0]], ValueError, r"shape \(2, 0\) must not be empty"),
    ([IDS, IDS[:1]], ValueError, r"token_type_ids must .* shape \(2, 4\), not \(1, 4\)"),
    ([IDS, TYPES, IDS[0]], ValueError, r"position_ids .* \(2, 4\) or \(1, 4\), not \(4,\)"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_input_that_makes_no_sense_is_told_so(given, error, words):
    with pytest.raises(error, match=words):
        build()(*given)


def test_sinusoidal_positions_equal_the_formula_to_the_precision_asked_for():
    positions = sinusoidal_positions(9, 6, torch.float64)
    for pos in range(9):
        for i in range(3):
            angle = pos / 10000 ** (2 * i / 6)
            assert positions[pos, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-14)
            assert positions[pos, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-14)
    assert sinusoidal_positions(3, 4).dtype == torch.float32
    exact = sinusoidal_positions(5000, 8, torch.float64)
    assert (sinusoidal_positions(5000, 8) - exact).abs().max() < 1e-7


@pytest.mark.usefixtures("unchecked")
def test_sinusoidal_positions_come_in_pairs():
    with pytest.raises(ValueError, match=r"hidden_size \(5\) must be a multiple .* are 4 and 6"):
        sinusoidal_positions(3, 5)
