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
from bertbook.core.attention_maps import patch_heads
from bertbook.core.live_scripts import real_vocabulary
from bertbook.corpus import hundred_sentences, sample_pairs, small_world, vocabulary
from bertbook.records import trained_folder
from minibert.wordpiece import WordPieceTokenizer

ROWS, CHUNK, STEPS = 150, 50, 200
CLOSE = {"rtol": 0, "atol": 2e-5}


@pytest.fixture(scope="module")
def rows(watched):
    """Draw pairs and single sentences, with masks and unknown words anywhere, some padded."""
    rng, drawn = np.random.default_rng(19), []
    for number, pair in enumerate(sample_pairs(small_world(), ROWS, rng=rng)):
        first, second = (" ".join(_changed(part, rng)) for part in pair[:2])
        given = (first, second) if number % 3 else (first,)
        batch = watched.tokenizer(*given, truncation=True, max_length=40)
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
    """Compute rows in the page: for each row its arrays, in the order of `expected`."""
    for begin in range(0, len(rows), CHUNK):
        for shapes, letters in page.evaluate("look.compute", [name, rows[begin : begin + CHUNK]]):
            numbers = np.frombuffer(base64.b64decode(letters), dtype="<f4")
            ends = np.cumsum([np.prod(shape) for shape in shapes])[:-1]
            yield [part.reshape(s) for part, s in zip(np.split(numbers, ends), shapes, strict=True)]


@torch.no_grad()
def expected(model, ids, types, options):
    """Compute a row with the package: logits, hidden states, attention."""
    mask = torch.tensor([options.get("attentionMask", [1] * len(ids))])
    encoded = model.bert(torch.tensor([ids]), mask, torch.tensor([types]), None, None, True, True)
    words, pairs = model.cls(encoded.last_hidden_state, encoded.pooler_output)
    return [t[0].numpy() for t in (words, pairs, *encoded.hidden_states, *encoded.attentions)]


def assert_equal(found, wanted):
    """Fail at the first array that differs."""
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
def test_the_small_world_computes_the_same_in_the_page(page, watched, rows, unchecked):
    page.evaluate("minibert.ready('small-world')")
    for row, found in zip(rows, computed(page, "small-world", rows), strict=True):
        assert_equal(found, expected(watched.model, *row))


def test_edits_are_those_of_a_hook(page, watched, rows):
    page.evaluate("minibert.ready('small-world')")
    model, (ids, types, _), (other, other_types, _) = watched.model, rows[0], rows[2]
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

    first, second = model.bert.encoder.layer
    before = second.attention.self.dropout.register_forward_pre_hook(put_row)
    with first.register_forward_hook(put_vector), before:
        assert_equal(found, expected(model, ids, types, {}))


@torch.no_grad()
def outputs(bert, names, batch, patches):
    """Let hooks note what the named parts of a model give."""
    noted = {}
    hooks = [
        bert.get_submodule(name).register_forward_hook(
            lambda _, __, output, name=name: noted.update({name: output})
        )
        for name in names
    ]
    with patch_heads(bert, patches):
        bert(**batch, output_attentions=True)
    for hook in hooks:
        hook.remove()
    return {name: one if isinstance(one, tuple) else (one,) for name, one in noted.items()}


@pytest.mark.parametrize("heads", [(), ((0, 3), (1, 2))], ids=["whole", "patched"])
def test_every_part_computes_what_its_hook_sees(page, watched, heads):
    page.evaluate("minibert.ready('small-world')")
    batch = watched.row("anna kicks the [MASK] ball | a small dog finds the blue ball")
    ids, types = (batch[name][0].tolist() for name in ("input_ids", "token_type_ids"))
    generator = torch.Generator().manual_seed(3)
    patches = {head: torch.randn(len(ids), 32, generator=generator) for head in heads}
    given = [[*head, [len(ids), 32], x.flatten().tolist()] for head, x in patches.items()]
    seen = page.evaluate("look.watched", [ids, types, given])
    assert len(seen) == 9
    right = outputs(watched.model.bert, [name for name, _ in seen], batch, patches)
    for name, arrays in seen:
        first = bool(heads) and name.endswith("attention.self")  # patched after this hook
        for one, other in list(zip(arrays, right[name], strict=True))[first:]:
            np.testing.assert_allclose(one, other.flatten().numpy(), **CLOSE)


@pytest.fixture(scope="module")
def toy():
    """Take what Chapter 5 types."""
    return chapter_definitions("05-a-toy-bert")


@pytest.fixture
def in_64_bits():
    """Compute as Chapter 5 does."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_the_toy_computes_the_same_in_the_page(page, toy):
    mask, *words = vocabulary(hundred_sentences())
    model = toy.ToyBert(89, positions=9).eval()
    model.load_state_dict(load_file(trained_folder("toy") / "model.safetensors"))
    page.evaluate("minibert.ready('toy')")
    for number, sentence in enumerate(hundred_sentences()):
        tokens = sentence.split()
        tokens[number % len(tokens)] = mask
        ids = [[*words, mask].index(token) for token in tokens]
        text = " ".join(tokens)
        assert page.evaluate("(text) => minibert.tokenize(text, 'toy').inputIds", text) == ids
        ((logits, _, states, _),) = computed(page, "toy", [(ids, [0] * len(ids), {})])
        with torch.no_grad():
            right = model.encode(torch.tensor(ids))
            assert_equal([states, logits], [right.numpy(), model.predict(right).numpy()])


@pytest.mark.usefixtures("in_64_bits")
@pytest.mark.parametrize("positions", [9, 0])
def test_the_losses_and_all_gradients_of_the_toy_are_those_of_pytorch(page, toy, positions):
    mask, *words = vocabulary(hundred_sentences())
    encoded = [toy.look_up(sentence.split(), [*words, mask]) for sentence in hundred_sentences()]
    tensors = toy.hide_every_word(encoded, len(words))
    hidden_words = [
        {"ids": [*ids[:n], len(words), *ids[n + 1 :]], "position": n, "label": label}
        for ids in (each.tolist() for each in encoded)
        for n, label in enumerate(ids)
    ]
    torch.manual_seed(0)
    model = toy.ToyBert(89, positions=positions, spread=0.1).eval()  # eval: no dropout
    weights = {n: [list(w.shape), w.flatten().tolist()] for n, w in model.named_parameters()}
    page.evaluate("look.beginTraining", [hidden_words, weights, STEPS])
    optimizer = torch.optim.Adam(model.parameters())
    generator = torch.Generator().manual_seed(0)
    for step in range(4):
        rate = 0.01 * (1 + torch.cos(torch.tensor(torch.pi * step / STEPS)).item()) / 2
        optimizer.param_groups[0]["lr"] = rate
        chosen = torch.randperm(len(tensors[0]), generator=generator)[:128]
        loss = toy.mean_loss(model, [tensor[chosen] for tensor in tensors])
        optimizer.zero_grad()
        loss.backward()
        found = dict(page.evaluate("look.gradients", chosen.tolist()))
        for name, parameter in model.named_parameters():
            # A table of positions without rows has no gradient.
            right = torch.zeros(0) if parameter.grad is None else parameter.grad.flatten()
            got = torch.tensor(found[name])
            assert got.shape == right.shape, name
            assert not len(right) or (got - right).abs().max() <= 1e-5 * right.abs().max(), name
        assert page.evaluate("look.learn", chosen.tolist()) == pytest.approx(loss.item(), rel=1e-5)
        optimizer.step()


@pytest.mark.parametrize("lower", [True, False])
def test_odd_texts_have_the_same_ids(page, lower):
    tokenizer, texts = WordPieceTokenizer(odd_vocabulary(), lower), odd_texts(2500, seed=23)
    found = page.evaluate("look.encoded", [tokenizer.pieces, lower, texts])
    assert [tokenizer.encode(text) for text in texts] == found


def test_the_typing_field_cuts_as_the_tokenizers_do(shown, real_tokenizer):
    tokenizer = WordPieceTokenizer(odd_vocabulary())
    page = shown(type_ahead, tokenizer, ["Playing [MASK] <naïve> 中国!", "x & y"], real=True)
    before = page.locator(".mb-words").inner_html()
    page.get_by_role("button", name="x & y").click()
    assert page.locator("output").inner_text() == "3 words, 3 pieces"
    page.get_by_role("button", name="Playing").click()
    assert page.locator(".mb-words").inner_html() == before
    page.locator("input").fill("unaffable ing")
    page.get_by_label("Vocabulary").select_option("real")
    page.get_by_text("una", exact=True).wait_for()
    texts = [text.replace("\r", " ").replace("\n", " ") for text in odd_texts(500, seed=37)]
    for text, found in zip(texts, page.evaluate("look.typedIds", texts), strict=True):
        assert found == [str(number) for number in real_tokenizer.encode(text)[1:-1]]


def test_the_scripts_are_small_and_the_readme_says_their_sizes(html):
    sizes = {path.name: path.stat().st_size for path in (html / "_static" / "live").iterdir()}
    largest = {"minibert.js": 100_000, "small-world.js": 2_000_000, "english.js": 2_500_000}
    largest |= dict.fromkeys(("toy.js", "exercises.js"), 250_000)
    if real_vocabulary() is not None:
        largest["bert-uncased.js"] = 400_000
    assert sizes.keys() == largest.keys()
    assert all(sizes[name] < size for name, size in largest.items()), sizes
    sizes["exercises.js"] += (html / "_static/lib/pyodide/python.js").stat().st_size
    readme = (BOOK.parent / "README.md").read_text(encoding="utf-8")
    for name in ("small-world.js", "exercises.js", "english.js", "minibert.js"):
        assert f"{sizes[name] / 1e6:.1f} MB" in readme
