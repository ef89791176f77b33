"""The figure that opens the book: its answers stand there before anything is loaded."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from .fill_in import SHOWN, STYLE, stored_answer, told_at_best
from .html import Html, tint
from .live import live_figure
from .live_scripts import folder_script
from .palette import PALETTE

MOST_ROWS, LEAST = 8, 0.005  # of the table, as in fill_in.js


def opening(questions: Sequence[tuple[str, str, str]], folder: str | Path, *, caption: str) -> Html:
    """Ask questions with a hidden word, and show what a model and the best possible guesser say.

    Everything is computed now, also where the model looks. The page loads the model when a reader
    hides another word or types a sentence.
    """
    texts, words = told_at_best([(first, second) for _, first, second in questions])
    for (question, *_), text in zip(questions, texts, strict=True):
        text |= {"question": question, "answered": stored_answer(folder, text)}
    size = f"{len(folder_script(folder).encode()) / 1e6:.1f} MB"
    given = {"model": Path(folder).name, "texts": texts, "words": words}
    stage = f'<div class="mb-stage mb-arriving">{_answered(texts[0])}{_asked(texts, size)}</div>'
    return live_figure("opening", stage, given, caption.format(size=size), folder, STYLE)


def _asked(texts: Sequence[Mapping], size: str) -> str:
    """Write the buttons below an answer: one for each question, and one for the reader's own."""
    buttons = "".join(
        f'<button type="button" aria-pressed="{str(not n).lower()}">{escape(text["question"])}'
        "</button>"
        for n, text in enumerate(texts)
    )
    own = f'<button type="button">Type a sentence of your own (loads {size})</button>'
    return (
        f'<div class="mb-questions" role="group" aria-label="Questions">{buttons}</div>'
        f'<div class="mb-own">{own}</div>'
    )


def _answered(text: Mapping) -> str:
    """Draw a sentence, the answers and the line below them as the script of the page does."""
    words = [word for sentence in text["sentences"] for word in sentence]
    truth, turn = words[text["hidden"]], 0
    lines = []
    for sentence in text["sentences"]:
        drawn = ""
        for word in sentence:
            drawn += _word(word, turn == text["hidden"], text["answered"]["weights"][turn], turn)
            turn += 1
        lines.append(f"<div>{drawn}</div>")
    columns = {
        "the model": dict(text["answered"]["answers"]),
        "at best": dict(text["best"][text["hidden"]]),
    }
    model, best = (column.get(truth, 0) for column in columns.values())
    return (
        f'<div class="mb-sentence" role="group" aria-label="Sentence">{"".join(lines)}</div>'
        f"<div>{answer_table(columns, turn, truth)}</div>"
        f'<p role="status">“{escape(truth)}” stood there. The model gives it {model:.2f}, the best '
        f"possible guesser {best:.2f}.</p>"
    )


def _word(word: str, is_hidden: bool, weight: float, turn: int) -> str:
    """Draw a word above its share of the attention; it becomes a button with the script."""
    kind, shown = ("mb-hide mb-asked", "[MASK]") if is_hidden else ("mb-hide", escape(word))
    return (
        f'<span class="{kind}" style="background:{tint(PALETTE[0], weight)};--turn:{turn}">{shown}'
        f"<small>{int(100 * weight + 0.5)} %</small></span> "
    )


def answer_table(
    columns: Mapping[str, Mapping[str, float]],
    turn: int = 0,
    truth: str | None = None,
    each: int = SHOWN,
) -> str:
    """Draw the likeliest words, a row for each; bars stand behind the numbers."""
    found = [
        word
        for column in columns.values()
        for word, prob in sorted(column.items(), key=lambda one: -one[1])[:each]
        if prob >= LEAST
    ]
    first = next(iter(columns.values()))
    truths = () if truth is None else (truth,)
    words = sorted(dict.fromkeys([*found, *truths]), key=lambda word: -first.get(word, 0))
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("word", *columns))
    rows = "".join(
        f'<tr style="--turn:{turn + n}"><th scope="row">{escape(word)}</th>'
        + "".join(_share(column.get(word, 0)) for column in columns.values())
        + "</tr>"
        for n, word in enumerate(words[:MOST_ROWS])
    )
    return (
        f'<table class="mb-table mb-answers"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _share(prob: float) -> str:
    """Draw a probability as a cell with a bar behind its number."""
    bar = tint(PALETTE[0], 0.8)
    return (
        f'<td style="background-image:linear-gradient(90deg,{bar} {100 * prob:.4g}%,'
        f'transparent 0)">{prob:.2f}</td>'
    )
