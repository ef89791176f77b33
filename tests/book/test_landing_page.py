"""The landing page answers without a click, any sentence after one, and what it counts is so."""

import re

import numpy as np
import pytest
import torch
from built_book import BOOK, HTML, PHONE, assert_accessible, assert_fits

from bertbook.core.bigram_chain import BigramChain
from bertbook.core.eight_bits import load_from_eight_bits
from bertbook.records import trained_folder
from minibert.loading import load_tokenizer
from minibert.pretraining import BertForPreTraining

LAPTOP = {"width": 1280, "height": 800}
OPENING, ANY = "[data-live=opening]", "[data-live=any-sentence]"
READY = f"{OPENING} button.mb-hide"  # its words are buttons: the script has taken over
COMPUTED = "Where [MASK] looked"  # appears as soon as the model is there
MOVING = "(figure) => figure.getAnimations({subtree: true}).length"
MODEL, ENGLISH = "small-world.js", "english.js"
NOTE_MOTION = """
  window.noted = [];
  addEventListener('animationstart', ({ animationName }) => noted.push(animationName), true);
"""
BARK = ["word the model at best bark 1.00 1.00", "“bark” stood there."]


@pytest.fixture
def opened(reader):
    """Open the page, and give one of its figures."""

    def open_page(figure, **settings):
        page = reader.open("index.html", from_disk=True, **settings)
        return page, page.locator(figure)

    return open_page


def answer(figure):
    """Give what the figure says, as a reader sees it."""
    table, status = (figure.get_by_role(part) for part in ("table", "status"))
    shown = [table, figure.locator(".mb-sentence"), status]
    return [" ".join(part.inner_text().split()) for part in shown]


def assert_accessible_in_both_themes(page):
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_accessible(page, f"the answered page, {theme}")


@pytest.mark.parametrize("screen", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_first_screen_answers_rightly_and_leads_to_chapter_1(opened, screen):
    page, figure = opened(OPENING, viewport=screen, motion="no-preference", first=NOTE_MOTION)
    table, sentence, status = answer(figure)
    assert [table, status[:19]] == BARK and "feels 34 % the 0 % [MASK]" in sentence
    page.locator(READY).first.wait_for()
    assert [table, sentence, status] == answer(figure)  # the script says the same
    assert {"mb-shade", "mb-grow"} <= {*page.evaluate("noted")}  # words; answers
    assert figure.evaluate(MOVING) == 0
    seen = [figure.get_by_role("table"), figure.locator(".mb-sentence")]
    for part in [*seen, page.get_by_role("link", name="Start with Chapter 1")]:
        box = part.bounding_box()
        assert box["y"] + box["height"] < screen["height"], f"below the first screen: {part}"


def test_the_questions_are_answered_without_the_model_and_without_motion(opened, reader):
    page, figure = opened(OPENING, first=NOTE_MOTION)
    buttons = figure.get_by_role("group", name="Questions").get_by_role("button")
    names = buttons.all_inner_texts()
    assert names[1] == "Which color is the ball?"  # where it fails comes second
    for number, first in ((1, "red 0.25 0.00"), (3, "hunts 0.49 0.33"), (2, "he 0.98 1.00")):
        buttons.nth(number).click()
        assert first in answer(figure)[0]
        pressed = [button.get_attribute("aria-pressed") for button in buttons.all()]
        assert pressed == [str(one == number).lower() for one in range(len(names))]
    page.wait_for_timeout(300)
    assert figure.evaluate(MOVING) == 0 and page.evaluate("noted") == []
    assert MODEL not in reader.asked


def test_the_model_comes_once_after_a_click_and_computes_what_stood_there(opened, reader):
    page, figure = opened(OPENING)
    page.locator(READY).first.wait_for()
    stored = answer(figure)
    button = figure.get_by_role("button", name="Type a sentence of your own (loads 1.5 MB)")
    button.evaluate("(button) => { button.click(); button.click(); }")
    figure.get_by_label(COMPUTED).wait_for()
    assert answer(figure) == stored
    assert reader.asked.count(MODEL) == 1
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    figure.locator("button.mb-hide", has_text="stick").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    figure.get_by_role("status").get_by_text("“from” stood there.").wait_for()
    assert_accessible_in_both_themes(page)


def test_no_place_is_left_empty_and_the_cells_that_are_compared_are_counted():
    for name in ("index.html", "paths.html", "statistics.html", "for-teachers.html"):
        page = (HTML / name).read_text(encoding="utf-8")
        assert not re.findall(r"\{[a-z ]+\}|<!-- (?:[a-z]+ of|downloads)", page)
    sources = [path.read_text(encoding="utf-8") for path in (BOOK / "chapters").glob("*.ipynb")]
    left_out = sum(source.count('"nbval-ignore-output"') for source in sources)
    page = (HTML / "index.html").read_text(encoding="utf-8")
    compared, run = map(int, re.search(r"what (\d+) of (\d+) cells print", page).groups())
    assert run - compared == left_out


# --- Any sentence, and a BERT of real English ----------------------------------------------------


class Asked:
    """What the package says of a text: for each [MASK] the chances of both, and all maps."""

    def __init__(self):
        folder = trained_folder("english")
        self.tokenizer = load_tokenizer(folder, do_lower_case=True)
        self.model = load_from_eight_bits(BertForPreTraining, folder)
        self.chain = BigramChain.load(folder, self.tokenizer.vocab_size)

    @torch.no_grad()
    def ask(self, text):
        ids, mask_id = self.tokenizer.encode(text), self.tokenizer.mask_token_id
        encoded = self.model.bert(torch.tensor([ids]), output_attentions=True)
        hidden = encoded.last_hidden_state[0, np.equal(ids, mask_id)]
        probs = self.model.cls.predictions(hidden).softmax(-1).numpy()
        maps = torch.cat(encoded.attentions).numpy()  # (layers, heads, seq, seq)
        return probs, self.chain.answers(ids, mask_id), maps

    def assert_tables(self, figure, text):
        """Hold the rows of all tables to it, and give the maps."""
        probs, counts, maps = self.ask(text)
        tables = figure.get_by_role("table").all()
        for table, chances, shares in zip(tables, probs, counts, strict=True):
            rows = [row.inner_text().split() for row in table.locator("tbody tr").all()]
            ids = [self.tokenizer.vocab[piece] for piece, *_ in rows]
            assert len(rows) >= 4 and chances.argmax() in ids and shares.argmax() in ids
            told = [[f"{chances[n]:.2f}", f"{shares[n]:.2f}"] for n in ids]
            assert [columns for _, *columns in rows] == told
        return maps


@pytest.fixture(scope="module")
def english():
    return Asked()


def ask_for(figure, text):
    """Type a sentence and press Enter; wait for its answer."""
    field = figure.get_by_role("textbox")
    field.fill(text)
    field.press("Enter")
    figure.get_by_role("button", name="Ask", exact=True).wait_for()


def test_nothing_is_loaded_before_a_click_and_then_the_same_stands_there(opened, reader, english):
    page, figure = opened(ANY)
    table, told = figure.get_by_role("table"), figure.get_by_role("status")
    english.assert_tables(figure, "the lord is my [MASK].")
    before = [table.inner_text(), told.inner_text()]
    page.wait_for_timeout(300)
    assert ENGLISH not in reader.asked
    figure.get_by_role("button", name="Ask (loads 2.1 MB)").click()
    figure.get_by_label(COMPUTED).wait_for()
    assert [table.inner_text(), told.inner_text()] == before
    figure.get_by_role("button", name="let there be").click()
    assert figure.get_by_role("table").count() == 2
    assert reader.asked.count(ENGLISH) == 1


def test_any_number_of_masks_and_words_in_pieces(opened, english):
    _, figure = opened(ANY)
    ask_for(figure, "My computer ___ upon the Internet [mask] 🙂.")
    text = "my computer [MASK] upon the internet [MASK] 🙂."
    maps = english.assert_tables(figure, text)
    pieces = [english.tokenizer.pieces[number] for number in english.tokenizer.encode(text)]
    shown = figure.locator(".mb-pieces > span")
    assert [one.inner_text().split()[0] for one in shown.all()] == pieces
    told = figure.get_by_role("status").inner_text()
    assert "“computer” as comp" in told and "“🙂” as [UNK]" in told
    assert told.startswith("[MASK] 1: BERT “") and "[MASK] 2: BERT “" in told
    # The shades: of the first place at first, over the last layer; then of another, in one head.
    first, second = (place for place, piece in enumerate(pieces) if piece == "[MASK]")

    def shares():
        return [int(one.inner_text().split()[-2]) for one in shown.all()]

    np.testing.assert_allclose(shares(), 100 * maps[-1, :, first].mean(0), atol=0.51)
    figure.get_by_label("The shades are of").select_option("[MASK] 2")
    figure.get_by_label(COMPUTED).select_option("head 1.2")
    np.testing.assert_allclose(shares(), 100 * maps[0, 1, second], atol=0.51)


def test_a_click_hides_a_word_and_brings_it_back(opened, english):
    page, figure = opened(ANY)
    ask_for(figure, "And God said, Let there be light.")
    assert figure.get_by_role("status").inner_text().startswith("Nothing is hidden yet: click a")
    assert figure.get_by_role("table").count() == 0
    figure.get_by_role("button", name="light").press("Enter")
    english.assert_tables(figure, "and god said, let there be [MASK].")
    assert figure.get_by_role("row", name="light").count() == 1  # what stood there is listed
    assert figure.get_by_role("textbox").input_value() == "and god said, let there be [MASK]."
    page.keyboard.press("Enter")
    assert figure.get_by_role("textbox").input_value() == "and god said, let there be light."


def test_on_a_phone_by_keyboard_and_what_cannot_be_answered_is_told(opened):
    page, figure = opened(ANY, viewport=PHONE)
    page.get_by_role("link", name="Now a sentence of your own").click()
    field = figure.get_by_role("textbox")
    field.fill("he went up into the  to pray.")
    field.evaluate("(field) => field.setSelectionRange(20, 20)")
    for key in ("Tab", "Tab", "Enter"):  # the button that puts [MASK] in
        page.keyboard.press(key)
    assert field.input_value() == "he went up into the [MASK] to pray."
    page.keyboard.press("Enter")
    figure.get_by_label(COMPUTED).wait_for()
    for text, sentence in (
        ("light " * 200 + "___", "The sentence has 203 pieces; the model takes 128."),
        (" ", "There is no word yet; type a sentence."),
    ):
        ask_for(figure, text)
        assert figure.get_by_role("status").inner_text().startswith(sentence)
        assert figure.get_by_role("table").count() == 0
    ask_for(figure, "the thankfulness of the [MASK] was exceedingly [MASK] unto them")
    assert_fits(page)
    assert_accessible_in_both_themes(page)
