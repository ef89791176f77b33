"""Exercises of Chapter 5: what a guesser pays who knows frequencies, or sees two holes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import combinations, permutations

import numpy as np

from bertbook.corpus import hundred_sentences, masked_word_loss

from .exercise import Exercise, Mistake, as_it_is

_CORPORA = [
    (["one cat", "one dog", "one dog sleeps"],),
    (["the cat sees the dog", "the dog sees the cat", "the dog sleeps", "a cat sleeps by day"],),
    (["a day by the sea", "a day by the river", "the sea by day", "a sea"],),
    (["left right left", "right left right", "left left"],),
    (list(hundred_sentences()),),
]


def _word_counts(sentences):
    return Counter(word for sentence in sentences for word in sentence.split())


def _surprises(sentences):
    """Return for each word minus the logarithm of its frequency."""
    counts = _word_counts(sentences)
    return {word: -math.log(count / counts.total()) for word, count in counts.items()}


def _by_token(sentences):
    counts, surprises = _word_counts(sentences), _surprises(sentences)
    return sum(counts[word] * surprises[word] for word in counts) / counts.total()


def _by_word(sentences):
    return np.mean([*_surprises(sentences).values()])


def _by_sentence(sentences):
    surprises = _surprises(sentences)
    return np.mean([np.mean([surprises[w] for w in s.split()]) for s in sentences])


def _unigram(sentences, *, mean=_by_token, unit=1.0, sign=1):
    return float(sign * mean(sentences) / unit)


check_unigram_loss = Exercise(
    "Compute the mean loss of somebody who knows only how frequent each word is.",
    _unigram,
    cases=_CORPORA,
    forbidden=["masked_word_loss", "masked_word_ladder"],
    mistakes=[
        Mistake({"unit": math.log(2)}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"unit": math.log(10)}, "Your logarithm has the base 10. Which one gives nats?"),
        Mistake({"mean": _by_word}, "You average over the different words. A frequent word is "
                "hidden more often: should it not count more often?"),
        Mistake({"mean": _by_sentence}, "You average sentence by sentence. Then a word of a short "
                "sentence counts more than one of a long sentence."),
        Mistake({"mean": lambda s: _by_token(s) * _word_counts(s).total() / len(_word_counts(s))},
                "You divide by the number of different words. How many words are hidden?"),
        Mistake({"mean": lambda s: _by_token(s) * _word_counts(s).total() / len(s)}, "You divide "
                "by the number of sentences. How many words are hidden?"),
        Mistake(lambda s: _by_token(s) - math.log(_word_counts(s).total()), "These are logarithms "
                "of counts. By what is a count divided to be a probability?"),
        Mistake(lambda s: _by_token(["".join(s)]), "Joined without a space, the last word of a "
                "sentence and the first of the next are one."),
        Mistake(lambda s: _by_token([" ".join("".join(s).replace(" ", ""))]), "You count letters."),
        Mistake({"sign": -1}, "A loss is not negative. Where is the minus?"),
        Mistake({"mean": lambda s: _by_token(s) * _word_counts(s).total()}, "That is the sum over "
                "all hidden words. The loss is their mean."),
        Mistake({"mean": lambda s: math.log(len(_word_counts(s)))}, "You treat all words alike. "
                "That is the uniform guesser; this one knows how frequent they are."),
        Mistake(lambda s: -math.log(sum(n**2 for n in _word_counts(s).values())
                / _word_counts(s).total() ** 2), "You take the logarithm of the mean. The loss is "
                "the mean of the logarithms."),
        Mistake(lambda s: sum(n**2 for n in _word_counts(s).values()) / _word_counts(s).total()**2,
                "That is the mean probability of the true word. Where is the logarithm?"),
        Mistake(lambda s: sum(_surprises(s).values()), "You add up once for each different word. "
                "The loss is a mean, and a frequent word counts more often."),
        Mistake(lambda s: math.exp(_by_token(s)), "That is e to the loss, the perplexity. The loss "
                "itself is asked for."),
        Mistake(lambda s: math.log(_word_counts(s).total()), "Each word as if it stood once. How "
                "often does each occur?"),
        Mistake(lambda s: sum((n / _word_counts(s).total()) * n * _surprises(s)[w]
                for w, n in _word_counts(s).items()), "Each word is weighted by its frequency "
                "twice: it comes up that often already."),
        Mistake(lambda s: min(_surprises(s).values()), "That is the loss of the most frequent word "
                "alone."),
    ],
)  # fmt: skip


def _all_pairs(size):
    return permutations(range(size), 2)


def _what_is_left(words, i, j):
    """See which hole is asked about, and all words but the two hidden ones."""
    return i, *(None if k in (i, j) else word for k, word in enumerate(words))


def _paid(found):
    """Return the sum of the losses of all words that were found in one hole."""
    return sum(n * math.log(found.total() / n) for n in found.values())


def _pair_floor(
    sentences, *, pairs=_all_pairs, seen=_what_is_left, scale=1.0, counted=as_it_is, paid=_paid
):
    counts = defaultdict(Counter)
    for words in map(str.split, sentences):
        for i, j in pairs(len(words)):
            counts[seen(words, i, j)][words[i]] += 1
    counts = {key: counted(found) for key, found in counts.items()}
    total = sum(found.total() for found in counts.values())
    return scale * sum(map(paid, counts.values())) / total


def _by_hole(sentences):
    holes = []
    _pair_floor(sentences, paid=lambda found: holes.append(_paid(found) / found.total()) or 0)
    return np.mean(holes)


def _joint_floor(sentences):
    """Compute the loss of a guesser who guesses both words at once."""
    counts = defaultdict(Counter)
    for words in map(str.split, sentences):
        for i, j in combinations(range(len(words)), 2):
            counts[_what_is_left(words, i, j)[1:]][words[i], words[j]] += 1
    total = sum(found.total() for found in counts.values())
    return sum(n / total * math.log(f.total() / n) for f in counts.values() for n in f.values())


check_pair_floor = Exercise(
    "Compute the floor of a guesser for whom two words of each sentence are hidden at once.",
    _pair_floor,
    cases=_CORPORA,
    mistakes=[
        Mistake({"pairs": lambda n: [p for p in _all_pairs(n) if abs(p[0] - p[1]) == 1]}, "You "
                "hide two neighbors. Any two positions of a sentence make a pair."),
        Mistake({"pairs": lambda n: [p for p in _all_pairs(n) if p[0] < p[1]]}, "You guess only "
                "the first word of each pair. Both are asked about."),
        Mistake({"pairs": lambda n: [p for p in _all_pairs(n) if p[0] > p[1]]}, "You guess only "
                "the second word of each pair. Both are asked about."),
        Mistake({"pairs": lambda n: [(i, i + 1) for i in range(n - 1)]}, "You hide two neighbors, "
                "and guess the first of them. Any two positions make a pair; both are asked."),
        Mistake({"pairs": lambda n: [(i, j) for i in range(n) for j in range(n)]}, "A word is no "
                "pair with itself: two different positions are hidden."),
        Mistake({"paid": lambda found: found.total() * math.log(len(found))}, "You take the "
                "logarithm of how many words are possible. They are not equally frequent: who "
                "knows the corpus bets more on the frequent ones. What does that cost on average?"),
        Mistake({"paid": lambda f: f.total() * math.log(f.total() / max(f.values()))}, "You take "
                "the loss of the most frequent word. The others are asked about, too, and cost "
                "more."),
        Mistake({"paid": lambda found: sum(n * n / found.total() for n in found.values())}, "That "
                "is the mean probability of the true word. Where is the logarithm?"),
        Mistake({"scale": 1 / math.log(10)}, "Your logarithm has the base 10. Which gives nats?"),
        Mistake(lambda s: math.exp(_pair_floor(s)), "That is e to the loss, the perplexity. The "
                "loss itself is asked for."),
        Mistake(_by_hole, "You average over the different questions. One that is asked more often "
                "counts more often."),
        *(Mistake({"seen": seen}, "Your guesser does not read all that is left. Which words of the "
                  "sentence are not hidden?") for seen in (
                      lambda w, i, j: (i, j), lambda w, i, j: i,
                      lambda w, i, j: w[i - 1] if i else "")),
        *(Mistake(lambda s, half=half: half * _joint_floor(s), "You guess both words as one "
                  "answer. Each is to be guessed by itself.") for half in (1, 0.5)),
        Mistake({"scale": 0.5}, "That is half of it: you divide by two once too often."),
        Mistake({"scale": 2.0}, "That is the loss of a pair. The floor is the mean over its two "
                "words."),
        Mistake({"scale": 1 / math.log(2)}, "Your unit is the bit. Which logarithm gives nats?"),
        Mistake({"scale": -1.0}, "A loss is not negative. Where is the minus?"),
        Mistake({"seen": lambda w, i, j: _what_is_left(w, i, i)}, "Your guesser sees the other "
                "word of the pair. It is hidden as well."),
        Mistake({"seen": lambda w, i, j: _what_is_left(w, i, j)[1:]}, "Two holes look alike to "
                "your guesser: it does not know which of them is asked about."),
        Mistake({"seen": lambda w, i, j: (i, *(x for k, x in enumerate(w) if k not in (i, j)))},
                "You cut the hidden words out. A hole has a position: put something in its place."),
        Mistake({"seen": lambda w, i, j: tuple(sorted(x for k, x in enumerate(w)
                if k not in (i, j)))}, "You forget the order of the words that are left."),
        Mistake({"seen": lambda w, i, j: (i, j, len(w))}, "Your guesser knows the positions only. "
                "The words that are not hidden can be read."),
        Mistake({"counted": lambda found: Counter(dict.fromkeys(found, 1))}, "You count the "
                "possible words, each once. One that occurs more often deserves more probability, "
                "and is asked about more often."),
        Mistake(lambda s: masked_word_loss(s, lambda w, i: _what_is_left(w, i, i)), "That is the "
                "floor with one word hidden."),
        Mistake(lambda s: 2 * masked_word_loss(s, lambda w, i: _what_is_left(w, i, i)), "That is "
                "twice the floor with one word hidden: a good guess. What happens to a word whose "
                "best hint is hidden, too?"),
    ],
)  # fmt: skip
