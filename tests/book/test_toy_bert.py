"""The record of Chapter 5, and the model that it types beside numpy."""

import numpy as np
import pytest
import torch
from definitions import chapter_definitions

from bertbook.core import seed_everything
from bertbook.corpus import hundred_sentences, vocabulary
from bertbook.records import record_of
from minibert import reference

NAME = "05-a-toy-bert"
WORDS = (*vocabulary(hundred_sentences())[1:], "[MASK]")
MASK_ID = WORDS.index("[MASK]")


@pytest.fixture(scope="module")
def toy():
    """Take what the chapter defines, with 64-bit numbers as in the chapter."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield chapter_definitions(NAME)
    torch.set_default_dtype(before)


def logits_by_reference(model, input_ids):
    """Compute the logits of every position in numpy."""
    weights = {name: p.detach().numpy() for name, p in model.named_parameters()}
    x = reference.embedding_lookup(input_ids.numpy(), weights["word_embeddings"])
    if len(weights["position_embeddings"]):
        x = x + weights["position_embeddings"][: x.shape[-2]]
    context, _ = reference.attention(x @ weights["query"], x @ weights["key"], x @ weights["value"])
    states = reference.layer_norm(context + x, weights["norm.weight"], weights["norm.bias"])
    refined = reference.gelu(states @ weights["dense"] + weights["dense_bias"])
    return reference.tied_logits(refined, weights["word_embeddings"], weights["vocab_bias"])


@pytest.mark.parametrize("positions", [0, 9])
def test_logits_and_loss_have_two_witnesses(toy, positions):
    torch.manual_seed(0)
    model = toy.ToyBert(len(WORDS), 16, positions, spread=0.5).eval()
    with torch.no_grad():
        model.dense_bias.normal_()
        model.vocab_bias.normal_()
    ids = toy.look_up(["the", "dog", "[MASK]", "the", "cat"], WORDS)
    labels = torch.tensor([-100, -100, WORDS.index("chases"), -100, -100])
    logits = model.predict(model.encode(ids)).detach()
    witness = logits_by_reference(model, ids)
    np.testing.assert_allclose(logits, witness, rtol=1e-10, atol=1e-12)
    loss = toy.mean_loss(model, (ids, labels, torch.zeros(len(ids)))).item()
    assert loss == pytest.approx(reference.cross_entropy(witness, labels.numpy()), rel=1e-10)


def test_a_run_of_the_record_can_be_repeated(toy):
    run = next(r for r in record_of("toy_bert")["runs"] if r["positions"] and r["dropout"])
    encoded = [toy.look_up(sentence.split(), WORDS) for sentence in hundred_sentences()]
    hidden_words = toy.hide_every_word(encoded, MASK_ID)
    seed_everything(run["seed"])
    model = toy.ToyBert(89, positions=9, spread=0.1, rate=run["dropout"])
    generator = torch.Generator().manual_seed(run["seed"])
    losses = [toy.exhaustive_loss(model, hidden_words)]
    for step, _ in enumerate(toy.train_in_batches(model, hidden_words, 200, generator), start=1):
        if step % 4 == 0:
            losses.append(toy.exhaustive_loss(model, hidden_words))
    assert losses == pytest.approx(run["losses"], abs=0.002)
