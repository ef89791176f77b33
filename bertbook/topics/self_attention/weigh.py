"""Attention of one word of the reader's own sentence, weighed in the page. Chapter 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from bertbook.core.html import Html, with_minus
from bertbook.core.inside import STYLE
from bertbook.core.live import live_figure
from minibert.reference import softmax

WEIGH_STYLE = (
    STYLE
    + """
.mb-live input[type=radio]{width:auto;min-height:0;margin:0}
.mb-live p.mb-number{display:grid;grid-template-columns:5.5em minmax(4em,20em) 5.8em;gap:.8em;\
align-items:center;margin:.3em 0}
.mb-live .mb-number input{margin:0}
.mb-live .mb-number input[type=range]{padding:0;border:0}
.mb-live table.mb-table.mb-weights td:last-child{min-width:min(14em,38vw)}
"""
)


class Way(NamedTuple):
    """A way to weigh words: three matrices and a divisor; without queries, the average of others.

    Parameters
    ----------
    name : str
        What the reader chooses it by.
    query, key : float array, shape (dim, dim), or None
        What makes queries and keys of vectors; None is the average of the other words.
    value : float array, shape (dim, value_size)
        What makes of a vector that which is handed on.
    divisor : float
        What the products are divided by.

    Examples
    --------
    >>> Way("average", None, None, np.eye(2)).divisor
    1.0
    """

    name: str
    query: Float[np.ndarray, "dim dim"] | None
    key: Float[np.ndarray, "dim dim"] | None
    value: Float[np.ndarray, "dim value_size"]
    divisor: float = 1.0


def weigh_words(
    sentences: Sequence[str],
    vectors: Mapping[str, Sequence[float]],
    ways: Sequence[Way],
    *,
    caption: str,
    asks: int = 0,
    free: bool = False,
    compare: Mapping[str, Sequence[float]] | None = None,
) -> Html:
    """Show what one word of a sentence takes from each word, in a figure that computes in the page.

    Parameters
    ----------
    sentences : sequence of str
        Words with a vector, spaces between them: the first stand in the field, each has a button.
    vectors : mapping from str to sequence of float
        The vector of every word that may be typed.
    ways : sequence of Way
        How the words can be weighed; the first at first.
    caption : str
        What to try and what to watch.
    asks : int
        The position of the word that asks at first.
    free : bool
        Whether the query and the divisor of the first way can be set to any number.
    compare : mapping from str to sequence of float, optional
        Vectors, by their words, that the new vector is compared with.

    Returns
    -------
    Html
        A displayable figure; without a script it shows the first state.

    Raises
    ------
    ValueError
        If a word of a sentence has no vector.
    """
    words = sentences[0].split()
    if strangers := [word for word in " ".join(sentences).split() if word not in vectors]:
        raise ValueError(f"{strangers[0]!r} has no vector; there are {', '.join(vectors)}")
    scores, probs = _weighed(np.array([vectors[word] for word in words], float), asks, ways[0])
    data = {
        "sentences": list(sentences),
        "who": asks,
        "vectors": {word: [float(x) for x in vector] for word, vector in vectors.items()},
        "ways": [_as_lists(way) for way in ways],
        "free": free,
        "compare": {word: [float(x) for x in v] for word, v in (compare or {}).items()},
    }
    content = f"<p>{escape(words[asks])} asks:</p>{_table(words, scores, probs)}"
    return live_figure(
        "weigh-words", f'<div class="mb-stage">{content}</div>', data, caption, style=WEIGH_STYLE
    )


def _weighed(rows: Float[np.ndarray, "words dim"], asks: int, way: Way):
    """Compute what the figure shows at first: scores, if there are any, and probabilities."""
    if way.query is None:
        return None, (np.arange(len(rows)) != asks) / (len(rows) - 1)
    scores = rows @ way.key @ (rows[asks] @ way.query) / way.divisor
    return scores, softmax(scores)


def _as_lists(way: Way) -> dict[str, Any]:
    return {
        name: part.tolist() if isinstance(part, np.ndarray) else part
        for name, part in way._asdict().items()
    }


def _table(words: Sequence[str], scores, probs) -> str:
    """Write a row for each word, as the script does."""
    names = ["word", "weight"] if scores is None else ["word", "score", "probability"]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = ""
    for i, word in enumerate(words):
        score = "" if scores is None else f"<td>{with_minus(scores[i], 2)}</td>"
        body += (
            f'<tr><th scope="row">{escape(word)}</th>{score}<td style="background-image:'
            f"linear-gradient(90deg,rgba(47,126,196,.4) {100 * probs[i]:.1f}%,transparent 0)"
            f'">{probs[i]:.2f}</td></tr>'
        )
    return (
        f'<table class="mb-table mb-answers mb-weights"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
