"""What Chapter 25 shows of the family: the grid of members and parts, and its folders."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from .html import STYLE, Html, html
from .tables import result_table

PARTS = {
    "words": "30,522 rows of 768",
    "positions": "512 rows of 768, added",
    "segments": "2 rows, added",
    "attention": "12 heads, every token looks at all",
    "LayerNorm": "after each half",
    "feed-forward": "768 to 3072, GELU, and back",
    "layers": "12, each with its weights",
    "task": "15 % masked words, and next sentence",
}
CHANGED = {
    "RoBERTa": {
        "words": "50,265 rows: other pieces",
        "positions": "514 rows: counted from the padding id + 1",
        "segments": "one, for all",
        "task": "masked words only, masks drawn anew",
    },
    "DistilBERT": {
        "segments": "none",
        "layers": "6 instead of 12",
        "task": "masked words, and what a teacher believes",
    },
    "ALBERT": {
        "words": "30,000 rows of 128, widened to 768",
        "positions": "512 rows of 128",
        "segments": "2 rows of 128",
        "layers": "one, passed 12 times",
        "task": "masked words, and which sentence came first",
    },
    "DeBERTa": {
        "words": "128,100 rows: other pieces",
        "positions": "none added: distances, in the attention",
        "segments": "none",
        "attention": "words with words, words with distances, distances with words",
        "task": "version 3: which tokens were replaced",
    },
    "ELECTRA": {
        "words": "128 numbers, widened (small model)",
        "task": "which tokens were replaced by a generator",
    },
    "ModernBERT": {
        "words": "50,368 rows: other pieces",
        "positions": "none added: queries and keys are rotated",
        "segments": "none",
        "attention": "2 of 3 layers see 64 tokens to each side",
        "LayerNorm": "before each half, without biases",
        "feed-forward": "768 to 2 · 1152, GELU times a gate",
        "layers": "22, thinner ones",
        "task": "30 % masked words only",
    },
}
GRID_STYLE = """
.mb-figure table.mb-grid{border-collapse:separate;border-spacing:2px;border:0;margin:.5em 0;\
width:auto;font-size:.85em;background:none}
.mb-figure table.mb-grid :is(th,td){border:0;padding:.15em .3em;color:inherit;\
background-color:transparent;text-align:left}
.mb-figure table.mb-grid thead :is(th,td){vertical-align:bottom}
.mb-figure table.mb-grid thead th span{writing-mode:vertical-rl;transform:rotate(180deg);\
font-weight:600}
.mb-figure table.mb-grid td.mb-lit{background-color:rgba(200,104,30,.32);text-align:center;\
min-width:1.7em}
.mb-figure table.mb-grid td.mb-same{background-color:rgba(117,121,127,.12);min-width:1.7em}
.mb-figure dl.mb-changes{margin:.8em 0;font-size:.9em}
.mb-figure dl.mb-changes dt{font-weight:600;margin-top:.4em}
.mb-figure dl.mb-changes dd{margin:0 0 0 1em}
"""


def family_grid(caption: str) -> Html:
    """Draw all members against all parts, with what each changes written below."""
    heads = "".join(f'<th scope="col"><span>{escape(part)}</span></th>' for part in PARTS)
    rows = "".join(
        f'<tr><th scope="row">{member}</th>{"".join(_field(part in own) for part in PARTS)}</tr>'
        for member, own in CHANGED.items()
    )
    told = "".join(
        f"<dt>{member}</dt><dd>"
        + "; ".join(f"<em>{part}</em>: {escape(text)}" for part, text in own.items())
        + "</dd>"
        for member, own in {"BERT": PARTS, **CHANGED}.items()
    )
    table = (
        f'<table class="mb-grid"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    found = html(f'{table}<dl class="mb-changes">{told}</dl>', caption)
    lines = [f"{member}: {', '.join(own)}" for member, own in CHANGED.items()]
    return Html(found.content, summary="\n".join([caption, *lines]), style=STYLE + GRID_STYLE)


def _field(changed: bool) -> str:
    """Fill the field of a part that is changed; a letter says it to those who see no color."""
    if changed:
        return '<td class="mb-lit"><span aria-label="changed">●</span></td>'
    return '<td class="mb-same"></td>'


def folders_table(record: Mapping, caption: str) -> Html:
    """Say for each member how far it is from the library, from its folders and to them."""
    rows = []
    for member, heads in record["members"].items():
        largest = [max(head[way] for head in heads.values()) for way in ("opened", "saved")]
        rows.append([member, str(len(heads)), *(f"{number:.0e}" for number in largest)])
    columns = ["heads", "their folder in ours", "our folder in theirs"]
    return html(result_table(columns, rows, "member"), caption)
