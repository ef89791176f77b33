"""A second way to a small world's chances: tell every document, make every pair, and count.

Nothing here knows how `bertbook.corpus.world.oracle` sums. It is slow, fit for tiny worlds only.
"""

import math
from collections import defaultdict
from itertools import permutations, product

TINY = """
document HERO HE: anna she | ben he | ben he
COLOR: red | blue

HERO sees a [bat/animal | owl]
the bat/animal flies

BALL: ball | hat
HERO has a COLOR BALL
HE likes the COLOR BALL

the [owl | cat] sees HERO
HE [flies | sings] a [bat/game | ball] home
"""


def documents(world, stories):
    """Yield every document in every way to tell it, with its chance."""
    orders = list(permutations(world.stories, stories))
    for hero, order in product(world.heroes.rows, orders):
        versions = [list(_tellings(story, hero)) for story in order]
        chance = 1 / len(world.heroes.rows) / len(orders) / math.prod(map(len, versions))
        yield from ((sum(told, ()), chance) for told in product(*versions))


def _tellings(story, hero):
    for rows in product([hero], *(table.rows for table in story.tables[1:])):
        yield tuple(
            tuple(rows[place.table][place.column] for place in sentence)
            for sentence in story.sentences
        )


def pairs(world, stories):
    """Count the chance of every pair of sentences, with senses, and of its answer."""
    known = list(documents(world, stories))
    counts, anywhere = defaultdict(float), defaultdict(float)
    for sentences, chance in known:
        for sentence in sentences:
            anywhere[sentence] += chance / len(sentences)
    for sentences, chance in known:
        share = chance / (len(sentences) - 1) / 2
        for first, second in zip(sentences, sentences[1:]):
            counts[first, second, True] += share
            for other, other_chance in anywhere.items():
                counts[first, other, False] += share * other_chance
    return counts


def plain(word):
    """Drop the sense of a word."""
    return word.split("/")[0]


def shown_as(seen, word, noise, chosen):
    """Compute the chance that a true word looks like this; `chosen` is True, or not known."""
    same = seen == plain(word)
    if noise is None:
        return 1.0 if chosen or seen == "[MASK]" else float(same)
    kept = 1 - noise.masked - noise.random
    if seen == "[MASK]":
        if_chosen = noise.masked
    else:
        # Every piece that is no word of the world looks the same here, and is one of many.
        if_chosen = noise.random / noise.random_words + kept * same
    return if_chosen if chosen else noise.chosen * if_chosen + (1 - noise.chosen) * same


def beliefs(counts, pair, noise=None):
    """Compute the chances of all words, with senses, at all places, and of a true pair."""
    first, second = pair
    seen = (*first, *second)
    places = [defaultdict(float) for _ in seen]
    answers = {True: 0.0, False: 0.0}
    for (a, b, is_next), chance in counts.items():
        if (len(a), len(b)) != (len(first), len(second)):
            continue
        told = (*a, *b)
        answers[is_next] += chance * math.prod(
            shown_as(s, w, noise, chosen=False) for s, w in zip(seen, told)
        )
        for hole, word in enumerate(told):
            places[hole][word] += chance * math.prod(
                shown_as(s, w, noise, chosen=place == hole)
                for place, (s, w) in enumerate(zip(seen, told))
            )
    totals = [sum(place.values()) for place in places]
    chances = [
        {word: value / total for word, value in place.items() if value}
        for place, total in zip(places, totals)
    ]
    return chances, answers[True] / sum(answers.values())
