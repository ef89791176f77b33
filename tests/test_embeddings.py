"""Embeddings against the numpy twins, and what they say to ids that make no sense."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from bert_pairs import draw_batch, draw_config, scattered

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
    ours = embeddings(ids, types, places).detach().numpy()
    twin = by_numpy(embeddings, ids, types, places, config.layer_norm_eps)
    np.testing.assert_allclose(ours, twin, rtol=0, atol=1e-12)


def test_segments_are_0_and_positions_count_by_default():
    embeddings = build()
    zeros = torch.zeros_like(IDS)
    places = torch.arange(4).expand(2, 4)
    assert torch.equal(embeddings(IDS), embeddings(IDS, zeros, places))
    assert torch.equal(embeddings(IDS), embeddings(IDS, position_ids=places[:1]))


def test_positions_and_segments_make_a_difference():
    embeddings = build()
    alike = embeddings(torch.tensor([[3, 3, 3]]), torch.tensor([[0, 1, 2]]))
    assert (alike[0, 0] - alike[0, 1]).abs().max() > 0.1
    moved = embeddings(torch.tensor([[3, 3]]))
    assert (moved[0, 0] - moved[0, 1]).abs().max() > 0.1
    segments = embeddings(IDS, torch.ones_like(IDS)) - embeddings(IDS)
    assert segments.abs().amax(dim=-1).min() > 0.1


def test_the_padding_row_stays_as_it_is():
    embeddings = BertEmbeddings(SMALL)
    assert (embeddings.word_embeddings.weight[4] == 0).all()
    embeddings(IDS).square().sum().backward()
    grad = embeddings.word_embeddings.weight.grad
    assert (grad[4] == 0).all()
    assert grad[10].any()
    assert not grad[7].any(), "the word 7 does not occur"


def test_a_word_that_occurs_twice_collects_both_gradients():
    embeddings = build()
    grad_output = torch.randn(2, 4, 6, dtype=torch.float64)
    summed = embeddings.word_embeddings(IDS)
    (ours,) = torch.autograd.grad(summed, embeddings.word_embeddings.weight, grad_output)
    twin = reference.embedding_lookup_backward(grad_output.numpy(), IDS.numpy(), 11)
    twin[4] = 0  # the row of the padding token does not learn
    np.testing.assert_allclose(ours.numpy(), twin, rtol=0, atol=1e-12)


def test_a_wide_epsilon_is_used():
    wide = build(dataclasses.replace(SMALL, layer_norm_eps=10.0))
    assert (wide(IDS) - build()(IDS)).abs().max() > 0.1


def test_dropout_comes_last_and_only_in_training():
    embeddings = build(dataclasses.replace(SMALL, hidden_dropout_prob=0.5))
    assert torch.equal(embeddings(IDS), build()(IDS))
    torch.manual_seed(0)
    ratio = embeddings.train()(IDS) / build()(IDS)
    torch.testing.assert_close(ratio, ratio.round(), rtol=0, atol=1e-12)
    assert set(ratio.round().abs().unique().tolist()) == {0.0, 2.0}


def test_ids_may_have_32_bits():
    embeddings = build()
    assert torch.equal(
        embeddings(IDS.int(), IDS.int() % 3, IDS.int() % 7), embeddings(IDS, IDS % 3, IDS % 7)
    )


def test_the_longest_sequence_fits_and_one_more_token_does_not():
    embeddings = build()
    assert embeddings(torch.ones(1, 7, dtype=torch.long)).shape == (1, 7, 6)
    with pytest.raises(ValueError, match=r"8 tokens .* max_position_embeddings \(7\); truncate"):
        embeddings(torch.ones(1, 8, dtype=torch.long))
    places = torch.zeros(1, 8, dtype=torch.long)
    assert embeddings(torch.ones(1, 8, dtype=torch.long), None, places).shape == (1, 8, 6)


@pytest.mark.parametrize(
    ("name", "stranger", "words"),
    [
        *(("input_ids", n, "0 to 10 with vocab_size = 11") for n in (11, 30522, -1)),
        ("token_type_ids", 3, "0 to 2 with type_vocab_size = 3"),
        ("position_ids", 7, "0 to 6 with max_position_embeddings = 7"),
    ],
)
def test_an_id_without_a_row_is_named(name, stranger, words):
    given = {"input_ids": IDS.clone()} | {name: torch.arange(4).expand(2, 4) % 3}
    given[name] = given[name].clone()
    given[name][1, 2] = stranger
    with pytest.raises(ValueError, match=rf"{name} run from {words}, not {stranger}$"):
        build()(**given)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([IDS.float()], TypeError, r"input_ids must be torch\.int64 .* not torch\.float32"),
        ([IDS == 1], TypeError, r"input_ids must be torch\.int64 .* not torch\.bool"),
        ([IDS.short()], TypeError, r"input_ids must be torch\.int64 .* not torch\.int16"),
        ([IDS.tolist()], TypeError, "input_ids must be a tensor, not a list"),
        ([IDS, IDS.double()], TypeError, r"token_type_ids must be torch\.int64 .* torch\.float64"),
        ([IDS, IDS % 3, [0, 1]], TypeError, "position_ids must be a tensor, not a list"),
        ([IDS[0]], ValueError, r"\(batch, seq\), not \(4,\); .* input_ids\[None\]"),
        ([IDS[None]], ValueError, r"\(batch, seq\), not \(1, 2, 4\)"),
        ([IDS[:0]], ValueError, r"shape \(0, 4\) must not be empty"),
        ([IDS[:, :0]], ValueError, r"shape \(2, 0\) must not be empty"),
        ([IDS, IDS[:, :3]], ValueError, r"token_type_ids must .* shape \(2, 4\), not \(2, 3\)"),
        ([IDS, IDS[:1]], ValueError, r"token_type_ids must .* shape \(2, 4\), not \(1, 4\)"),
        ([IDS, IDS % 3, IDS[0]], ValueError, r"position_ids .* \(2, 4\) or \(1, 4\), not \(4,\)"),
    ],
)
def test_input_that_makes_no_sense_is_told_so(given, error, words):
    with pytest.raises(error, match=words):
        build()(*given)


# --- Sinusoidal positions ----------------------------------------------------------------------


def test_sinusoidal_positions_equal_the_formula():
    positions = sinusoidal_positions(9, 6, torch.float64)
    for pos in range(9):
        for i in range(3):
            angle = pos / 10000 ** (2 * i / 6)
            assert positions[pos, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-14)
            assert positions[pos, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-14)


def test_every_sinusoidal_position_has_the_same_length_and_is_its_own():
    positions = sinusoidal_positions(512, 64, torch.float64)
    lengths = positions.norm(dim=-1)
    torch.testing.assert_close(lengths, torch.full_like(lengths, math.sqrt(32)), rtol=1e-12, atol=0)
    distances = torch.cdist(positions, positions) + 9 * torch.eye(512)
    assert distances.min() > 0.5


@pytest.mark.parametrize("shift", [1, 5, 40])
def test_a_shift_of_sinusoidal_positions_is_one_linear_map(shift):
    positions = sinusoidal_positions(60 + shift, 8, torch.float64)
    before, after = positions[:60], positions[shift:]
    rotation = torch.linalg.lstsq(before, after).solution
    torch.testing.assert_close(before @ rotation, after, rtol=0, atol=1e-10)
    torch.testing.assert_close(rotation @ rotation.T, torch.eye(8).double(), rtol=0, atol=1e-7)


def test_sinusoidal_positions_have_the_precision_asked_for_also_the_smallest():
    assert sinusoidal_positions(3, 4).dtype == torch.float32
    exact = sinusoidal_positions(5000, 8, torch.float64)
    assert (sinusoidal_positions(5000, 8) - exact).abs().max() < 1e-7
    torch.testing.assert_close(sinusoidal_positions(1, 2), torch.tensor([[0.0, 1.0]]))


@pytest.mark.parametrize(
    ("seq", "hidden", "words"),
    [
        (3, 5, r"hidden_size \(5\) must be a multiple .* \(2\); nearest are 4 and 6"),
        (3, 3, r"hidden_size \(3\) must be a multiple .*; nearest are 2 and 4"),
        (3, 1, r"hidden_size \(1\) must be a multiple of .* \(2\); nearest are 2 and 4"),
        (3, -4, r"bound inconsistent with step sign"),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_sinusoidal_positions_that_do_not_exist(seq, hidden, words):
    with pytest.raises((ValueError, RuntimeError), match=words):
        sinusoidal_positions(seq, hidden)
