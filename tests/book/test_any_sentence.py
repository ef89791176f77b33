"""On the landing page a reader asks about any sentence, and a BERT of real English answers."""

import numpy as np
import pytest
import torch
from axe_rules import assert_accessible
from built_book import DESKTOP, PHONE

from bertbook.core.bigram_chain import BigramChain
from bertbook.core.eight_bits import load_from_eight_bits
from bertbook.records import trained_folder
from minibert.loading import load_tokenizer
from minibert.pretraining import BertForPreTraining

ENGLISH = trained_folder("english")
TOKENIZER = load_tokenizer(ENGLISH, do_lower_case=True)
FIGURE, SCRIPT = "[data-live=any-sentence]", "english.js"
FIRST = "the lord is my [MASK]."


@pytest.fixture
def opened(reader):
    """Open the page from the disk, and give its figure."""

    def open_page(viewport=DESKTOP):
        page = reader.open("index.html", from_disk=True, viewport=viewport)
        return page, page.locator(FIGURE)

    return open_page


@pytest.fixture(scope="module")
def asked():
    """Give what the package says of a text: for each [MASK] the chances of both, and all maps."""
    model = load_from_eight_bits(BertForPreTraining, ENGLISH)
    chain = BigramChain.load(ENGLISH, TOKENIZER.vocab_size)

    @torch.no_grad()
    def ask(text):
        ids = TOKENIZER.encode(text)
        encoded = model.bert(torch.tensor([ids]), output_attentions=True)
        hidden = encoded.last_hidden_state[0, np.equal(ids, TOKENIZER.mask_token_id)]
        probs = model.cls.predictions(hidden).softmax(-1).numpy()
        maps = torch.cat(encoded.attentions).numpy()  # (layers, heads, seq, seq)
        return probs, chain.answers(ids, TOKENIZER.mask_token_id), maps

    return ask


def ask_for(figure, text):
    """Type a sentence and press Enter; wait for its answer."""
    field = figure.get_by_role("textbox")
    field.fill(text)
    field.press("Enter")
    figure.get_by_role("button", name="Ask", exact=True).wait_for()


def assert_table(table, probs, counts):
    """Hold the rows of a table to what the package says."""
    rows = [row.inner_text().split() for row in table.locator("tbody tr").all()]
    ids = [TOKENIZER.vocab[piece] for piece, *_ in rows]
    assert len(rows) >= 4 and probs.argmax() in ids and counts.argmax() in ids
    assert rows == [
        [piece, f"{probs[number]:.2f}", f"{counts[number]:.2f}"]
        for (piece, *_), number in zip(rows, ids)
    ]


def test_nothing_is_loaded_before_a_click_and_then_the_same_stands_there(opened, reader, asked):
    page, figure = opened()
    table, told = figure.get_by_role("table"), figure.get_by_role("status")
    probs, counts, _ = asked(FIRST)
    assert_table(table, probs[0], counts[0])
    before = [table.inner_text(), told.inner_text()]
    page.wait_for_timeout(300)
    assert SCRIPT not in reader.asked
    figure.get_by_role("button", name="Ask (loads 2.1 MB)").click()
    figure.get_by_label("Where [MASK] looked").wait_for()
    assert [table.inner_text(), told.inner_text()] == before
    assert reader.asked.count(SCRIPT) == 1
    figure.get_by_role("button", name="let there be").click()
    assert figure.get_by_role("table").count() == 2
    assert reader.asked.count(SCRIPT) == 1


def test_any_number_of_masks_and_words_in_pieces(opened, asked):
    _, figure = opened()
    ask_for(figure, "My computer ___ upon the Internet [mask] 🙂.")
    text = "my computer [MASK] upon the internet [MASK] 🙂."
    probs, counts, maps = asked(text)
    for table, *columns in zip(figure.get_by_role("table").all(), probs, counts, strict=True):
        assert_table(table, *columns)
    pieces = [TOKENIZER.pieces[number] for number in TOKENIZER.encode(text)]
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
    figure.get_by_label("Where [MASK] looked").select_option("head 1.2")
    np.testing.assert_allclose(shares(), 100 * maps[0, 1, second], atol=0.51)


def test_a_click_hides_a_word_and_brings_it_back(opened, asked):
    page, figure = opened()
    ask_for(figure, "And God said, Let there be light.")
    told = figure.get_by_role("status")
    assert told.inner_text().startswith("Nothing is hidden yet: click a word")
    assert figure.get_by_role("table").count() == 0
    figure.get_by_role("button", name="light").press("Enter")
    probs, counts, _ = asked("and god said, let there be [MASK].")
    assert_table(figure.get_by_role("table"), probs[0], counts[0])
    assert figure.get_by_role("row", name="light").count() == 1  # what stood there is listed
    assert figure.get_by_role("textbox").input_value() == "and god said, let there be [MASK]."
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Enter")
    assert figure.get_by_role("textbox").input_value() == "and god said, let there be light."
    assert figure.get_by_role("table").count() == 0


def test_what_cannot_be_answered_is_told_in_a_sentence(opened):
    _, figure = opened()
    for text, sentence in (
        ("light " * 200 + "___", "The sentence has 203 pieces; the model takes 128."),
        ("the lord is my shepherd", "Nothing is hidden yet: click a word, or write [MASK] or ___"),
        (" ", "There is no word yet; type a sentence."),
    ):
        ask_for(figure, text)
        assert figure.get_by_role("status").inner_text().startswith(sentence)
        assert figure.get_by_role("table").count() == 0


def test_on_a_phone_by_keyboard_and_accessible(opened):
    page, figure = opened(PHONE)
    page.get_by_role("link", name="Now a sentence of your own").click()
    figure.get_by_role("textbox").fill("he went up into the  to pray.")
    figure.get_by_role("textbox").evaluate("(field) => field.setSelectionRange(20, 20)")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the button that puts [MASK] in
    assert figure.get_by_role("textbox").input_value() == "he went up into the [MASK] to pray."
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    page.keyboard.press("Enter")
    figure.get_by_label("Where [MASK] looked").wait_for()
    assert not figure.get_by_role("button", name="Add a full stop").is_visible()
    ask_for(figure, "the thankfulness of the [MASK] was exceedingly [MASK] unto them")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_accessible(page, f"the answered sentence, {theme}")
