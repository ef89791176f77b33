"""Whom does a head find among two people? Frames of English, with two names or two of one sex.

`people` asks about stories of the small world; this is the same question for an encoder that has
read English: names, nouns, and people whom no pronoun tells apart.
"""

import re
from itertools import product

import numpy as np
import torch
from torch.nn import functional

from bertbook.core.attention_maps import bootstrap_interval

from .encoders import Encoder, rounded

# Two people, once she and once he: F and M stand for the names, P for the pronoun. Each of the
# twelve frames is told twice, with her first and, six lines below, with him first. In half of them
# the first word is no name.
FRAMES = (
    "F met M at the station because P had missed the bus.",
    "F called M while P was walking home.",
    "F lent M a book before P left the town.",
    "F saw M in the park, and P looked tired.",
    "F wrote to M after P had moved to Rome.",
    "F thanked M because P had time to help.",
    "M met F at the station because P had missed the bus.",
    "M called F while P was walking home.",
    "M lent F a book before P left the town.",
    "M saw F in the park, and P looked tired.",
    "M wrote to F after P had moved to Rome.",
    "M thanked F because P had time to help.",
    "On Monday F visited M, but P was ill.",
    "In the kitchen F told M that P was hungry.",
    "Last year F worked with M until P found another job.",
    "After the concert F waited for M because P had the keys.",
    "At school F sat beside M, and P talked all day.",
    "Every summer F travels with M, although P hates the heat.",
    "On Monday M visited F, but P was ill.",
    "In the kitchen M told F that P was hungry.",
    "Last year M worked with F until P found another job.",
    "After the concert M waited for F because P had the keys.",
    "At school M sat beside F, and P talked all day.",
    "Every summer M travels with F, although P hates the heat.",
)
WOMEN, MEN = ("anna", "mary", "emma", "clara"), ("john", "peter", "david", "james")


NOUNS_OF_PEOPLE = (("woman", "man"), ("queen", "king"), ("girl", "boy"), ("mother", "father"))

# Two people of one sex, F and G. Only the meaning says who P is: six times F, six times G.
ONE_SEX = (
    ("F apologized to G because P had broken the vase.", "F"),
    ("F asked G for help because P could not lift the box.", "F"),
    ("F called G because P needed advice.", "F"),
    ("F visited G in hospital, and P brought flowers.", "F"),
    ("F borrowed money from G because P had lost everything.", "F"),
    ("F won against G because P had trained all year.", "F"),
    ("F thanked G because P had found the keys.", "G"),
    ("F admired G because P spoke five languages.", "G"),
    ("F comforted G because P had lost a friend.", "G"),
    ("F paid G because P had repaired the roof.", "G"),
    ("F envied G because P owned a horse.", "G"),
    ("F scolded G because P had come late.", "G"),
)


def fill_frame(frame: str, **words: str) -> str:
    """Put words into the places of a frame."""
    return re.sub(r"\b[FGMP]\b", lambda place: words[place[0]], frame).lower()


@torch.no_grad()
def attention_on(
    encoder: Encoder, layer: int, head: int, text: str, pronoun: str, people: tuple[str, ...]
) -> list[float]:
    """Return how much of a pronoun's attention one head spends on each of some words."""
    pieces = encoder.tokenizer.tokenize(text)
    ids = torch.tensor([encoder.tokenizer.encode(text)])
    probs = encoder.model(ids, output_attentions=True).attentions[layer][0, head]
    row = probs[1 + pieces.index(pronoun)]
    return [row[1 + pieces.index(word)].item() for word in people]


def by_unit(rows: np.ndarray) -> np.ndarray:
    """Average what belongs to one frame: she and he, and its mirror image six lines below."""
    return rows.reshape(2, 2, 6, -1, rows.shape[-1]).mean(axis=(1, 3)).reshape(12, -1)


def frames_of(encoder: Encoder, layer: int, head: int) -> dict:
    """Ask one head, in each frame once with she and once with he, for the right person."""
    rows, texts, people, alike = [], [], [], []
    table = functional.normalize(encoder.model.embeddings.word_embeddings.weight.detach(), dim=-1)
    for number, frame in enumerate(FRAMES):
        woman, man = WOMEN[number % 4], MEN[number // 4 % 4]
        for pronoun, right, wrong in (("she", woman, man), ("he", man, woman)):
            text = fill_frame(frame, F=woman, M=man, P=pronoun)
            told = attention_on(encoder, layer, head, text, pronoun, (right, wrong))
            own, *others = (encoder.tokenizer.vocab[word] for word in (pronoun, right, wrong))
            alike.append(rounded(table[others] @ table[own]))
            words = text.split()
            first = text.index(right) < text.index(wrong)
            rows.append([*told, told[0] > told[1], first, words[0] == right])
            texts.append(text)
            people.append([pronoun, right, wrong])
    told = np.array(rows, dtype=float)
    frames = by_unit(told)
    columns = np.column_stack([frames, frames[:, 0] - frames[:, 1]])
    low, high = bootstrap_interval(columns, rng=np.random.default_rng(18))
    names = ("right", "wrong", "picks the right one", "first name is right", "token 1 is right")
    report = {
        name: rounded([columns[:, k].mean(), low[k], high[k]])
        for k, name in enumerate((*names, "right - wrong"))
    }
    by_order = {name: rounded(told[told[:, 3] == k, 2].mean())
                for k, name in enumerate(("right one second", "right one first"))}  # fmt: skip
    sentences = {"sentences": texts, "people": people}
    of_rows = {"attention": rounded(told[:, :2]), "alike in the table": alike}
    return {"frames": len(frames), **sentences, **report, **by_order, **of_rows}


def other_people_of(encoder: Encoder, layer: int, head: int) -> dict:
    """Ask the same head about every pair of names, about nouns, and about people of one sex."""
    report: dict = {}
    pairs = {"all names": tuple(product(WOMEN, MEN)), "nouns": NOUNS_OF_PEOPLE}
    for kind, couples in pairs.items():
        rows, the = [], "the " if kind == "nouns" else ""
        for frame, (woman, man) in product(FRAMES, couples):
            for pronoun, right, wrong in (("she", woman, man), ("he", man, woman)):
                text = fill_frame(frame, F=the + woman, M=the + man, P=pronoun)
                told = attention_on(encoder, layer, head, text, pronoun, (right, wrong))
                rows.append([told[0] > told[1]])
        frames = by_unit(np.array(rows, dtype=float))
        low, high = bootstrap_interval(frames[:, 0], rng=np.random.default_rng(18))
        report[kind] = {"sentences": len(rows), "right": rounded([frames.mean(), low, high])}
    told = []
    for number, (frame, meant) in enumerate(ONE_SEX):
        names, pronoun = (WOMEN, "she") if number % 2 == 0 else (MEN, "he")
        two = names[number % 4], names[(number + 1) % 4]
        text = fill_frame(frame, F=two[0], G=two[1], P=pronoun)
        attention = attention_on(encoder, layer, head, text, pronoun, two)
        told.append({"text": text, "meant": "FG".index(meant), "attention": rounded(attention)})
    return report | {"one sex": told}
