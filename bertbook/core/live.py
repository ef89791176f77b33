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

from .html import KEEP_KEYS, STYLE, Html
from .live_scripts import as_json, folder_script, page_script, vocabulary_script
from .setting import is_stored

if TYPE_CHECKING:
    from minibert.wordpiece import WordPieceTokenizer

LIVE_STYLE = (
    STYLE
    + """
.mb-live{border:1px solid var(--pst-color-border,var(--jp-border-color2,#bbb));\
border-radius:8px;padding:1em}
.mb-live p[hidden]{display:none}
.mb-live label{display:block;font-weight:600;margin:0 0 .4em}
.mb-live :is(input,select){display:block;font:inherit;font-weight:400;margin-top:.2em}
.mb-live select{min-height:36px;max-width:100%;color:inherit;\
background:var(--pst-color-background,var(--jp-layout-color0,#fff))}
.mb-live fieldset{border:0;padding:0;margin:.6em 0;display:flex;flex-wrap:wrap;gap:.2em 1em}
.mb-live legend{font-size:1em;font-weight:600;padding:0;margin:0}
.mb-live fieldset label{display:inline-flex;gap:.3em;align-items:center;min-height:28px;\
font-weight:400}
.mb-live input[type=checkbox]{width:auto;min-height:0;margin:0}
.mb-live .mb-plot{width:100%;max-width:730px;height:auto;display:block}
.mb-live button:disabled{opacity:.7;cursor:default}
.mb-live table.mb-table.mb-queries :is(th,td){text-align:left}
.mb-live button.mb-hide{border-color:transparent;border-bottom:2px dotted currentColor;\
border-radius:4px;padding:.1em .35em;margin:.1em}
.mb-live button.mb-hide[aria-pressed=true]{border:2px solid currentColor;font-weight:600}
.mb-hide small{display:block;min-height:1.2em;font-size:.7em;line-height:1.2}
.mb-live table.mb-table.mb-answers :is(td,thead th){min-width:min(6em,18vw)}
.mb-live input{width:100%;box-sizing:border-box;padding:.4em .6em;min-height:36px;\
color:inherit;background:none;border:1px solid currentColor;border-radius:6px}
.mb-live button{font:inherit;min-height:32px;padding:.1em .7em;border-radius:6px;cursor:pointer;\
border:1px solid currentColor;background:none;color:inherit;margin:.3em .3em 0 0}
.mb-figure ol.mb-words{list-style:none;display:flex;flex-wrap:wrap;gap:.6em 1em;padding:0;\
margin:.8em 0}
.mb-words li{margin:0;max-width:100%}
.mb-word{display:block;font-weight:600;overflow-wrap:anywhere}
.mb-chip{display:inline-block;text-align:center;margin:.2em .35em 0 0;padding:.05em .4em;\
border-bottom:3px solid #2f7ec4}
.mb-chip small{display:block;font-size:.8em;font-variant-numeric:tabular-nums}
"""
)


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

    Raises:
        ValueError: If there is no text.
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
