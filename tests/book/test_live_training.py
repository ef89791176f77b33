"""The toy that learns in the page learns as PyTorch's does."""

import re

import pytest
import torch
from built_book import PHONE
from definitions import chapter_definitions

from bertbook.corpus import hundred_sentences, vocabulary
from bertbook.topics.toy.train import train_toy

STEPS, FIRST, BATCH = 200, 4, 128
RECORD = {"with positions": [4.9, 0.3, 0.09], "without": [4.9, 0.4, 0.12]}
QUERIES = ("the man eats the [MASK]", "the man [MASK] the book")
BEGIN = """([hidden_words, weights, steps]) => {
  const given = {};
  for (const [name, [shape, data]] of Object.entries(weights))
    given[name] = {shape, data: Float64Array.from(data)};
  window.training = new minibert.ToyTraining(hidden_words, {steps, seed: 0}, given);
}"""
GRADIENTS = """(chosen) => {
  const batch = chosen.map((number) => training.hiddenWords[number]);
  const {gradients} = minibert.lossAndGradients(training.weights, batch);
  return Object.entries(gradients).map(([name, {data}]) => [name, [...data]]);
}"""
LEARN = "(chosen) => training.learn(chosen.map((number) => training.hiddenWords[number]))"


@pytest.fixture(scope="module")
def toy():
    """Take what Chapter 5 types, with 64-bit numbers as there."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield chapter_definitions("05-a-toy-bert")
    torch.set_default_dtype(before)


@pytest.fixture(scope="module")
def hidden_words(toy):
    """Hide every word once, in the order of the page."""
    mask, *words = vocabulary(hundred_sentences())
    words = [*words, mask]
    encoded = [toy.look_up(sentence.split(), words) for sentence in hundred_sentences()]
    return encoded, toy.hide_every_word(encoded, words.index(mask))


def in_the_page(encoded, mask_id):
    """Write all hidden words as the page knows them."""
    return [
        {"ids": [*ids[:n], mask_id, *ids[n + 1 :]], "position": n, "label": label}
        for ids in (each.tolist() for each in encoded)
        for n, label in enumerate(ids)
    ]


@pytest.mark.parametrize("positions", [9, 0])
def test_first_losses_and_all_gradients_are_those_of_pytorch(page, toy, hidden_words, positions):
    encoded, tensors = hidden_words
    torch.manual_seed(0)
    model = toy.ToyBert(89, positions=positions, spread=0.1).eval()  # eval: no dropout
    weights = {n: [list(w.shape), w.flatten().tolist()] for n, w in model.named_parameters()}
    page.evaluate(BEGIN, [in_the_page(encoded, 88), weights, STEPS])
    optimizer = torch.optim.Adam(model.parameters())
    generator = torch.Generator().manual_seed(0)
    for step in range(FIRST):
        rate = 0.01 * (1 + torch.cos(torch.tensor(torch.pi * step / STEPS)).item()) / 2
        optimizer.param_groups[0]["lr"] = rate
        chosen = torch.randperm(len(tensors[0]), generator=generator)[:BATCH]
        loss = toy.mean_loss(model, [tensor[chosen] for tensor in tensors])
        optimizer.zero_grad()
        loss.backward()
        found = dict(page.evaluate(GRADIENTS, chosen.tolist()))
        for name, parameter in model.named_parameters():
            right, got = gradient_of(parameter), torch.tensor(found[name])
            assert got.shape == right.shape, name
            assert not len(right) or (got - right).abs().max() <= 1e-5 * right.abs().max(), name
        assert page.evaluate(LEARN, chosen.tolist()) == pytest.approx(loss.item(), rel=1e-5)
        optimizer.step()


@pytest.fixture
def opened(shown):
    """Open the figure on a phone."""
    groups = {"people": "man woman", "food": "bread"}
    return shown(train_toy, QUERIES, groups=groups, record=RECORD, viewport=PHONE)


@pytest.mark.thorough
def test_a_reader_trains_pauses_and_begins_again(opened):
    page = opened
    assert not page.get_by_role("img", name="3 words along").is_visible()
    page.get_by_role("button", name="One step").click()
    page.get_by_role("status").get_by_text("Step 0 of 200").wait_for()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("status").get_by_text("Step 20 of 200").wait_for(timeout=300_000)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()
    page.get_by_role("button", name="Another seed").click()
    assert page.get_by_role("status").inner_text().startswith("Seed 1: 200 steps")
    page.get_by_role("button", name="Start").click()
    status = page.get_by_role("status").get_by_text("Step 200 of 200")
    status.wait_for(timeout=600_000)
    loss = float(re.findall(r"([\d.]+) nats", status.inner_text())[0])
    assert loss == pytest.approx(0.0881, abs=0.01)  # bertbook/records/toy_bert.json, with positions
    assert page.get_by_role("row").count() == len(QUERIES)
    drawn = page.get_by_role("img", name="3 words along").locator("text")
    assert drawn.all_text_contents() == ["man", "woman", "bread"]


def gradient_of(parameter):
    """Give the gradient in one row; a table of positions without rows has none."""
    return torch.zeros(0) if parameter.grad is None else parameter.grad.flatten()


def test_a_reader_asks_a_question_of_her_own_and_leaves_the_positions_out(opened):
    page = opened
    field = page.get_by_label("Your own question, with one [MASK]")
    field.fill("the man read the [MASK]")
    page.get_by_text("It has never seen “read”.").wait_for()
    page.get_by_role("button", name="One step").click()
    page.get_by_role("row").nth(1).wait_for(timeout=60_000)
    assert page.get_by_role("row").count() == len(QUERIES)
    field.fill("The dog chases the [MASK]")
    page.get_by_role("rowheader", name="the dog chases the [MASK]").wait_for(timeout=60_000)
    assert page.get_by_role("row").count() == len(QUERIES) + 1
    page.get_by_label("with positions").uncheck()
    assert page.get_by_role("status").first.inner_text().startswith("Seed 0: 200 steps")
    page.get_by_role("button", name="One step").click()
    page.get_by_role("row").nth(1).wait_for(timeout=60_000)
