"""The small world: its grammar, what it tells, and the ladder down to its floor."""

import math
from collections import Counter, defaultdict

import exact_pairs
import numpy as np
import pytest
from effort import mostly_slow
from numpy.random import default_rng

from bertbook.corpus import (
    MaskingNoise,
    Oracle,
    corrupted_floors,
    hidden_once_floors,
    parse_world,
    sample_documents,
    sample_pairs,
    sample_tagged,
    small_world,
    untagged,
    world_ladder,
    world_words,
)
from bertbook.corpus.world.masking_noise import hide_words
from bertbook.corpus.world.sampling import STORIES

WORLD = small_world()
TINY = parse_world(exact_pairs.TINY)


def test_a_document_has_one_hero_and_no_story_twice():
    heroes = {row[0]: row for row in WORLD.heroes.rows}
    for document in sample_documents(WORLD, 300, rng=default_rng(1), stories=5):
        assert len(document) == 10
        (hero,) = {sentence.split()[0] for sentence in document[::2]}
        others = {"she", "he", "his", "him", "her"} - set(heroes[hero])
        assert not others & set(" ".join(document).split())
    (everything,) = sample_tagged(TINY, 1, rng=default_rng(1), stories=3)
    assert len({sentence[1] for sentence in everything[::2]}) == 3


@pytest.mark.usefixtures("unchecked")
@pytest.mark.slow
def test_pairs_are_drawn_as_often_as_their_chances_say():
    exact = Counter()
    for (first, second, is_next), chance in exact_pairs.pairs(TINY, 2).items():
        exact[untagged(" ".join(first)), untagged(" ".join(second)), is_next] += chance
    count = 8000
    pairs = sample_pairs(TINY, count, rng=default_rng(8), stories=2)
    found = Counter(map(tuple, pairs))
    assert set(found) <= set(exact)
    likely = {pair: chance for pair, chance in exact.items() if chance > 1e-3}
    assert len(likely) > 50
    for pair, chance in likely.items():
        assert abs(found[pair] - count * chance) < 5 * math.sqrt(count * chance * (1 - chance))


def exact_losses(world, stories):
    """Compute the ladder below uniform, and both floors, from the chances of all pairs."""
    seen, answers, best = defaultdict(Counter), Counter(), Counter()
    for (first, second, is_next), chance in exact_pairs.pairs(world, stories).items():
        pair = tuple(tuple(map(exact_pairs.plain, sentence)) for sentence in (first, second))
        answers[pair, is_next] += chance
        for side, sentence in enumerate(pair):
            for place, word in enumerate(sentence):
                rest = (*sentence[:place], None, *sentence[place + 1 :])
                seen["unigram"][None, word] += chance
                seen["neighbors"][("<", *sentence, ">")[place : place + 3 : 2], word] += chance
                seen["sentence"][(rest, side), word] += chance
                seen["full"][(rest, pair[1 - side], side), word] += chance
    losses = {name: _conditional_entropy(joint) for name, joint in seen.items()}
    for (pair, _), chance in answers.items():
        best[pair] = max(best[pair], chance)
    return losses, _conditional_entropy(answers), sum(best.values())


def _conditional_entropy(joint):
    totals = Counter()
    for (context, _), chance in joint.items():
        totals[context] += chance
    loss = sum(chance * math.log(totals[c] / chance) for (c, _), chance in joint.items() if chance)
    return loss / sum(totals.values())


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
@pytest.mark.parametrize("stories", mostly_slow([1, 2]))
def test_the_ladder_and_the_floors_of_a_tiny_world_equal_counting(stories):
    losses, next_sentence, accuracy = exact_losses(TINY, stories)
    ladder = world_ladder(TINY, stories=stories)
    assert ladder.uniform == pytest.approx(math.log(len(world_words(TINY)) + 1))
    for name in ("unigram", "neighbors", "sentence"):
        assert getattr(ladder, name) == pytest.approx(losses[name], abs=1e-12)
    pairs = sample_pairs(TINY, 1500, rng=default_rng(stories), stories=stories)
    floors = hidden_once_floors(Oracle(TINY, stories), pairs)
    truth = (losses["full"], next_sentence, accuracy)
    for estimate, right in zip(floors, truth, strict=True):
        assert 0 < estimate.error < 0.02
        assert abs(estimate.value - right) < 4 * estimate.error


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_the_floor_under_real_masks_is_what_true_words_cost():
    """Two estimates of one number: the mean surprise that is expected, and the one that comes."""
    rng, noise = default_rng(9), MaskingNoise(random_words=40, chosen=0.4)
    pairs = sample_pairs(TINY, 500, rng=rng, stories=STORIES)
    oracle = Oracle(TINY)
    floors = corrupted_floors(oracle, pairs, noise, rng=default_rng(1))
    again, losses, counts = default_rng(1), [], []
    for pair in pairs:
        hidden = [hide_words(s.split(), noise, oracle.words, rng=again) for s in pair[:2]]
        (words,), _ = oracle.read([(hidden[0][0], hidden[1][0])], noise)
        true = [oracle.ids[word] for word in f"{pair.first} {pair.second}".split()]
        chosen = np.concatenate([hidden[0][1], hidden[1][1]])
        losses.append(-np.log(words[np.arange(len(true)), true])[chosen].sum())
        counts.append(chosen.sum())
    mean = np.sum(losses) / np.sum(counts)
    error = np.std(np.array(losses) - mean * np.array(counts)) / np.mean(counts) / math.sqrt(500)
    assert abs(floors.masked_word.value - mean) < 4 * error


def test_noise_that_chooses_no_word_or_has_too_few_is_refused():
    pairs = sample_pairs(TINY, 3, rng=default_rng(0), stories=2)
    nothing = MaskingNoise(random_words=40, chosen=0.0)
    with pytest.raises(ValueError, match="no word of these 3 pairs was chosen"):
        corrupted_floors(Oracle(TINY, 2), pairs, nothing, rng=default_rng(0))
    with pytest.raises(ValueError, match="random_words is 1, but the world has 2"):
        hide_words(["one"], MaskingNoise(1), ["cat", "one"], rng=default_rng(0))


def test_words_are_hidden_in_the_shares_of_the_noise():
    words = ["frog"] * 200_000
    noise = MaskingNoise(random_words=4, chosen=0.15, masked=0.8, random=0.1)
    seen, chosen = hide_words(words, noise, ["frog", "bank"], rng=default_rng(0))
    assert len(seen) == len(words) and set(np.array(seen)[~chosen]) == {"frog"}
    random = 0.15 * 0.1 / 4  # for each of the four
    shares = {"[MASK]": 0.15 * 0.8, "bank": random, "[STRANGER]": 2 * random}
    shares["frog"] = 1 - sum(shares.values())
    counts = Counter(seen)
    assert set(counts) == set(shares)
    for count, share in [(chosen.sum(), 0.15), *((counts[w], shares[w]) for w in shares)]:
        assert abs(count - len(words) * share) < 4 * math.sqrt(len(words) * share * (1 - share))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the grammar has no story; write two sentences"),
        ("anna sings\n\nben sings", "line 2 .*the story above has one sentence"),
        ("a b\nc d\n\nONE: x\n\ne f\ng h", "line 5 .*the table above has no story"),
        ("ONE: x | y\na b\nc d", "line 3 .*no sentence of this story names its table ONE"),
        ("a b\nc d\ndocument HERO: anna", "line 3 .*a document's table stands above all stories"),
        ("one: x\nONE a\nb", "line 1 .*'one' is no name of a table"),
        ("HERO sings\nhe sings", "line 2 .*no table has a column HERO"),
        ("Anna sings\nhe sings", "line 2 .*'Anna' is no word"),
        ("a [b | c d]\ne", r"line 2 .*'\[b \| c d\]' is no choice among words"),
        ("ONE: x\nONE: y\nONE a\nb", "line 4 .*two columns have the same name"),
    ],
)
def test_a_grammar_that_makes_no_sense_is_explained(text, message):
    with pytest.raises(ValueError, match=message):
        parse_world(text)


def test_a_story_without_a_hero_and_a_row_that_counts_twice():
    world = parse_world("[dogs | cats | cats] sleep\nthey dream")
    assert world.heroes.rows == ((),)
    words, _ = Oracle(world, stories=1).read([("[MASK] sleep", "they dream")])
    chances = dict(zip(world_words(world), words[0][0].tolist(), strict=True))
    assert (chances["cats"], chances["dogs"]) == pytest.approx((2 / 3, 1 / 3))
