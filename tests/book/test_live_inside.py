"""What the page shows of a model's inside is what hooks of the package see there."""

import re

import numpy as np
import pytest
import torch
from built_book import PHONE

from bertbook.core import see_heads, swap_heads
from bertbook.core.attention_maps import patch_heads
from bertbook.core.watching import Watched
from bertbook.records import trained_folder

SMALL = trained_folder("small-world")
CLOSE = {"rtol": 0, "atol": 2e-5}
NUMBER = r"[-\N{MINUS SIGN}]?\d+(?:\.\d+)?"
STORY = "ben waits for the red bus in front of the bank | the bus leaves late and [MASK] walks home"
TWIN = STORY.replace("ben", "anna")

# Compute with other contexts in the place of some heads' own, and note what every part gives.
PATCH = """([ids, types, contexts]) => {
  const put = contexts.map(([layer, head, shape, numbers]) => {
    return {layer, head, context: {shape, data: Float32Array.from(numbers)}};
  });
  const seen = [];
  const watch = (name, ...arrays) => seen.push([name, arrays.map(({data}) => [...data])]);
  minibert.forward('small-world', ids, types, {watch, edits: {contexts: put}});
  return seen;
}"""


@pytest.fixture(scope="module")
def watched():
    """Give the small world's model with the weights that the page has."""
    return Watched(SMALL)


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
    seen = page.evaluate(PATCH, [ids, types, given])
    assert len(seen) == 9
    right = outputs(watched.model.bert, [name for name, _ in seen], batch, patches)
    for name, arrays in seen:
        first = bool(heads) and name.endswith("attention.self")  # patched after this hook
        for one, other in list(zip(arrays, right[name], strict=True))[first:]:
            np.testing.assert_allclose(one, other.flatten().numpy(), **CLOSE)


def numbers(page, where=".mb-stage td"):
    """Read every number of the cells that a page shows, with either minus sign."""
    text = " ".join(page.locator(where).all_inner_texts())
    return [float(one.replace("\N{MINUS SIGN}", "-")) for one in re.findall(NUMBER, text)]


def computed_here(page):
    """Let a page compute what stands there already."""
    before = numbers(page)
    page.get_by_role("button", name="Compute it here (it is here already)").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".mb-stage button, .mb-stage input")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    assert numbers(page) == pytest.approx(before, abs=0.011)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    return page


def test_all_heads_look_at_the_reader_s_sentence(shown, watched):
    text = "anna kicks the blue ball over the wall"
    page = computed_here(shown(see_heads, text, SMALL, viewport=PHONE))
    status, field = page.get_by_role("status"), page.get_by_label("Your sentence")
    assert page.locator("button.mb-head").count() == 8
    field.fill("ben sings | his mother likes the song")
    page.get_by_role("button", name="head 2.3").focus()
    page.keyboard.press("Space")
    shares = watched.shares("ben sings | his mother likes the song", 1, 2)
    assert numbers(page) == pytest.approx(list(shares.values()), abs=0.0051)
    told = status.inner_text()
    best = max(shares, key=shares.get)
    assert told.startswith(f"10 tokens. Of the five targets, head 2.3 spends most on {best}: 0.")
    assert page.locator("svg text").all_text_contents()[:3] == ["[CLS]", "ben", "sings"]
    for typed, sentence in ((" ", "type a sentence"), ("a " * 39, "41 tokens were given")):
        field.fill(typed)
        status.get_by_text(sentence).wait_for()
        assert page.locator(".mb-stage > *").count() == 0  # nothing of another sentence


def test_a_head_of_the_twin_turns_the_answer(shown, watched):
    page = computed_here(shown(swap_heads, STORY, TWIN, [(1, 2)], SMALL, viewport=PHONE))
    status, field = page.get_by_role("status"), page.get_by_label("Its twin")
    page.get_by_role("checkbox", name="2.3", exact=True).uncheck()
    page.get_by_role("checkbox", name="1.1", exact=True).check()
    answers = [watched.answers(STORY), watched.answers(TWIN)]
    answers.append(watched.patched(STORY, TWIN, [(0, 0)]))
    row = numbers(page, "tr:has(th:text-is('he'))")
    assert row == pytest.approx([answer["he"] for answer in answers], abs=0.0051)
    field.fill("anna waits | [MASK] sings")
    status.get_by_text("the story has 22 tokens and its twin 7").wait_for()
    field.fill(TWIN.replace("[MASK]", "she"))
    status.get_by_text("the twin has no [MASK]").wait_for()
