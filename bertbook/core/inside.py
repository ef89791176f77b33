"""Figures into which a reader types a sentence, and that show what a model makes of it inside.

What stands there at first is the package's; what a reader asks for, the page computes.

Chapters 8 and 20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from .html import Html
from .live import live_figure
from .maps import small_map

LIKELY, MOST = 5, 8
STYLE = """
.mb-heads{display:grid;gap:.4em;margin:.6em 0;\
grid-template-columns:repeat(auto-fill,minmax(max(4.2em,calc(100%/var(--heads) - .4em)),1fr))}
.mb-head{padding:.2em;text-align:center}
.mb-head :is(svg,small){display:block;width:100%}
.mb-live button.mb-head{margin:0;padding:.2em;border:2px solid transparent}
.mb-live button.mb-head[aria-pressed=true]{border-color:currentColor}
.mb-enlarged{display:flex;flex-wrap:wrap;gap:1em;align-items:center;max-width:100%}
.mb-large{flex:1 1 15em;max-width:100%;min-width:0}
.mb-large svg{display:block;width:100%;max-width:24em}
"""


def see_heads(
    text: str, folder: str | Path, *, head: tuple[int, int] = (0, 0), caption: str
) -> Html:
    """Show what every head of a model looks at, in a sentence of the reader's own.

    Args:
        text: The sentence to begin with; ``|`` may part it in two.
        folder: A trained model in Hugging Face's layout, as for :func:`fill_in`.
        head: The layer and head that are enlarged at first, both counted from 0.
        caption: What to try and what to watch.

    Returns:
        A displayable figure; without a script it shows the first sentence and that head.
    """
    from .watching import Watched  # PyTorch takes seconds to load, and most chapters do without

    watched = Watched(folder)
    pieces, maps = watched.maps(text)
    small = "".join(
        f'<div class="mb-head">{small_map(table.numpy(), name)}<small>{name}</small></div>'
        for layer, heads in enumerate(maps, 1)
        for table, name in zip(heads, (f"head {layer}.{n + 1}" for n in range(len(heads))))
    )
    named = f"Head {head[0] + 1}.{head[1] + 1}, with its tokens."
    large = small_map(maps[head].numpy(), named, pieces, pieces)
    shares = watched.shares(text, *head)
    content = (
        f'<div class="mb-heads" style="--heads:{maps.shape[1]}">{small}</div>'
        f'<div class="mb-enlarged"><div class="mb-scroll mb-large" tabindex="0" role="group" '
        f'aria-label="attention of this head">{large}</div>{_table([], shares, [shares])}</div>'
    )
    return _figure("see-heads", content, {"text": text, "head": list(head)}, caption, folder)


def swap_heads(
    story: str, twin: str, heads: Sequence[Sequence[int]], folder: str | Path, *, caption: str
) -> Html:
    """Show the answers in a story when heads bring home what they brought home in its twin.

    Args:
        story, twin: Two texts of equal length, each with a ``[MASK]``; ``|`` may part them in two
            sentences.
        heads: The heads that are swapped at first, as pairs of layer and head, both counted from 0.
        folder: A trained model in Hugging Face's layout, as for :func:`fill_in`.
        caption: What to try and what to watch.

    Returns:
        A displayable figure; without a script it shows the first swap.

    Raises:
        ValueError: If a text has no ``[MASK]``, or there is no such head.
    """
    from .watching import Watched

    watched = Watched(folder)
    columns = [watched.answers(story), watched.answers(twin), watched.patched(story, twin, heads)]
    likely = {word for answers in columns for word in _ranked(answers)[:LIKELY]}
    likely = {word for word in likely if max(answers[word] for answers in columns) >= 0.005}
    words = [word for word in _ranked(columns[0]) if word in likely][:MOST]
    content = _table(["word", "the story", "its twin", "patched"], words, columns)
    given = {"texts": [story, twin], "heads": [list(pair) for pair in heads]}
    return _figure("swap-heads", content, given, caption, folder)


def _ranked(answers: Mapping[str, float]) -> list[str]:
    return sorted(answers, key=lambda word: -answers[word])


def _figure(part: str, content: str, given: dict, caption: str, folder: str | Path) -> Html:
    data = {"model": Path(folder).name, **given}
    return live_figure(part, f'<div class="mb-stage">{content}</div>', data, caption, folder, STYLE)


def _table(heads: Sequence[str], rows: Sequence | Mapping, columns: Sequence[Mapping]) -> str:
    """Write probabilities as cells with a bar behind their number."""
    top = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = ""
    for row in rows:
        cells = "".join(
            '<td style="background-image:linear-gradient(90deg,rgba(47,126,196,.4) '
            f'{100 * column[row]:.1f}%,transparent 0)">{column[row]:.2f}</td>'
            for column in columns
        )
        body += f'<tr><th scope="row">{escape(row)}</th>{cells}</tr>'
    return (
        f'<table class="mb-table mb-answers"><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
