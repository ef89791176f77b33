"""What Chapter 20 shows of its record: maps of heads, and results in tables."""

import base64
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from bertbook.core.html import Html, html
from bertbook.core.maps import small_map
from bertbook.core.tables import result_table

HEAD_TARGETS = ("[CLS]", "[SEP]", "itself", "previous", "next")
WAYS = {"as ever": "usual stories"}  # a way of telling: in the record, and on the page


def interval_text(numbers: Sequence[float], digits: int = 2) -> str:
    """Write the ends of an interval, the last two numbers."""
    low, high = numbers[-2:]
    return " to ".join(f"{round(float(end), digits) + 0:.{digits}f}" for end in (low, high))


def _ends(found: Mapping[str, float]) -> tuple[float, float]:
    """Take the ends of an interval out of a record."""
    return found["low"], found["high"]


def stored_map(entry: Mapping) -> Float[np.ndarray, "..."]:
    """Unpack attention weights that were stored in one byte each."""
    data = np.frombuffer(base64.b64decode(entry["shares"]), np.uint8)
    return data.reshape(entry["shape"]) / 255


def shares_on_targets(probs: Float[np.ndarray, "seq seq"], tokens: Sequence[str]) -> list[float]:
    """Average over the words what one head spends on each of the targets."""
    words = [i for i, token in enumerate(tokens) if token[0] != "["]
    keys = ([0] * len(words), [len(tokens) - 1] * len(words),
            *([i + step for i in words] for step in (0, -1, 1)))  # fmt: skip
    return [float(probs[words, wanted].mean()) for wanted in keys]


def map_drawer(
    record: Mapping, maps: Sequence[Float[np.ndarray, "layers heads seq seq"]], names: Sequence[str]
) -> Callable:
    """Return what draws all heads of a layer, or one with its numbers beside it."""
    measures = record["heads"]["measures"]

    def draw(sentence: str, layer: int, head: int | str) -> str:
        number = names.index(sentence)
        tokens, tables = record["maps"][number]["tokens"], maps[number][layer - 1]
        if isinstance(head, str):  # all of them
            return _all_heads(tables)
        here = shares_on_targets(tables[head - 1], tokens)
        most = HEAD_TARGETS[int(np.argmax(here))]
        drawn = small_map(
            tables[head - 1], f"Layer {layer}, head {head}: most of it on {most}.", tokens, tokens
        )
        rows = [
            [name, f"{one:.2f}", f"{measures[name]['mean'][layer - 1][head - 1]:.2f}"]
            for name, one in zip(HEAD_TARGETS, here)
        ]
        beside = result_table(["here", "120 requests"], rows, "share on")
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:center">'
            f'<div style="flex:1 1 15em;max-width:24em">{drawn}</div>{beside}</div>'
        )

    return draw


def _all_heads(tables: np.ndarray) -> str:
    cells = "".join(
        f"<div>{small_map(one, f'head {i}')}"
        f'<small style="display:block;text-align:center">{i}</small></div>'
        for i, one in enumerate(tables, 1)
    )
    return (
        '<div style="display:grid;gap:.5em;grid-template-columns:'
        f'repeat(auto-fit,minmax(6em,1fr))">{cells}</div>'
    )


def habits_table(record: Mapping) -> Html:
    """For each target: the mean of all heads, and the head that spends most on it."""
    measures, rows = record["heads"]["measures"], []
    for name in HEAD_TARGETS:
        mean = np.array(measures[name]["mean"])
        layer, head = np.unravel_index(mean.argmax(), mean.shape)
        low, high = (measures[name][end][layer][head] for end in ("low", "high"))
        rows.append([name, f"{mean.mean():.2f}", f"{layer + 1}.{head + 1}",
                     f"{mean[layer, head]:.2f}, {interval_text((low, high))}"])  # fmt: skip
    carried = np.mean(measures["carried from [CLS]"]["mean"])
    rows.append(["contribution of [CLS]", f"{carried:.2f}", "", ""])
    columns = ["all heads", "most: head", "share, interval"]
    return html(result_table(columns, rows, "share on"),
                "72 heads, means over 120 sentences, which are the unit.")  # fmt: skip


def people_table(people: Mapping) -> Html:
    """In each way of telling: what the two chosen heads spend on the hero and on others."""
    small, real = (told["chosen"]["as ever"] for told in people.values())
    rows = []
    for way, told in small["ways"].items():
        other = real["ways"][way]
        rows.append([WAYS.get(way, way), f"{told['hero'][0]:.2f}, {interval_text(told['hero'])}",
                     f"{told['words on hero'][0]:.2f}",
                     f"{other['hero'][0]:.2f}, {interval_text(other['hero'])}",
                     f"{other['other'][0]:.2f}"])  # fmt: skip
    columns = ["2.3: hero", "other words on hero", "3.5: hero", "other person"]
    return html(result_table(columns, rows, "attention"),
                "2.3 is a head of the small world, 3.5 of the real encoder. "
                f"{people['MiniLM']['stories']} stories, which are the unit.")  # fmt: skip


def rows_of_the_table(rivals: Mapping) -> Html:
    """Compare a head with the cheapest rival: two rows of the table of embeddings."""
    names = {
        "all names": "our names, all pairs",
        "nouns": "nouns for names",
        "other names": "twenty other pairs",
    }
    rows = []
    for kind, text in names.items():
        told = rivals["frames"][kind]["frames"]
        rows.append([text, *(f"{told[name][0]:.3f}" for name in ("head", "rows")),
                     f"{told['head - rows'][0]:+.3f}",
                     interval_text(told["head - rows"], 3)])  # fmt: skip
    columns = ["head 3.5", "nearest row", "difference", "interval"]
    return html(result_table(columns, rows, "right"),
                "Intervals are over twelve frames.")  # fmt: skip


def methods_table(small: Mapping, real: Mapping, gradients: Mapping) -> Html:
    """For each method: how well it orders the words, and its paired lead over attention."""
    names = {"attention, all heads": "attention", "rollout": "rollout", "nearness": "nearness"}
    rows = []
    for name, text in names.items():
        row = [text]
        for hiding in (small, real):
            found = hiding["correlation"][name]
            ahead = found["minus attention"]
            row += [f"{found['mean']:.2f}", _lead(text, ahead["mean"], _ends(ahead))]
        rows.append(row)
    asked = gradients["witnesses"]["gradient × input, whole answer"]
    lead, *ends = asked["minus attention"]
    rows.append(["gradient × input", f"{asked['correlation'][0]:.2f}", _lead("", lead, ends),
                 "", ""])  # fmt: skip
    columns = ["small world", "minus attention", "real encoder", "minus attention"]
    return html(result_table(columns, rows, "rank correlation"),
                f"{small['riddles']} hidden words, and {real['riddles']} of the real encoder; "
                f"the gradient: the first {gradients['stories']}. Paired bootstrap "
                "intervals.")  # fmt: skip


def _lead(name: str, lead: float, ends: Sequence[float]) -> str:
    return "" if name == "attention" else f"{lead:+.2f}, {interval_text(ends)}"


def silent_heads_table(silent: Mapping) -> Html:
    """For each layer: what its heads cost alone, and what all of them cost together."""
    rows = []
    for layer, (heads, four) in enumerate(zip(silent["heads"], silent["layers"]), 1):
        alone = [one["more"] for one in heads]
        most = int(np.argmax(alone)) + 1
        rows.append([f"layer {layer}", f"{layer}.{most}: {max(alone):.3f}", f"{sum(alone):.2f}",
                     f"{four['more']:.2f}, {interval_text(_ends(four))}"])  # fmt: skip
    columns = ["costliest head", "the four, added", "all four at once"]
    return html(result_table(columns, rows, "nats more"),
                f"With all heads the loss is {silent['loss']:.3f}; "
                f"{silent['stories']} new stories.")  # fmt: skip


def moved_table(moves: Mapping) -> Html:
    """By how much the answer moves if one head gets what it found in the twin."""
    rows = []
    for layer, head in np.ndindex(2, 4):
        mean, low, high = (moves[key][layer][head] for key in ("mean", "low", "high"))
        rows.append([f"{layer + 1}.{head + 1}", f"{round(mean[1], 2) + 0:.2f}",
                     interval_text((low[1], high[1])), f"{mean[3]:.0%}"])  # fmt: skip
    lead, _, way, _ = moves["mean"][1][2]
    return html(result_table(["nats", "interval", "forms that change"], rows, "moved by"),
                f"{moves['stories']} stories, which are the unit. The right form leads by "
                f"{lead:.2f} nats, {way:.2f} from the twin.")  # fmt: skip
