"""The JavaScript of the pages computes what the package computes, in a real browser."""

import base64

import numpy as np
import pytest
import torch
from built_book import BOOK, built_pages
from definitions import chapter_definitions
from odd_texts import odd_texts, odd_vocabulary
from safetensors.torch import load_file

from bertbook.core import type_ahead
from bertbook.core.live_scripts import real_vocabulary
from bertbook.corpus import hundred_sentences, sample_pairs, small_world, vocabulary
from bertbook.records import trained_folder
from minibert.loading import load_tokenizer
from minibert.wordpiece import WordPieceTokenizer

SMALL = trained_folder("small-world")
ROWS, ODD, CHUNK = 150, 2500, 50
CLOSE = {"rtol": 0, "atol": 2e-5}

# All numbers of a result in one text: base64 of 32-bit floats, in this order.
COMPUTE = """([name, rows]) => rows.map(([ids, types, options]) => {
  const found = minibert.forward(name, ids, types, options);
  const arrays = [found.logits, found.nextSentence, ...found.hiddenStates, ...found.attentions]
    .filter(Boolean);
  const letters = arrays.map(({ data }) => {
    const bytes = new Uint8Array(data.slice().buffer), parts = [];
    for (let i = 0; i < bytes.length; i += 8192)
      parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
    return parts.join('');
  });
  return [arrays.map(({ shape }) => shape), btoa(letters.join(''))];
})"""

TYPE = """(texts) => texts.map((text) => {
  const field = document.querySelector('input');
  field.value = text;
  field.dispatchEvent(new Event('input'));
  return [...document.querySelectorAll('.mb-chip small')].map((id) => id.textContent);
})"""


@pytest.fixture(scope="module")
def rows():
    """Draw pairs and single sentences, with masks and unknown words anywhere, some padded."""
    rng = np.random.default_rng(19)
    tokenizer = load_tokenizer(SMALL, do_lower_case=True)
    drawn = []
    for number, pair in enumerate(sample_pairs(small_world(), ROWS, rng=rng)):
        first, second = (" ".join(_changed(part, rng)) for part in pair[:2])
        given = (first, second) if number % 3 else (first,)
        batch = tokenizer(*given, truncation=True, max_length=40)
        ids, types = (batch[name][0].tolist() for name in ("input_ids", "token_type_ids"))
        padding = int(rng.integers(1, 6)) * (number % 2) if len(ids) <= 35 else 0
        mask = [1] * len(ids) + [0] * padding
        drawn.append((ids + [0] * padding, types + [0] * padding, {"attentionMask": mask}))
    return drawn


def _changed(words, rng):
    """Hide some words and misspell others."""
    for word in words:
        chance = rng.random()
        yield "[MASK]" if chance < 0.15 else "ж" if chance < 0.2 else word + "q" * (chance < 0.25)


def computed(page, name, rows):
    """Compute rows in the page: for each row its arrays, in the order of COMPUTE."""
    for begin in range(0, len(rows), CHUNK):
        for shapes, letters in page.evaluate(COMPUTE, [name, rows[begin : begin + CHUNK]]):
            numbers = np.frombuffer(base64.b64decode(letters), dtype="<f4")
            ends = np.cumsum([np.prod(shape) for shape in shapes])[:-1]
            yield [part.reshape(s) for part, s in zip(np.split(numbers, ends), shapes, strict=True)]


@torch.no_grad()
def expected(model, ids, types, options):
    """Compute a row with the package: the arrays in the order of COMPUTE."""
    mask = torch.tensor([options.get("attentionMask", [1] * len(ids))])
    encoded = model.bert(torch.tensor([ids]), mask, torch.tensor([types]), None, None, True, True)
    words, pairs = model.cls(encoded.last_hidden_state, encoded.pooler_output)
    return [t[0].numpy() for t in (words, pairs, *encoded.hidden_states, *encoded.attentions)]


def assert_equal(found, wanted):
    """Fail at the first array that differs."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


def test_a_page_loads_nothing_until_it_is_asked(reader):
    name = next(name for name in built_pages("chapters") if "/20-" in name)
    page = reader.open(name, from_disk=True)
    page.locator("[data-live=fill-in-the-blank]").first.scroll_into_view_if_needed()
    models = {"small-world.js", "toy.js", "bert-uncased.js", "exercises.js", "python.js"}
    assert not (models | {"english.js"}) & {*reader.asked}
    page.evaluate("minibert.ready('toy')")
    assert "toy.js" in reader.asked


@pytest.mark.slow
def test_the_small_world_computes_the_same_in_the_page(page, model, rows, unchecked):
    page.evaluate("minibert.ready('small-world')")
    assert len(rows) >= ROWS
    for row, found in zip(rows, computed(page, "small-world", rows), strict=True):
        assert_equal(found, expected(model, *row))


def test_edits_are_those_of_a_hook(page, model, rows):
    page.evaluate("minibert.ready('small-world')")
    (ids, types, _), (other, other_types, _) = rows[0], rows[2]
    vector = torch.tensor(expected(model, other, other_types, {})[3][1])  # after layer 1
    row = torch.linspace(1, 2, len(ids)).softmax(-1)
    patch = {"layer": 1, "position": 2, "vector": vector.tolist()}
    edit = {"layer": 1, "head": 3, "query": 0, "probs": row.tolist()}
    options = {"edits": {"hiddenStates": [patch], "attentions": [edit]}}
    (found,) = computed(page, "small-world", [(ids, types, options)])

    def put_vector(_, __, output):
        output[0][0, 2] = vector
        return output

    def put_row(_, given):
        given[0][0, 3, 0] = row
        return given

    layers = model.bert.encoder.layer
    with (
        layers[0].register_forward_hook(put_vector),
        layers[1].attention.self.dropout.register_forward_pre_hook(put_row),
    ):
        wanted = expected(model, ids, types, {})
    assert_equal(found, wanted)


def test_the_toy_computes_the_same_in_the_page(page):
    chapter = chapter_definitions("05-a-toy-bert")
    mask, *words = vocabulary(hundred_sentences())
    toy = chapter.ToyBert(89, positions=9).eval()
    toy.load_state_dict(load_file(trained_folder("toy") / "model.safetensors"))
    page.evaluate("minibert.ready('toy')")
    for number, sentence in enumerate(hundred_sentences()):
        tokens = sentence.split()
        tokens[number % len(tokens)] = mask
        ids = [[*words, mask].index(token) for token in tokens]
        text = " ".join(tokens)
        assert page.evaluate("(text) => minibert.tokenize(text, 'toy').inputIds", text) == ids
        ((logits, _, states, _),) = computed(page, "toy", [(ids, [0] * len(ids), {})])
        with torch.no_grad():
            right = toy.encode(torch.tensor(ids))
            np.testing.assert_allclose(states, right.numpy(), **CLOSE)
            np.testing.assert_allclose(logits, toy.predict(right).numpy(), **CLOSE)


@pytest.mark.parametrize("lower", [True, False])
def test_odd_texts_have_the_same_ids(page, lower):
    tokenizer = WordPieceTokenizer(odd_vocabulary(), lower)
    texts = odd_texts(ODD, seed=23)
    cut = "([pieces, lower, texts]) => { const tokenizer = new minibert.WordPieceTokenizer(pieces,"
    cut += " lower); return texts.map((text) => tokenizer.encode(text).inputIds); }"
    found = page.evaluate(cut, [tokenizer.pieces, lower, texts])
    assert [tokenizer.encode(text) for text in texts] == found


def test_the_typing_field_cuts_as_the_tokenizer_does(shown):
    tokenizer = WordPieceTokenizer(odd_vocabulary())
    stored = ["Playing [MASK] <naïve> 中国!", "x & y"]
    page = shown(type_ahead, tokenizer, stored)
    before = page.locator(".mb-words").inner_html()
    page.get_by_role("button", name="x & y").click()
    assert page.locator("output").inner_text() == "3 words, 3 pieces"
    page.get_by_role("button", name="Playing").click()
    assert page.locator(".mb-words").inner_html() == before
    page.locator("input").fill("the ing")
    assert page.locator(".mb-word").all_inner_texts() == ["the", "ing"]


def test_the_typing_field_can_take_the_vocabulary_of_the_real_bert(shown, real_tokenizer):
    tokenizer = WordPieceTokenizer(odd_vocabulary())
    page = shown(type_ahead, tokenizer, ["unaffable"], real=True)
    page.get_by_label("Vocabulary").select_option("real")
    page.get_by_text("una", exact=True).wait_for()
    texts = [text.replace("\r", " ").replace("\n", " ") for text in odd_texts(500, seed=37)]
    for text, found in zip(texts, page.evaluate(TYPE, texts), strict=True):
        assert found == [str(number) for number in real_tokenizer.encode(text)[1:-1]]
    page.get_by_label("Vocabulary").select_option("toy")
    assert page.get_by_text("una", exact=True).count() == 0


TOY = "minibert.forward('toy'"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("minibert.ready('large-world')", "there is no model 'large-world'; there are small-world"),
        ("minibert.tokenize('the zebra', 'toy')", "the model does not know the word 'zebra'"),
        (f"{TOY}, [1, 89])", "id 89 is outside the vocabulary; ids run from 0 to"),
        (f"{TOY}, Array(10).fill(1))", "10 tokens were given; toy takes 1 to 9"),
        (f"{TOY}, [1], [0], {{headsOff: [[1, 0]]}})", "there is no head 0 in layer 1; layers"),
    ],
)
def test_errors_say_what_is_wrong(page, call, sentence):
    page.evaluate("minibert.ready('toy')")
    said = f"async () => {{ try {{ await {call} }} catch (error) {{ return error.message }} }}"
    assert sentence in page.evaluate(said)


def test_the_scripts_are_small(html):
    sizes = {path.name: path.stat().st_size for path in (html / "_static" / "live").iterdir()}
    largest = {"minibert.js": 100_000, "small-world.js": 2_000_000, "english.js": 2_500_000}
    largest |= dict.fromkeys(("toy.js", "exercises.js"), 250_000)
    if real_vocabulary() is not None:
        largest["bert-uncased.js"] = 400_000
    assert sizes.keys() == largest.keys()
    assert all(sizes[name] < size for name, size in largest.items()), sizes
    python = (html / "_static" / "lib" / "pyodide" / "python.js").read_bytes()
    assert len(python) < 9_000_000 and b"MPL-2.0" in python[:200]
    readme = (BOOK.parent / "README.md").read_text(encoding="utf-8")
    sizes["exercises.js"] += len(python)
    for name in ("small-world.js", "exercises.js", "english.js", "minibert.js"):
        assert f"{sizes[name] / 1e6:.1f} MB" in readme
