"""A field for any sentence: what a real model and counts of pairs say about its hidden words.

What stands there at first is computed now, with the numbers that the page has. Chapter 14.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import torch

from minibert.loading import load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.text_files import packed_text

from .bigram_chain import BigramChain
from .eight_bits import load_from_eight_bits
from .fill_in import STYLE
from .html import Html, tint
from .live import live_figure
from .live_scripts import folder_script
from .opening import answer_table
from .palette import PALETTE

OWN_STYLE = STYLE + packed_text("bertbook/core/static/any_sentence.css")


def any_sentence(examples: Sequence[str], folder: str | Path, *, caption: str) -> Html:
    """Show a field for a sentence, and for each [MASK] what a model and counts of pairs say.

    The answers to the first example stand there at first. The page loads the model and the counts
    at the first question, and computes: unknown words in pieces, any number of words hidden, and
    where each of them looked.
    """
    size = f"{len(folder_script(folder).encode()) / 1e6:.1f} MB"
    buttons = "".join(
        f'<button type="button" name="example">{escape(text)}</button>' for text in examples
    )
    controls = (
        '<div class="mb-own"><label>A sentence with [MASK], or ___, for each hidden word '
        f'<input name="text" value="{escape(examples[0])}" autocomplete="off" spellcheck="false">'
        f'</label><button name="ask">Ask (loads {size})</button>'
        '<button type="button" name="insert">Put [MASK] in</button>'
        '<button type="button" name="stop" hidden>Add a full stop: it expects one</button></div>'
        f'<div class="mb-questions" role="group" aria-label="Examples">{buttons}</div>'
    )
    choices = (
        '<p hidden><label hidden>The shades are of <select name="place"></select></label>'
        '<label>Where [MASK] looked: <select name="heads"></select></label></p>'
    )
    stage = f"<form>{controls}{_answered(examples[0], folder)}{choices}</form>"
    given = {"model": Path(folder).name}
    caption = caption.format(size=size)
    return live_figure("any-sentence", stage, given, caption, folder, OWN_STYLE)


@torch.no_grad()
def _answered(text: str, folder: str | Path) -> str:
    """Draw a sentence in pieces, the answers and the line below them as the script does."""
    tokenizer = load_tokenizer(folder, do_lower_case=True)
    model = load_from_eight_bits(BertForPreTraining, folder)
    batch = tokenizer([text])
    ids = batch["input_ids"][0].tolist()
    mask = tokenizer.mask_token_id
    if mask not in ids:
        raise ValueError(f"{text!r} has no [MASK]; write it where the model shall answer")
    place = ids.index(mask)
    encoded = model.bert(**batch, output_attentions=True)
    looked = encoded.attentions[-1][0, :, place].mean(0).tolist()  # (seq)
    probs = model.cls.predictions(encoded.last_hidden_state[0, place]).softmax(-1)
    counted = BigramChain.load(folder, tokenizer.vocab_size).answers(ids, mask)[0]
    pieces = "".join(
        f'<span class="mb-hide mb-pieces"><span style="background:{tint(PALETTE[0], weight)}">'
        f"{escape(tokenizer.pieces[number])}<small>{int(100 * weight + 0.5)} %</small></span>"
        "</span> "
        for number, weight in zip(ids, looked, strict=True)
    )
    columns = {
        name: dict(zip(tokenizer.pieces, chances.tolist(), strict=True))
        for name, chances in (("BERT", probs), ("counts", counted))
    }
    first = {name: max(column.items(), key=lambda one: one[1]) for name, column in columns.items()}
    listed = ", ".join(f"{name} “{escape(p)}” ({prob:.2f})" for name, (p, prob) in first.items())
    return (
        f'<div class="mb-sentence" role="group" aria-label="Sentence">{pieces}</div>'
        f'<div class="mb-tables">{answer_table(columns, each=4)}</div>'
        f'<output name="told">First answers: {listed}.</output>'
    )
