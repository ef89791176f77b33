"""The model, the training and the questions that Chapter 5 types, taken from the chapter itself."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from definitions import CHAPTERS, chapter_definitions

from minibert import reference
from minibert.corpus import hundred_sentences, masked_word_ladder, vocabulary
from minibert.losses import masked_lm_loss

NAME = "05-a-toy-bert"
RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "toy_bert.json"
WORDS = (*vocabulary(hundred_sentences())[1:], "[MASK]")
MASK_ID = WORDS.index("[MASK]")
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


@pytest.mark.parametrize("positions", [0, 9])
def test_logits_and_loss_have_two_witnesses(toy, make_model, positions):
    model = make_model(positions)
    ids = toy.look_up(["the", "dog", "[MASK]", "the", "cat"], WORDS)
    labels = torch.tensor([-100, -100, WORDS.index("chases"), -100, -100])
    logits = model.predict(model.encode(ids)).detach()
    witness = toy.logits_by_reference(model, ids)
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


def test_without_positions_the_model_is_permutation_equivariant(make_model):
    model, order = make_model(), [3, 0, 4, 2, 1]
    ids = torch.tensor([5, 9, MASK_ID, 5, 12])
    torch.testing.assert_close(model.encode(ids[order]), model.encode(ids)[order])


def test_with_positions_order_matters(make_model):
    model, order = make_model(positions=5), [3, 0, 4, 2, 1]
    ids = torch.tensor([5, 9, MASK_ID, 5, 12])
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


def test_every_word_is_hidden_once_and_padding_changes_nothing(toy, make_model):
    encoded = [toy.look_up(sentence.split(), WORDS) for sentence in hundred_sentences()]
    input_ids, labels, additive_mask = toy.hide_every_word(encoded, MASK_ID)
    assert input_ids.shape == labels.shape == (560, 9)
    assert ((labels != -100).sum(dim=1) == 1).all()
    assert (input_ids[labels != -100] == MASK_ID).all()
    model, row, alone = make_model(positions=9), 0, []
    for ids in encoded:
        for position in range(len(ids)):
            hole = ids.clone()
            hole[position] = MASK_ID
            alone.append(model.predict(model.encode(hole)[position]))
            row += 1
    together = model.predict(model.encode(input_ids, additive_mask)[labels != -100])
    torch.testing.assert_close(together, torch.stack(alone))


def test_a_guesser_without_knowledge_pays_the_first_step_of_the_ladder(toy):
    encoded = [toy.look_up(sentence.split(), WORDS) for sentence in hundred_sentences()]
    model = toy.ToyBert(89, spread=0.0)
    loss = toy.exhaustive_loss(model, toy.hide_every_word(encoded, MASK_ID))
    assert loss == pytest.approx(masked_word_ladder(hundred_sentences()).uniform)


@pytest.mark.parametrize("way", ["one by one", "batches"])
def test_training_comes_down_to_the_floor_of_a_small_corpus(toy, way):
    words = (*vocabulary(SMALL)[1:], "[MASK]")
    encoded = [toy.encode_words(sentence.split(), words) for sentence in SMALL]
    riddles = toy.hide_every_word(encoded, len(words) - 1)
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    model = toy.ToyBert(len(words), hidden=32, positions=5, spread=0.1)
    if way == "batches":
        toy.train_in_batches(model, riddles, 100, generator)
    else:
        toy.train_one_by_one(model, encoded, len(words) - 1, 150, generator)
    floor = masked_word_ladder(SMALL).full
    assert floor - 1e-9 <= toy.exhaustive_loss(model, riddles) < floor + 0.2


def test_watching_changes_nothing(toy):
    encoded = [toy.look_up(sentence.split(), WORDS) for sentence in hundred_sentences()[:4]]
    riddles = toy.hide_every_word(encoded, MASK_ID)
    losses = []
    for watch in [None, lambda step: None]:
        torch.manual_seed(3)
        model = toy.ToyBert(89, hidden=8)
        generator = torch.Generator().manual_seed(3)
        toy.train_in_batches(model, riddles, 3, generator, watch=watch)
        losses.append(toy.exhaustive_loss(model, riddles))
    assert losses[0] == losses[1]


def test_answers_are_shares_in_falling_order(toy, make_model):
    answers = toy.answer(make_model(9), WORDS, "the man [MASK] the book", count=89)
    shares = [share for _, share in answers]
    assert {word for word, _ in answers} == set(WORDS)
    assert sum(shares) == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("the man read the [MASK]", "does not know the word 'read'; did you mean 'reads'"),
        ("The man reads the [MASK]", "does not know the word 'The'; did you mean 'the'"),
        ("the man xyzzy the [MASK]", "does not know the word 'xyzzy'$"),
        ("the [MASK] reads the [MASK]", "has 2 \\[MASK\\]; write exactly one"),
        ("the man reads the book", "has 0 \\[MASK\\]; write exactly one"),
        ("", "the question is empty"),
        ("   ", "the question is empty"),
        ("the the the the the the the the the [MASK]", "has 10 words; .* positions for 9"),
    ],
)
def test_a_question_that_cannot_be_answered_is_explained(toy, make_model, question, message):
    with pytest.raises(ValueError, match=message):
        toy.answer(make_model(9), WORDS, question)


def test_the_recipe_answers_a_question_that_nobody_asked(toy):
    asked = toy.look_up(["the", "man", "read", "the", "[MASK]"], WORDS)
    assert [WORDS[number] for number in asked] == ["the", "man", "a", "the", "[MASK]"]


def test_the_device_can_be_named(toy, monkeypatch):
    monkeypatch.setenv("MINIBERT_DEVICE", "cpu")
    assert toy.best_device() == "cpu"


@pytest.mark.parametrize(
    ("cuda", "mps", "device"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_the_device_is_cuda_then_mps_then_cpu(toy, monkeypatch, cuda, mps, device):
    monkeypatch.delenv("MINIBERT_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert toy.best_device() == device


def lines_from_the_record():
    """Write the lines that Chapter 5 quotes from the record of the benchmark."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    runs = [run for run in record["runs"] if not run["batched"]]
    for run in runs:
        if run["repair"] == "recipe":
            yield f"| {run['seed']} | " + " | ".join(f"*{w}*" for w in run["first_answers"]) + " |"
    for repair in ["recipe", "stable loss", "positions"]:
        yield json.dumps([run["loss"] for run in runs if run["repair"] == repair])
    yield from map(json.dumps, record["times_faster"].values())


def test_the_chapter_quotes_the_record_of_the_benchmark():
    cells = json.loads((CHAPTERS / f"{NAME}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    missing = [line for line in lines_from_the_record() if line not in text]
    assert not missing, f"benchmarks/toy_bert.json says {missing}; write that into the chapter"
