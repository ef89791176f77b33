"""The model, the training and the questions that Chapter 5 types, taken from the chapter itself."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from definitions import chapter_definitions

from bertbook.corpus import hundred_sentences, masked_word_ladder, vocabulary
from bertbook.show import seed_everything
from minibert import reference
from minibert.losses import masked_lm_loss

NAME = "05-a-toy-bert"
RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "toy_bert.json"
WORDS = (*vocabulary(hundred_sentences())[1:], "[MASK]")
MASK_ID = WORDS.index("[MASK]")


@pytest.fixture(scope="module")
def record():
    return json.loads(RECORD.read_text(encoding="utf-8"))


SMALL = ("the cat sleeps", "the dog sleeps", "the dog sees the cat", "the cat sees the bird")


@pytest.fixture(scope="module")
def toy():
    """Take what the chapter defines, with 64-bit numbers as in the chapter."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield chapter_definitions(NAME)
    torch.set_default_dtype(before)


@pytest.fixture
def make_model(toy):
    """Build an untrained model whose numbers are large enough to tell mistakes apart."""

    def make(positions=0, hidden=16):
        torch.manual_seed(0)
        model = toy.ToyBert(len(WORDS), hidden, positions, spread=0.5).eval()
        with torch.no_grad():
            model.dense_bias.normal_()
            model.vocab_bias.normal_()
        return model

    return make


@pytest.fixture
def encoded(toy):
    """Give the ids of the hundred sentences."""
    return [toy.look_up(sentence.split(), WORDS) for sentence in hundred_sentences()]


def hidden_one_by_one(encoded):
    """Hide each word of each sentence; give the ids, the place and the word."""
    for ids in encoded:
        for position in range(len(ids)):
            hole = ids.clone()
            hole[position] = MASK_ID
            yield hole, position, ids[position]


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
def test_logits_and_loss_have_two_witnesses(toy, make_model, positions):
    model = make_model(positions)
    ids = toy.look_up(["the", "dog", "[MASK]", "the", "cat"], WORDS)
    labels = torch.tensor([-100, -100, WORDS.index("chases"), -100, -100])
    logits = model.predict(model.encode(ids)).detach()
    witness = logits_by_reference(model, ids)
    np.testing.assert_allclose(logits, witness, rtol=1e-10, atol=1e-12)
    loss = toy.mean_loss(model, (ids, labels, None)).item()
    assert loss == pytest.approx(reference.cross_entropy(witness, labels.numpy()), rel=1e-10)
    probs = reference.softmax(witness[2])
    with_epsilon = toy.loss_with_epsilon(logits[2], labels[2]).item()
    assert with_epsilon == pytest.approx(-math.log(probs[WORDS.index("chases")] + 1e-9), rel=1e-10)


def test_the_gradient_at_the_logits_is_the_one_of_chapter_4(toy):
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(4, 6, generator=generator, requires_grad=True)
    labels = torch.tensor([-100, 3, -100, 0])
    masked_lm_loss(logits, labels).backward()
    by_hand = reference.cross_entropy_backward(logits.detach().numpy(), labels.numpy())
    np.testing.assert_allclose(logits.grad, by_hand, rtol=1e-12, atol=1e-15)


def test_without_positions_the_model_is_permutation_equivariant_and_with_them_it_is_not(make_model):
    order, ids = [3, 0, 4, 2, 1], torch.tensor([5, 9, MASK_ID, 5, 12])
    model = make_model()
    torch.testing.assert_close(model.encode(ids[order]), model.encode(ids)[order])
    model = make_model(positions=5)
    assert not torch.allclose(model.encode(ids[order]), model.encode(ids)[order])


def test_the_parameters_are_those_of_the_formula(toy):
    model = toy.ToyBert(89, hidden=128, positions=9)
    count = sum(parameter.numel() for parameter in model.parameters())
    assert count == 89 * 128 + 9 * 128 + 4 * 128**2 + 128 + 89 + 2 * 128


def test_dropout_keeps_the_mean_and_does_nothing_when_not_training(toy):
    torch.manual_seed(0)
    model = toy.ToyBert(5, hidden=4)
    ones = torch.ones(100_000)
    dropped = model.train().dropout(ones)
    assert set(dropped.unique().tolist()) == {0.0, 1 / 0.9}
    assert dropped.mean().item() == pytest.approx(1, abs=0.01)
    assert model.eval().dropout(ones) is ones


def test_every_word_is_hidden_once_and_padding_changes_nothing(toy, make_model, encoded):
    input_ids, labels, additive_mask = toy.hide_every_word(encoded, MASK_ID)
    assert input_ids.shape == labels.shape == (560, 9)
    assert ((labels != -100).sum(dim=1) == 1).all()
    assert (input_ids[labels != -100] == MASK_ID).all()
    model = make_model(positions=9)
    alone = [model.predict(model.encode(hole)[n]) for hole, n, _ in hidden_one_by_one(encoded)]
    together = model.predict(model.encode(input_ids, additive_mask)[labels != -100])
    torch.testing.assert_close(together, torch.stack(alone))


def test_a_guesser_without_knowledge_pays_the_first_step_of_the_ladder(toy, encoded):
    loss = toy.exhaustive_loss(toy.ToyBert(89, spread=0.0), toy.hide_every_word(encoded, MASK_ID))
    assert loss == pytest.approx(masked_word_ladder(hundred_sentences()).uniform)


@pytest.mark.parametrize("way", ["one by one", "batches"])
def test_training_comes_down_to_the_floor_of_a_small_corpus(toy, way):
    words = (*vocabulary(SMALL)[1:], "[MASK]")
    encoded = [toy.encode_words(sentence.split(), words) for sentence in SMALL]
    hidden_words = toy.hide_every_word(encoded, len(words) - 1)
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    model = toy.ToyBert(len(words), hidden=32, positions=5, spread=0.1)
    if way == "batches":
        steps = [*toy.train_in_batches(model, hidden_words, 100, generator)]
        assert len(steps) == 100 and steps[-1] < steps[0]
    else:
        epochs = [*toy.train_one_by_one(model, encoded, len(words) - 1, 150, generator)]
        assert [len(losses) for losses in epochs] == [len(SMALL)] * 150
    floor = masked_word_ladder(SMALL).full
    assert floor - 1e-9 <= toy.exhaustive_loss(model, hidden_words) < floor + 0.2


def test_looking_changes_nothing(toy, encoded):
    hidden_words = toy.hide_every_word(encoded[:4], MASK_ID)
    losses = []
    for look in [False, True]:
        torch.manual_seed(3)
        model = toy.ToyBert(89, hidden=8)
        generator = torch.Generator().manual_seed(3)
        for _ in toy.train_in_batches(model, hidden_words, 3, generator):
            assert not look or toy.exhaustive_loss(model, hidden_words) > 0
        losses.append(toy.exhaustive_loss(model, hidden_words))
    assert losses[0] == losses[1]


def test_the_shorter_training_ruins_its_sentences_and_ours_does_not(toy):
    for train, ruined in [(toy.train_one_by_one, False), (toy.shorter_training, True)]:
        encoded = [toy.look_up(sentence.split(), WORDS) for sentence in SMALL]
        before = torch.cat(encoded)
        model = toy.ToyBert(89, hidden=8)
        for _ in train(model, encoded, MASK_ID, 1, torch.Generator().manual_seed(0)):
            assert (torch.cat(encoded) != before).sum() == ruined * len(SMALL)


def test_answers_are_probabilities_in_falling_order(toy, make_model):
    ids = toy.look_up("the man [MASK] the book".split(), WORDS)
    answers = toy.best_answers(make_model(9), WORDS, ids, count=89)
    probabilities = [p for _, p in answers]
    assert {word for word, _ in answers} == set(WORDS)
    assert sum(probabilities) == pytest.approx(1)
    assert probabilities == sorted(probabilities, reverse=True)


def test_an_unknown_word_is_named_and_the_recipe_answers_what_nobody_asked(toy):
    asked = "the man read the [MASK]".split()
    with pytest.raises(ValueError, match="does not know the word 'read'"):
        toy.encode_words(asked, WORDS)
    known = [WORDS[number] for number in toy.look_up(asked, WORDS)]
    assert known == ["the", "man", "a", "the", "[MASK]"]


def test_the_record_has_every_choice_of_the_race(record):
    choices = [(r["seed"], r["positions"], r["batched"], r["dropout"]) for r in record["runs"]]
    assert choices == list(itertools.product(range(3), (0, 9), (True, False), (0.1, 0.0)))
    assert {len(run["losses"]) for run in record["runs"]} == {51}
    assert len(record["epsilon"]) == 3


def test_a_run_of_the_record_can_be_repeated(toy, encoded, record):
    run = next(r for r in record["runs"] if r["positions"] and r["batched"] and r["dropout"])
    hidden_words = toy.hide_every_word(encoded, MASK_ID)
    seed_everything(run["seed"])
    model = toy.ToyBert(89, positions=9, spread=0.1, rate=run["dropout"])
    generator = torch.Generator().manual_seed(run["seed"])
    losses = [toy.exhaustive_loss(model, hidden_words)]
    for step, _ in enumerate(toy.train_in_batches(model, hidden_words, 200, generator), start=1):
        if step % 4 == 0:
            losses.append(toy.exhaustive_loss(model, hidden_words))
    assert losses == pytest.approx(run["losses"], abs=0.002)


def test_the_record_of_the_recipe_begins_as_it_does(toy, encoded, record):
    recipe = record["recipe"]
    seed_everything(recipe["seed"])
    model, generator = toy.ToyBert(89), torch.Generator().manual_seed(recipe["seed"])
    epochs = toy.train_one_by_one(model, encoded, MASK_ID, 3, generator)
    losses = [sum(told) / len(told) for told in epochs]
    assert losses == pytest.approx(recipe["losses"][:3], abs=1e-4)
    assert len(recipe["losses"]) == 500


def test_the_record_of_the_recipe_ends_between_the_floor_and_the_neighbors(record):
    recipe = record["recipe"]
    ladder = masked_word_ladder(hundred_sentences())
    assert ladder.bag < recipe["all_hidden_words"] < ladder.neighbors
    assert ladder.bag < sum(recipe["losses"][-100:]) / 100 < ladder.neighbors


def test_the_record_of_held_out_sentences_begins_as_it_does(toy, encoded, record):
    folds = record["folds"]
    assert len(folds) == 5 and sum(fold["hidden_words"][1] for fold in folds) == 560
    parts = toy.without_a_fifth(encoded, MASK_ID, 3)
    seed_everything(0)
    model = toy.ToyBert(89, positions=9, spread=0.1)
    losses = [[toy.exhaustive_loss(model, part) for part in parts]]
    training = toy.train_in_batches(model, parts[0], 200, torch.Generator().manual_seed(0))
    for _ in itertools.islice(training, 20):
        pass
    losses.append([toy.exhaustive_loss(model, part) for part in parts])
    assert [len(part[0]) for part in parts] == folds[3]["hidden_words"]
    np.testing.assert_allclose(losses, folds[3]["losses"][:2], atol=1e-3)


def test_right_answers_are_those_that_come_first(toy, make_model, encoded):
    model, few = make_model(positions=9), encoded[:6]
    right = sum(
        toy.best_answers(model, WORDS, hole, count=1)[0][0] == WORDS[word]
        for hole, _, word in hidden_one_by_one(few)
    )
    assert toy.right_answers(model, toy.hide_every_word(few, MASK_ID)) == right
