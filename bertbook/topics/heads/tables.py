"""What Chapter 20 shows of its record: maps of heads, and results in tables."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from bertbook.core.html import Html, html
from bertbook.core.maps import small_map
from bertbook.core.tables import result_table

HEAD_TARGETS = ("[CLS]", "[SEP]", "itself", "previous", "next")
SHARE_OF = {"sure and right": "sure, and right", "sure and wrong": "sure, and wrong"}


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


def people_table(record: Mapping, model: str, note: str = "") -> Html:
    """In each way of telling: what the chosen head spends on the hero and on others."""
    asked = record.get("people", record)
    chosen = asked["chosen"]["as ever"] if "as ever" in asked["chosen"] else asked["chosen"]
    rows = [
        [way, f"{told['hero'][0]:.2f}, {interval_text(told['hero'])}", f"{told['other'][0]:.2f}",
         f"{told['words on hero'][0]:.2f}"]
        for way, told in chosen["ways"].items()
    ]  # fmt: skip
    name = f"{model}, head {chosen['layer'] + 1}.{chosen['head'] + 1}"
    columns = ["hero, interval", "other person", "other words on hero"]
    return html(result_table(columns, rows, name), note)


def two_people_table(real: Mapping) -> Html:
    """Four tests of one head: how often it is right, and the rival beside it."""
    frames, other, rows = real["frames"], real["other people"], []
    count = frames["frames"]
    rows.append(["a woman and a man", f"{frames['picks the right one'][0]:.0%}",
                 f"{count} of {count} frames"])  # fmt: skip
    for kind, name in (("all names", "all pairs of names"), ("nouns", "nouns for names")):
        mean, *interval = other[kind]["right"]
        rows.append([name, f"{mean:.0%}", " to ".join(f"{end:.0%}" for end in interval)])
    first = [told["attention"][0] > told["attention"][1] for told in other["one sex"]]
    right = sum(taken == (told["meant"] == 0) for taken, told in zip(first, other["one sex"]))
    rows.append(["two of one sex", f"{right / len(first):.0%}", f"{right} of {len(first)}"])
    rows.append(["… takes the first name", f"{np.mean(first):.0%}",
                 f"{sum(first)} of {len(first)}"])  # fmt: skip
    rows.append(["rival: always the first name", f"{frames['first name is right'][0]:.0%}",
                 "by construction"])  # fmt: skip
    return html(result_table(["right", "interval or count"], rows, "head 3.5"),
                "Intervals are over the twelve frames.")  # fmt: skip


def mentions_table(record: Mapping) -> Html:
    """For each model the head that looks at earlier mentions of a word, and its rivals."""
    rows = []
    for name in ("small world", "MiniLM"):
        found = record[name]["links"]["mention"]
        rows.append([f"{name}, {found['layer'] + 1}.{found['head'] + 1}",
                     f"{found['share']:.2f}, {interval_text(_ends(found))}",
                     f"{found['offset_share']:.2f}", f"{found['even']:.2f}"])  # fmt: skip
    return html(result_table(["share, interval", "best offset", "even"], rows, "best head"),
                "Attention on an earlier mention of the same word.")  # fmt: skip


def witnesses_table(hiding: Mapping, model: str) -> Html:
    """For each witness: how well it orders the words, and its lead over attention, paired."""
    rows = []
    for name, found in hiding["correlation"].items():
        ahead = found["minus attention"]
        lead = "" if name == "attention, all heads" else f"{ahead['mean']:+.2f}"
        rows.append([name, f"{found['mean']:.2f}, {interval_text(_ends(found))}", lead,
                     lead and interval_text(_ends(ahead))])  # fmt: skip
    columns = ["correlation, interval", "minus attention", "paired interval"]
    told = (
        f"{hiding['riddles']} hidden words, {hiding['words']} others. The most attended word is "
        f"the one that matters most in {hiding['most_attended_matters_most']:.0%}, by chance in "
        f"{hiding['by_chance']:.0%}."
    )
    return html(result_table(columns, rows, model), told)


def needed_word_table(hiding: Mapping) -> Html:
    """Where one word is needed in truth: what it gets, and what the model makes of it."""
    needed = hiding["needed"]
    names = {"attention": "attention on that word", "attention_if_even": "if shared evenly",
             "change": "the model's answer moves by",
             "change_of_others": "for another word"}  # fmt: skip
    rows = [[text, f"{needed[name]['mean']:.2f}", interval_text(_ends(needed[name]))]
            for name, text in names.items()]  # fmt: skip
    return html(result_table(["mean", "interval"], rows, "one word is needed"),
                f"In {needed['riddles']} of {hiding['riddles']} stories.")  # fmt: skip


def silent_heads_table(silent: Mapping) -> Html:
    """List what each head costs alone, and what a layer costs without all of them."""
    rows = []
    for layer, (heads, four) in enumerate(zip(silent["heads"], silent["layers"]), 1):
        rows += [[f"without {layer}.{n}", f"{one['more']:.3f}", interval_text(_ends(one), 3)]
                 for n, one in enumerate(heads, 1)]  # fmt: skip
        alone = sum(one["more"] for one in heads)
        rows.append(
            [f"without all of layer {layer}", f"{four['more']:.2f}", interval_text(_ends(four))]
        )
        rows.append([f"the four of layer {layer}, added", f"{alone:.2f}", ""])
    return html(result_table(["more", "interval"], rows, "loss in nats"),
                f"With all heads the loss is {silent['loss']:.3f}; "
                f"{silent['stories']} new stories.")  # fmt: skip


def moved_table(patches: Mapping) -> Html:
    """By how much the answer moves if one head gets what it found in the twin."""
    rows = []
    for layer, head in np.ndindex(2, 4):
        row = [f"{layer + 1}.{head + 1}"]
        for told in patches.values():
            mean, low, high = (told[key][layer][head][1] for key in ("mean", "low", "high"))
            row.append(f"{round(mean, 2) + 0:.2f}, {interval_text((low, high))}")
        follows = patches["as ever"]["mean"][layer][head][3]
        rows.append([*row, f"{follows:.0%}"])
    columns = [*patches, "forms that change"]
    leads = ", ".join(f"{way} by {told['mean'][1][2][0]:.2f} nats, {told['mean'][1][2][2]:.2f} "
                      "from the twin" for way, told in patches.items())  # fmt: skip
    stories = patches["as ever"]["stories"]
    return html(result_table(columns, rows, "moved by"),
                f"{stories} stories, which are the unit. The right form leads {leads}. "
                "Forms that change: as ever.")  # fmt: skip


def certainty_table(record: Mapping) -> Html:
    """How often the model gives one form of the pronoun more than 0.75, and is wrong."""
    rows = [
        [text, *(f"{told[name][0]:.0%}, {told[name][1]:.0%} to {told[name][2]:.0%}"
                 for told in record.values())]
        for name, text in SHARE_OF.items()
    ]  # fmt: skip
    return html(result_table([*record], rows, "of the two forms"),
                "Sure: one of the two forms has more than 0.75 of both.")  # fmt: skip


def rows_of_the_table(rivals: Mapping) -> Html:
    """Compare a head with the cheapest rival: two rows of the table of embeddings."""
    names = {
        "all names": "all pairs of our names",
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
                "The nearest row takes the person whose row in the table of embeddings has the "
                "larger cosine with the pronoun's. Intervals are over twelve frames.")  # fmt: skip


def other_heads(rivals: Mapping, shown: int = 4) -> Html:
    """List the heads that do best on all pairs of names, and how they do on other people."""
    frames = rivals["frames"]
    mean = np.array(frames["all names"]["heads"])
    rows = []
    for number in np.argsort(-mean.ravel(), kind="stable")[:shown]:
        layer, head = np.unravel_index(number, mean.shape)
        shares = (f"{told['heads'][layer][head]:.2f}" for told in frames.values())
        rows.append([f"head {layer + 1}.{head + 1}", *shares])
    columns = ["our names", "nouns", "other names"]
    return html(result_table(columns, rows, "right"),
                "The best of 72 heads, chosen on our names.")  # fmt: skip


def gradients_table(rivals: Mapping) -> Html:
    """Ask gradients for what attention is asked for: the whole answer."""
    hiding = rivals["hiding"]
    rows = [
        [name, f"{told['correlation'][0]:.2f}",
         *(["", ""] if name == "attention, all heads" else
           [f"{told['minus attention'][0]:+.2f}", interval_text(told["minus attention"])])]
        for name, told in hiding["witnesses"].items()
    ]  # fmt: skip
    return html(result_table(["correlation", "minus attention", "paired interval"], rows, "method"),
                f"The first {hiding['stories']} of the 300 hidden words.")  # fmt: skip
