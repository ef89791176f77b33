"""Does a head find the person? Stories that begin with other words, and stories with two people.

In the small world every story begins with its hero, so a head that always looks at token 1 cannot
be told from one that finds the person. Here the same stories are told with words in front, with a
second person in front of the hero, or with one behind: the samples change, the grammar does not.
"""

import re
from collections.abc import Callable
from itertools import chain, product
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bertbook.corpus import World, sample_tagged, small_world, untagged, word_classes
from minibert.analysis.attention_maps import attention_share, bootstrap_interval
from minibert.wordpiece import WordPieceTokenizer

from .encoders import Encoder, rounded

FRONTS = ("today", "early in the morning", "in the evening", "one day near the church")
TELLINGS = 6
HEROES = small_world().heroes.rows  # anna she her her, ...
NAMES = tuple(row[0] for row in HEROES)
NOUNS = {*NAMES, *(word for word, kind in word_classes().items() if kind == "noun")}


class Told(NamedTuple):
    """A story of two sentences: its number, its words, and what each word is for the hero."""

    story: int
    words: tuple[tuple[str, ...], tuple[str, ...]]
    roles: tuple[tuple[str, ...], tuple[str, ...]]  # hero, pronoun, other or nothing


def other_name(hero: str, rng: np.random.Generator) -> str:
    """Draw a person of the other sex."""
    he = next(row[1] for row in HEROES if row[0] == hero)
    return str(rng.choice([row[0] for row in HEROES if row[1] != he]))


def plain(told: Told, rng: np.random.Generator) -> Told:
    """Tell it as it is."""
    return told


def words_in_front(told: Told, rng: np.random.Generator) -> Told:
    """Begin with words that name nobody."""
    front = str(rng.choice(FRONTS)).split()
    return put(told, front, [""] * len(front), [], [])


def other_in_front(told: Told, rng: np.random.Generator) -> Told:
    """Begin with somebody else, as in near ben anna kicks the ball."""
    name = other_name(told.words[0][told.roles[0].index("hero")], rng)
    return put(told, ["near", name], ["", "other"], [], [])


def other_behind(told: Told, rng: np.random.Generator) -> Told:
    """Name somebody else between the hero and the pronoun."""
    name = other_name(told.words[0][told.roles[0].index("hero")], rng)
    return put(told, [], [], ["near", name], ["", "other"])


def put(told: Told, front: list, front_roles: list, behind: list, behind_roles: list) -> Told:
    """Put words around the first sentence."""
    (words, rest), (roles, others) = told.words, told.roles
    return Told(
        told.story,
        ((*front, *words, *behind), rest),
        ((*front_roles, *roles, *behind_roles), others),
    )


WAYS: dict[str, Callable] = {
    "as ever": plain,
    "words in front": words_in_front,
    "another person in front": other_in_front,
    "another person behind": other_behind,
}


def tell_stories(tellings: int, seed: int) -> list[Told]:
    """Tell every story that has a pronoun a few times."""
    rng, world, found = np.random.default_rng(seed), small_world(), []
    for number, story in enumerate(world.stories):
        roles = tuple(
            tuple("" if p.table else "pronoun" if p.column else "hero" for p in sentence)
            for sentence in story.sentences
        )
        if "pronoun" in chain.from_iterable(roles):
            for told in sample_tagged(World(world.heroes, (story,)), tellings, rng=rng):
                words = tuple(tuple(map(untagged, sentence)) for sentence in told)
                found.append(Told(number, words, roles))
    return found


def encode(tokenizer: WordPieceTokenizer, told: Told) -> tuple[Tensor, Tensor, list[list[int]]]:
    """Return ids, segments, and the seats of every word's pieces."""
    ids, types, seats = [tokenizer.cls_token_id], [0], []
    for segment, sentence in enumerate(told.words):
        for word in sentence:
            own = tokenizer.encode(word)[1:-1]
            seats.append(list(range(len(ids), len(ids) + len(own))))
            ids, types = [*ids, *own], [*types, *[segment] * len(own)]
        ids, types = [*ids, tokenizer.sep_token_id], [*types, segment]
    return torch.tensor([ids]), torch.tensor([types]), seats


@torch.no_grad()
def look(encoder: Encoder, told: Told) -> np.ndarray:
    """Return shares of attention, (layers, heads, 3).

    Of pronouns on the hero, of pronouns on the other person, and of other words on the hero.
    """
    ids, types, seats = encode(encoder.tokenizer, told)
    roles = list(chain.from_iterable(told.roles))
    output = encoder.model(ids, token_type_ids=types, output_attentions=True)
    of = {role: [s for s, r in zip(seats, roles, strict=True) if r == role] for role in {*roles}}
    found = []
    for queries, keys in (("pronoun", "hero"), ("pronoun", "other"), ("", "hero")):
        targets = torch.zeros(1, ids.shape[1], ids.shape[1], dtype=torch.bool)
        for query in of[queries]:
            for key in of.get(keys, []):
                targets[0, query[0], key] = True
        shares = [attention_share(probs, targets)[0] for probs in output.attentions]
        found.append(torch.stack(shares))
    return torch.stack(found, dim=-1).nan_to_num().numpy()


def rivals(told: Told) -> dict[str, float]:
    """Say how often somebody blind points at the hero, from every pronoun of a story."""
    words, roles = (list(chain.from_iterable(part)) for part in (told.words, told.roles))
    hits: dict[str, list[bool]] = {}
    for place, role in enumerate(roles):
        if role == "pronoun":
            names = [k for k, word in enumerate(words) if word in NAMES and k < place]
            hits.setdefault("token 1", []).append(roles[0] == "hero")
            hits.setdefault("first name", []).append(roles[names[0]] == "hero")
            hits.setdefault("nearest name", []).append(roles[names[-1]] == "hero")
            nouns = [k for k, word in enumerate(words) if word in NOUNS and k < place]
            hits.setdefault("nearest noun", []).append(roles[nouns[-1]] == "hero")
    return {name: float(np.mean(told)) for name, told in hits.items()}


def by_story(numbers: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Average over the tellings of each story."""
    return np.stack([values[numbers == n].mean(axis=0) for n in np.unique(numbers)])


def people_of(encoder: Encoder, seed: int = 18) -> dict:
    """Choose a head on the even stories, told in every way; measure it on the odd ones."""
    rows, report = tell_stories(TELLINGS, seed), {}
    numbers = np.array([row.story for row in rows])
    stories = np.unique(numbers)
    chosen, measured = stories % 2 == 0, stories % 2 == 1
    shares, blind = {}, {}
    for way, change in WAYS.items():
        rng = np.random.default_rng(seed)
        changed = [change(row, rng) for row in rows]
        shares[way] = by_story(numbers, np.stack([look(encoder, told) for told in changed]))
        blind[way] = {k: float(np.mean([rivals(t)[k] for t in changed])) for k in rivals(rows[0])}
    for basis in ("as ever", "every way"):
        used = shares if basis == "every way" else {basis: shares[basis]}
        mean = np.mean([values[chosen][..., 0].mean(axis=0) for values in used.values()], axis=0)
        head = np.unravel_index(mean.argmax(), mean.shape)
        ways = {way: describe(values[measured][:, head[0], head[1]])
                for way, values in shares.items()}  # fmt: skip
        report[basis] = {"layer": int(head[0]), "head": int(head[1]), "ways": ways}
    return {"stories": int(measured.sum()), "chosen": report, "rivals": blind}


def describe(values: np.ndarray) -> dict[str, list[float]]:
    """Mean and interval over stories of the three shares, and of hero minus the other person."""
    names = ("hero", "other", "words on hero")
    columns = {name: values[:, k] for k, name in enumerate(names)}
    columns["hero - other"] = values[:, 0] - values[:, 1]
    columns["hero - words"] = values[:, 0] - values[:, 2]
    low, high = bootstrap_interval(np.stack([*columns.values()], 1), rng=np.random.default_rng(18))
    return {
        name: rounded([column.mean(), low[k], high[k]]) for k, (name, column) in
        enumerate(columns.items())
    }  # fmt: skip


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
