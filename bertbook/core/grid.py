"""A grid of names against names, with a sign in each field. Chapters 25 and 26."""

from collections.abc import Mapping, Sequence
from html import escape

from .html import STYLE, Html, html

MANY = 12  # with more columns, letters and fields are small, so that a phone shows all of them
GRID_STYLE = """
.mb-figure table.mb-grid{border-collapse:separate;border-spacing:1px;border:0;margin:.5em 0;\
width:auto;background:none}
.mb-figure table.mb-grid.mb-many{font-size:.75em}
.mb-figure table.mb-grid :is(th,td){border:0;padding:.1em 0;color:inherit;\
background-color:transparent;text-align:left;font-weight:400}
.mb-figure table.mb-grid thead :is(th,td){vertical-align:bottom}
.mb-figure table.mb-grid thead th span{writing-mode:vertical-rl;transform:rotate(180deg);\
line-height:1.05}
.mb-figure table.mb-grid tbody th{padding-right:.3em}
.mb-figure table.mb-grid tbody td{text-align:center;min-width:1.6em;line-height:1.3;\
background-color:rgba(117,121,127,.12)}
.mb-figure table.mb-grid.mb-many tbody td{min-width:1em}
@media(max-width:32em){.mb-figure table.mb-grid.mb-many thead th span{line-height:.85}\
.mb-figure table.mb-grid.mb-many tbody td{min-width:.85em}}
.mb-figure table.mb-grid tbody td.mb-lit{background-color:rgba(200,104,30,.32)}
.mb-figure dl.mb-changes{margin:.8em 0;font-size:.9em}
.mb-figure dl.mb-changes dt{font-weight:600;margin-top:.4em}
.mb-figure dl.mb-changes dd{margin:0 0 0 1em}
"""


def sign_grid(
    columns: Sequence[str], rows: Mapping[str, Sequence[str]], caption: str, below: str = ""
) -> Html:
    """Draw a grid whose fields are empty or hold a sign; a dot is lit.

    >>> sign_grid(["words", "task"], {"ELECTRA": ["", "●"]}, "What changes.")
    What changes.
    ELECTRA: task
    """
    for name, signs in rows.items():
        if len(signs) != len(columns):
            raise ValueError(
                f"the row {name!r} has {len(signs)} signs, and there are {len(columns)} columns; "
                "give one for each, an empty text where there is nothing"
            )
    heads = "".join(f'<th scope="col"><span>{escape(column)}</span></th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_field, signs))}</tr>'
        for name, signs in rows.items()
    )
    kind = "mb-grid mb-many" if len(columns) > MANY else "mb-grid"
    content = (
        f'<div class="mb-scroll" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f'<table class="{kind}"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{below}"
    )
    lines = [
        f"{name}: {', '.join(c for c, sign in zip(columns, signs) if sign == '●') or 'nothing'}"
        for name, signs in rows.items()
    ]
    figure = html(content, caption)
    return Html(figure.content, summary="\n".join([caption, *lines]), style=STYLE + GRID_STYLE)


def _field(sign: str) -> str:
    return f'<td class="mb-lit">{sign}</td>' if sign == "●" else f"<td>{escape(sign)}</td>"
