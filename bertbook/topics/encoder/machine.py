"""A drawing of the machine of Part II, whose parts open by click and by key. Chapter 10."""

from __future__ import annotations

from html import escape
from typing import Any, NamedTuple

from bertbook.core.html import KEEP_KEYS, Html
from minibert.config import BertConfig
from minibert.text_files import packed_text

MACHINE_STYLE = packed_text("bertbook/core/static/machine.css")


class Part(NamedTuple):
    """A box of the drawing: a name, what it does, and what stands inside.

    Inside are boxes and, as strings, what flows between them. `opens` is the word that opens it.
    """

    name: str
    note: str = ""
    inside: tuple = ()
    opens: str = ""


class Road(NamedTuple):
    """Boxes with a road around them, the residual, which ends in a sum."""

    around: tuple


class Side(NamedTuple):
    """Boxes side by side."""

    boxes: tuple


def machine(
    open_at: str = "", *, caption: str, tokens: int = 10, config: BertConfig | None = None
) -> Html:
    """Draw a BERT as boxes in boxes, with the shape on every arrow.

    Args:
        open_at: What is open at first: nothing, "embeddings", "attention", "layer" or "stack", each
            with all around it.
        caption: Text below the drawing: what to open, and what to look for.
        tokens: Length of the row that goes through.
        config: The sizes; by default those of the base model.

    Returns:
        A displayable figure, without a script.

    Raises:
        ValueError: If there is no such part.
    """
    parts = _parts(tokens, config or BertConfig.base())
    if open_at and not any(_holds(part, open_at) for part in parts if isinstance(part, Part)):
        raise ValueError(
            f"there is no part {open_at!r}; it opens at embeddings, attention, layer or stack"
        )
    content = (
        f'<figure class="mb-figure mb-machine" {KEEP_KEYS}>{_drawn(parts, open_at)}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
    return Html(content, summary=caption, style=MACHINE_STYLE)


def _parts(tokens: int, config: BertConfig) -> tuple:
    """Put the machine together, from the ids to the summary."""
    hidden, wide, heads = (
        config.hidden_size,
        config.intermediate_size,
        config.num_attention_heads,
    )
    states, size = f"{tokens} × {hidden}", config.hidden_size // heads
    tables = tuple(
        Part(name, f"{rows:,} × {hidden}")
        for name, rows in (
            ("words", config.vocab_size),
            ("positions", config.max_position_embeddings),
            ("segments", config.type_vocab_size),
        )
    )
    embeddings = (Side(tables), f"+ three vectors a token, added: {states}",
                  Part("LayerNorm, dropout"))  # fmt: skip
    each = f"{heads} × {tokens} × {size}"
    heads_inside = (
        Side((Part("query", each), Part("key", each), Part("value", each))),
        f"query · key / √{size}, plus the mask: {heads} × {tokens} × {tokens}",
        Part("softmax", f"the attention map, {heads} × {tokens} × {tokens}"),
        f"mix the values, join the heads: {states}",
        Part("dense", f"{hidden} × {hidden}"),
    )
    feed_forward = (
        Part("dense", f"{hidden} to {wide}"),
        f"{tokens} × {wide}",
        Part("GELU"),
        f"{tokens} × {wide}",
        Part("dense", f"{wide} to {hidden}"),
    )
    layer = (
        Road((Part("self-attention", f"{heads} heads", heads_inside, "attention"),)),
        Part("LayerNorm"),
        states,
        Road((Part("feed-forward", "each token for itself", feed_forward),)),
        Part("LayerNorm"),
    )
    count = config.num_hidden_layers
    others = f"{states}, through {count - 1} more layers of the same make, each with its weights"
    return (
        f"ids: {tokens}",
        Part("embeddings", "three tables", embeddings, "embeddings"),
        states,
        Part("stack", f"{count} layers", (Part("layer 1", "two halves", layer, "layer"), others),
             "stack"),
        f"{states}, one vector a token",
        Part("pooler", "dense and tanh, of [CLS] alone"),
        f"{hidden}, one vector a row",
    )  # fmt: skip


def _holds(part: Any, name: str) -> bool:
    """Return whether a box is the one to open, or has it inside."""
    if isinstance(part, Part):
        return part.opens == name or any(_holds(inner, name) for inner in part.inside)
    return isinstance(part, Road) and any(_holds(inner, name) for inner in part.around)


def _drawn(parts: tuple, open_at: str) -> str:
    """Write boxes in their order, with an arrow where nothing else stands between two."""
    pieces: list[str] = []
    for before, part in zip((None, *parts), parts):
        if before is not None and not isinstance(before, str) and not isinstance(part, str):
            pieces.append('<div class="mb-flow" aria-hidden="true">↓</div>')
        pieces.append(_piece(part, open_at))
    return "".join(pieces)


def _piece(part: Any, open_at: str) -> str:
    if isinstance(part, str):
        arrow = '<span aria-hidden="true">↓</span>'
        return f'<div class="mb-flow">{arrow} <small>{_text(part)}</small></div>'
    if isinstance(part, Side):
        return f'<div class="mb-side">{"".join(_piece(box, open_at) for box in part.boxes)}</div>'
    if isinstance(part, Road):
        plus = '<div class="mb-flow"><b>+ what came in, around it</b></div>'
        return f'<div class="mb-road">{_drawn(part.around, open_at)}{plus}</div>'
    title = f"{escape(part.name)} <small>{_text(part.note)}</small>"
    if not part.inside:
        return f'<div class="mb-box">{title}</div>'
    opened = " open" if open_at and _holds(part, open_at) else ""
    inside = _drawn(part.inside, open_at)
    return (
        f'<details class="mb-box"{opened}><summary>{title}</summary><div>{inside}</div></details>'
    )


def _text(note: str) -> str:
    """Escape a note, and let no shape be broken into two lines."""
    return escape(note).replace(" × ", "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}")
