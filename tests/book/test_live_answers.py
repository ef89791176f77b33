"""Figures in which a reader asks the small world's model: its answers are those of the package."""

import torch
from built_book import PHONE

from bertbook.core import fill_in, next_sentence
from bertbook.core.attention_maps import ablate_heads
from bertbook.records import trained_folder
from minibert.loading import load_tokenizer

SMALL = trained_folder("small-world")
TOKENIZER = load_tokenizer(SMALL, do_lower_case=True)
FIRST = "anna kicks the blue ball over the wall"
SECOND = "a small dog finds the blue ball behind the wall and her sister laughs"

BAT = (
    "ben sees a bat over the mill and three moths",
    "*he* makes a wish for his mother and goes home from the lake",
)


@torch.no_grad()
def share(model, first, second, word):
    """Compute what the package gives a word at [MASK], as a page writes it."""
    batch = TOKENIZER(first, second)
    place = batch["input_ids"][0].tolist().index(TOKENIZER.mask_token_id)
    logits = model(**batch).prediction_logits[0, place]
    return f"{logits.softmax(-1)[TOKENIZER.vocab[word]].item():.2f}"


def test_a_reader_hides_a_word_or_types_and_sees_the_answers(shown, model):
    page = shown(fill_in, [(FIRST, SECOND.replace("blue", "*blue*")), BAT], SMALL, viewport=PHONE)
    page.get_by_role("button", name="Let the model answer (it is here already)").click()
    figure = page.locator("[data-live=fill-in-the-blank]")
    figure.get_by_label("Sentences").select_option("1")
    figure.get_by_role("status").get_by_text("“he” stood there.").wait_for()
    figure.get_by_label("Sentences").select_option("0")
    figure.get_by_role("button", name="sister").focus()
    page.keyboard.press("Enter")
    assert figure.get_by_role("button", pressed=True).inner_text().startswith("[MASK]")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    row = figure.get_by_role("row", name="sister").inner_text().split()
    right = share(model, FIRST, SECOND.replace("sister", "[MASK]"), "sister")
    assert row == ["sister", right, "0.25"]
    # A sentence of her own.
    figure.get_by_label("Your own sentence").fill("the zebra [MASK] | it sleeps")
    page.keyboard.press("Enter")
    figure.get_by_role("button", name="zebra").wait_for()
    assert figure.locator(".mb-unknown").all_inner_texts() == ["zebra"]
    assert figure.get_by_text("It has never seen “zebra”.").is_visible()
    assert figure.get_by_role("columnheader").all_inner_texts() == ["word", "the model"]
    figure.get_by_role("button", name="it").click()
    assert "“it” stood there" in figure.get_by_role("status").inner_text()
    figure.get_by_label("Your own sentence").fill("a " * 50)
    page.keyboard.press("Enter")
    figure.get_by_text("52 tokens were given; small-world takes 1 to 40").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_heads_that_are_silent_or_turned_to_one_word_move_the_answers(shown, model):
    page = shown(fill_in, [BAT], SMALL, silence=True)
    page.get_by_role("button", name="Let the model answer (it is here already)").click()
    page.get_by_role("checkbox", name="2.3", exact=True).check()
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert heads == ["word", "the model", "changed", "at best"]
    row = page.locator("tr:has(th:text-is('he'))")
    asked = BAT[0], BAT[1].replace("*he*", "[MASK]"), "he"
    shares = [share(model, *asked)]
    with ablate_heads(model.bert, [(1, 2)]):
        shares.append(share(model, *asked))
    assert row.inner_text().split() == ["he", *shares, "1.00"]
    page.get_by_role("checkbox", name="2.3", exact=True).uncheck()
    page.get_by_label("Where [MASK] looked").select_option("head 2.3")
    page.get_by_label("look only at").select_option("mill")
    shares = page.locator(".mb-sentence small").all_inner_texts()
    assert [share for share in shares if share not in ("0 %", "")] == ["100 %"]
    # What such an edit makes of the numbers, test_live.py compares with a hook.


def test_the_next_sentence_is_judged_as_by_the_package(shown, model):
    other = "emma feels the bark of the young birch"
    page = shown(next_sentence, {"ball": (FIRST, SECOND), "birch": (FIRST, other)}, SMALL)
    assert page.get_by_role("cell").all_inner_texts() == ["0.99", "1.00"]  # before the click
    page.get_by_role("button", name="Does the second follow?").click()
    assert page.get_by_role("status").inner_text() == "The model says 0.99: it follows."
    page.get_by_label("Pairs").select_option("birch")
    with torch.no_grad():
        right = model(**TOKENIZER(FIRST, other)).seq_relationship_logits[0].softmax(-1)[0].item()
    cells = page.get_by_role("cell").all_inner_texts()
    assert cells == [f"{right:.2f}", "0.00"]
    page.get_by_label("Second sentence").fill("she laughs")
    page.keyboard.press("Enter")
    assert len(page.get_by_role("cell").all_inner_texts()) == 1  # no oracle for what is typed
    page.get_by_label("Second sentence").fill("laughs " * 40)
    page.keyboard.press("Enter")
    page.get_by_role("status").get_by_text("tokens were given").wait_for()
    assert page.get_by_role("cell").count() == 0
