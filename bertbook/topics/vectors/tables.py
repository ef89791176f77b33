"""What Chapter 21 shows of its record: a word's way through the layers, senses, [CLS], probes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bertbook.core.figures import picture
from bertbook.core.html import Html, html
from bertbook.core.palette import PALETTE
from bertbook.core.tables import result_table
from bertbook.topics.heads.tables import interval_text

COLUMNS = ("length", "before", "before_other", "first", "first_other", "last", "last_other")
CONTROLS = ("shuffled", "shrunk")  # encoders beside the trained one
DOT, WIDE, ROW = 4, 320, 34  # of the strip of senses, in units of its own
FARTHEST = 0.4  # a margin beyond this is drawn at the edge


def stream_table(stream: Mapping) -> Html:
    """Layer by layer: how like what they were words are, and in shuffled encoders."""
    columns = [*stream["columns"]]
    trained, *controls = (np.array(stream[name]["mean"]) for name in ("trained", *CONTROLS))
    before, first, found = (columns.index(name) for name in ("before", "first", "own_row"))
    rows = [
        [str(layer), "" if layer == 0 else f"{own[before]:.2f}",
         f"{own[first]:.2f}", f"{own[found]:.2f}", *(f"{other[first]:.2f}" for other in others)]
        for layer, (own, *others) in enumerate(zip(trained, *controls))
    ]  # fmt: skip
    heads = ["layer before", "layer 0", "own row nearest"]
    heads += [f"{name}: layer 0" for name in CONTROLS]
    note = (
        f"Cosines, means over the words of {stream['sentences']} requests, which are the unit; no "
        f"interval is wider than 0.04. By chance the own row is nearest in "
        f"{trained[0][columns.index('by_chance')]:.2f}. Shuffled and shrunk are means of "
        f"{stream['shuffles']} shufflings."
    )
    return html(result_table(heads, rows, "layer"), note)


def widest_interval(stream: Mapping) -> float:
    """Say how wide the widest interval of a cosine is that the table shows."""
    shown = [stream["columns"].index(name) for name in ("before", "first", "own_row")]
    low, high = (
        np.array([stream[name][end] for name in ("trained", *CONTROLS)])[:, :, shown]
        for end in ("low", "high")
    )
    return float((high - low).max())


def stream_drawer(stream: Mapping, words: Mapping[str, tuple[int, int]]) -> Callable:
    """Return what draws the way of one word: words by name, each a sentence and a place."""

    def draw(word: str) -> Html:
        import matplotlib.pyplot as plt

        sentence, place = words[word]
        way = np.array(stream["shown"][sentence]["way"])[:, :, place]
        own = dict(zip(COLUMNS, way.T))
        axes = plt.subplots(figsize=(4.7, 3.1))[1]
        steps = range(len(way))
        axes.plot(steps[1:], own["before"][1:], color=PALETTE[0], marker="o",
                  label="the layer before")  # fmt: skip
        axes.plot(steps, own["first"], color=PALETTE[2], marker="s", label="its layer 0")
        axes.plot(steps, own["last_other"], color=PALETTE[7], linestyle="--",
                  label="other words, last layer")  # fmt: skip
        axes.set(xlabel="layer", ylabel="cosine", ylim=(-0.75, 1.05), xticks=steps,
                 yticks=np.linspace(0, 1, 6))  # fmt: skip
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=10, loc="lower left")
        alt = (
            f"Three curves over the layers for {word}. The cosine with the layer before ends at "
            f"{own['before'][-1]:.2f}, the cosine with its vector of layer 0 falls to "
            f"{own['first'][-1]:.2f}."
        )
        return picture(axes, alt=alt)

    return draw


def sense_drawer(margins: Mapping, senses: Mapping[str, Sequence[str]]) -> Callable:
    """Return what draws one word in one layer: a dot for each sentence, right of 0 if right."""

    def draw(word: str, layer: int) -> str:
        rows, right = "", 0
        for number, (sense, own) in enumerate(zip(senses[word], margins[word][layer])):
            y = ROW * number + 26
            rows += f'<text x="0" y="{y - 12}">{sense}</text>'
            rows += f'<path d="M0 {y}H{WIDE}" stroke="currentColor" opacity=".25"/>'
            for value in own:
                x = WIDE / 2 * (1 + np.clip(value / FARTHEST, -1, 1))
                rows += (f'<circle cx="{x:.0f}" cy="{y}" r="{DOT}" '
                         f'fill="{PALETTE[number]}" opacity=".6"/>')  # fmt: skip
            right += sum(value > 0 for value in own)
        high = 2 * ROW + 4
        alt = f"{word} in layer {layer}: {right} of 16 sentences lie on the right side of the line."
        return (
            f"<p>{right} of 16 sentences are nearer to their own sense</p>"
            f'<svg role="img" aria-label="{alt}" viewBox="-6 -4 {WIDE + 12} {high + 22}" '
            'fill="currentColor" font-size="12" style="width:100%;max-width:26em">'
            f'<path d="M{WIDE / 2} 0V{high}" stroke="currentColor"/>{rows}'
            f'<text x="0" y="{high + 12}">the other sense</text>'
            f'<text x="{WIDE}" y="{high + 12}" text-anchor="end">its own sense</text></svg>'
        )

    return draw


def whole_texts_table(found: Mapping) -> Html:
    """Layer by layer: how alike [CLS] is in all requests, and how often it tells the department."""
    cls = found["[CLS]"]
    rows = [
        [str(layer), f"{cosine:.2f}", f"{right:.2f}"]
        for layer, (cosine, right) in enumerate(zip(cls["cosine"], cls["right"]))
    ]
    note = f"{found['requests']} requests, {found['classes']} departments of equal size."
    return html(result_table(["cosine", "right"], rows, "[CLS], layer"), note)


def kinds_table(requests: Mapping, definitions: Mapping) -> Html:
    """Compare five vectors of a whole text: how often right, and the paired lead of [CLS].

    Args:
        requests: The part "whole texts" of ``records/looking_inside.json``.
        definitions: The part "kinds" of ``records/dictionary.json``.

    Returns:
        A displayable table.
    """
    rows = []
    for name in ("[CLS]", "[SEP]", "first word", "mean of words", "table rows"):
        leads = ["", ""]
        if name != "[CLS]":
            results = (requests["paired"], definitions)
            leads = [_lead(each[f"[CLS] minus {name}"]) for each in results]
        rows.append([name, f"{requests[name]['right'][-1]:.2f}", leads[0],
                     f"{definitions[name][0]:.2f}", leads[1]])  # fmt: skip
    columns = ["requests", "[CLS] minus it", "definitions", "[CLS] minus it"]
    return html(result_table(columns, rows, "last layer"),
                "Right; paired bootstrap intervals over 300 requests and 2,000 "
                "definitions.")  # fmt: skip


def _lead(found: Sequence[float]) -> str:
    mean, *ends = found
    return f"{mean:+.2f}, {interval_text(ends)}"
