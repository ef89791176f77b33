"""Does a head find the person? Stories that begin with other words, and stories with two people.

In the small world every story begins with its hero, so a head that always looks at token 1 cannot
be told from one that finds the person. Here the same stories are told with words in front, with a
second person in front of the hero, or with one behind: the samples change, the grammar does not.
"""

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bertbook.core.attention_maps import attention_share, bootstrap_interval
from bertbook.corpus import World, sample_tagged, small_world, untagged, word_classes
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
