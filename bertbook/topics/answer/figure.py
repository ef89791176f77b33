"""A question, its passage, and where the answer may begin and end. Chapter 18."""

from collections.abc import Mapping
from html import escape

import torch

from bertbook.core.html import tint
from bertbook.core.palette import PALETTE
from bertbook.corpus import Question
from minibert.tasks import best_spans

Pair = tuple[int, int]
FAINT = 0.02  # below this a probability is not drawn


def best_pair(entry: Mapping) -> tuple[Pair, Pair]:
    """Find the best start and the best end, each alone, and the best legal pair.

    Args:
        entry: A question of `records/answers.json`, with the scores of a window.

    Returns:
        Two pairs of tokens, the first of which may be no legal span.

    >>> entry = {"start_logits": [0.0, 1.0, 3.0], "end_logits": [0.0, 2.0, 1.0]}
    >>> best_pair({"offsets": [None, (0, 4), (5, 10)]} | entry)
    ((2, 1), (2, 2))
    """
    starts, ends = (torch.tensor(entry[f"{end}_logits"]) for end in ("start", "end"))
    inside = torch.tensor([place is not None for place in entry["offsets"]])
    legal = best_spans(starts, ends, inside)
    free = int(starts.argmax()), int(ends.argmax())
    return free, (int(legal.start), int(legal.end))


def told_span(entry: Mapping, context: str, first: int, last: int) -> str:
    """Say what a span of tokens answers, in the characters of the passage.

    Args:
        entry: A question of `records/answers.json`.
        context: The passage.
        first, last: Two tokens of its window.

    Returns:
        The words in quotation marks, or why these tokens are no answer.

    >>> told_span({"offsets": [None, (0, 4), (5, 10)]}, "Anna sings", 1, 1)
    '“Anna”'
    """
    if first > last:
        return "the end is before the start"
    begin, end = entry["offsets"][first], entry["offsets"][last]
    if begin and end:
        return "“" + context[begin[0] : end[1]] + "”"
    if first == last == 0:
        return "[CLS]: no answer"
    return "not in the passage: " + " ".join(entry["pieces"][first : last + 1][:6])


def question_figure(entry: Mapping, asked: Question, threshold: float) -> str:
    """Return a drawing, in HTML, of where an answer may start and end, and what is decided.

    Args:
        entry: A question of `records/answers.json`.
        asked: The question itself.
        threshold: By how much the null score must win.
    """
    free, legal = best_pair(entry)
    text = "".join(
        " " * word["spaced"] + _drawn(word, legal) for word in _words(entry, asked.context)
    )
    lead = entry["no_answer"] - entry["score"]
    decision = "no answer" if lead > threshold else "answer"
    lines = {
        "best legal span": told_span(entry, asked.context, *legal),
        "best start, best end": told_span(entry, asked.context, *free),
        "null score minus best span": f"{lead:.1f}, threshold {threshold:.1f}: {decision}".replace(
            "-", "−"
        ),
        "true answer": asked.answers[0].text if asked.answers else "(none)",
    }
    table = "".join(
        f'<tr><th scope="row" style="text-align:left">{name}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in lines.items()
    )
    return (
        f"<p><b>{escape(asked.question)}</b></p>"
        f'<p style="line-height:1.9">{text}</p>'
        '<div class="mb-scroll" tabindex="0" role="group" aria-label="decision">'
        f'<table class="mb-table"><tbody>{table}</tbody></table></div>'
    )


def _words(entry: Mapping, context: str) -> list[dict]:
    """Join the pieces of a window to words as they are written, with both probabilities."""
    chances = (torch.tensor(entry[f"{end}_logits"]).softmax(0).tolist() for end in ("start", "end"))
    words, seen_to = [], None
    pieces = zip(entry["pieces"], entry["offsets"], *chances, strict=True)
    for place, (piece, offset, start, end) in enumerate(pieces):
        text = piece if offset is None else context[slice(*offset)]
        if piece.startswith("##"):
            words[-1]["text"] += text.removeprefix("##")
            words[-1]["start"] += start
            words[-1]["end"] = max(words[-1]["end"], end)
        else:
            glued = offset is not None and offset[0] == seen_to
            words.append(
                {"text": text, "place": place, "start": start, "end": end, "spaced": not glued}
            )
        seen_to = offset and offset[1]
    return words


def _drawn(word: Mapping, legal: Pair) -> str:
    style = f"background:{tint(PALETTE[0], word['start'])}" if word["start"] > FAINT else ""
    if word["end"] > FAINT:
        style += f";border-bottom:{1 + round(4 * word['end'])}px solid {PALETTE[1]}"
    text = escape(word["text"])
    text = f"<b>{text}</b>" if legal[0] <= word["place"] <= legal[1] else text
    return f'<span style="{style}">{text}</span>' if style else text
