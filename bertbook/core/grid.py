"""A grid of names against names, with a sign in each field. Chapters 25 and 26."""

from collections.abc import Mapping, Sequence
from html import escape

from minibert.text_files import packed_text

from .html import STYLE, Html, html

MANY = 12  # with more columns, letters and fields are small, so that a phone shows all of them
GRID_STYLE = packed_text("bertbook/core/static/grid.css")


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
