"""Figures that compute in the page itself: no kernel, no server, nothing from outside.

The script is the book's own, ``bertbook/live``. The pages load it once; in Jupyter each output
brings it along. Chapter 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minibert.text import split_words
from minibert.text_files import packed_text

from .html import KEEP_KEYS, STYLE, Html
from .live_scripts import as_json, folder_script, page_script, vocabulary_script
from .setting import is_stored

if TYPE_CHECKING:
    from minibert.wordpiece import WordPieceTokenizer

LIVE_STYLE = STYLE + packed_text("bertbook/core/static/live.css")


def live_figure(
    part: str,
    content: str,
    data: Any,
    caption: str,
    folder: str | Path | None = None,
    style: str = "",
    brought: str = "",
) -> Html:
    """Wrap what is seen without a script and the data for the script.

    In Jupyter the script comes along, and with it the model of `folder` and what else is `brought`.
    """
    figure = (
        f'<figure class="mb-figure mb-live" {KEEP_KEYS} data-live="{part}">{content}'
        f"<figcaption>{escape(caption)}</figcaption>"
        f'<script type="application/json">{as_json(data)}</script></figure>'
    )
    if not is_stored():
        scripts = page_script() + (folder_script(folder) if folder else "") + brought
        figure += f"\n<script>{scripts}</script>"
    return Html(figure, summary=caption, style=LIVE_STYLE + style)


def type_ahead(
    tokenizer: WordPieceTokenizer, stored: Sequence[str], *, caption: str, real: bool = False
) -> Html:
    """Show a field to type into, and below it words, pieces and ids as they come.

    Args:
        tokenizer: Its vocabulary goes into the page; the page does the rest.
        stored: Texts to begin with: the first stands in the field, each has a button.
        caption: What to try and what to watch.
        real: Offer a switch to the vocabulary of the uncased English BERT. It comes with the extra
            ``models`` and is loaded when the switch is turned; without the extra that is said.

    Returns:
        A displayable figure; without a script it shows the first text.
    """
    if not stored:
        raise ValueError("the field needs a text to begin with, for example stored=['unaffable']")
    buttons = "".join(f'<button type="button">{escape(text)}</button>' for text in stored)
    words = _words(tokenizer, stored[0])
    pieces = sum(len(ids) for _, ids in words)
    content = (
        f'<p hidden><label>Your text<input type="text" value="{escape(stored[0])}" '
        f'autocomplete="off" autocapitalize="off" spellcheck="false"></label>{buttons}</p>'
        f'<ol class="mb-words">{"".join(_drawn(*word, tokenizer) for word in words)}</ol>'
        f'<p><output aria-live="polite">{_count(len(words), "word")}, '
        f"{_count(pieces, 'piece')}</output></p>"
    )
    data = {"pieces": tokenizer.pieces, "do_lower_case": tokenizer.do_lower_case, "real": real}
    brought = vocabulary_script() if real and not is_stored() else ""
    return live_figure("type-ahead", content, data, caption, brought=brought)


def _words(tokenizer: WordPieceTokenizer, text: str) -> list[tuple[str, list[int]]]:
    """Cut a text into words with their ids; special tokens stand for themselves."""
    from minibert.wordpiece.tokenizer import SPECIAL  # loads PyTorch

    words = []
    for number, part in enumerate(SPECIAL.split(text)):
        words += [part] if number % 2 else split_words(part, tokenizer.do_lower_case)
    return [
        (word, [tokenizer.vocab[piece] for piece in tokenizer.tokenize(word)]) for word in words
    ]


def _drawn(word: str, ids: Sequence[int], tokenizer: WordPieceTokenizer) -> str:
    """Draw a word above its pieces, each piece above its id."""
    chips = "".join(
        f'<span class="mb-chip"><span class="mb-piece">{escape(tokenizer.pieces[number])}</span> '
        f"<small>{number}</small></span>"
        for number in ids
    )
    return f'<li><span class="mb-word">{escape(word)}</span> {chips}</li>'


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
