"""Exercises of Chapter 5: what a guesser pays who knows frequencies, or sees two holes."""

import math

from bertbook.core.exercises.exercise import Exercise
from bertbook.corpus import hundred_sentences

_CORPORA = [
    (["one cat", "one dog", "one dog sleeps"],),
    (["the cat sees the dog", "the dog sees the cat", "the dog sleeps", "a cat sleeps by day"],),
    (["a day by the sea", "a day by the river", "the sea by day", "a sea"],),
    (["left right left", "right left right", "left left"],),
    (list(hundred_sentences()),),
]


def _unigram(sentences):
    tokens = [word for s in sentences for word in s.split()]
    total = len(tokens)
    return sum(-math.log(tokens.count(word) / total) for word in tokens) / total


check_unigram_loss = Exercise(
    "Compute the mean loss of somebody who knows only how frequent each word is.",
    _unigram,
    cases=_CORPORA, forbidden=["masked_word_loss", "masked_word_ladder"],
    mistakes={
        "math.log → math.log2": "Which logarithm gives nats?",
        "in tokens) / total → in {*tokens}) / len({*tokens})": "A frequent word is hidden more "
            "often. Count it more often.",
        "→ n, tokens = len(sentences), ' '.join(sentences).split(); return "
            "sum(-math.log(tokens.count(w) / len(tokens)) / len(s.split()) / n for s in sentences "
            "for w in s.split())": "A word counts the same in a short sentence and in a long one.",
        "tokens) / total → tokens)": "The loss is a mean. How many words are hidden?",
        "→ right([''.join(sentences)]) ¦ right([s.replace(' ', '_') for s in sentences])":
            "Are your words those that stand between spaces?",
        "-math.log → math.log": "A loss is not negative. Where is the minus?",
        "tokens.count(word) / total → 1 / len({*tokens}) ¦ sum(word in s.split() for s in "
            "sentences) / len(sentences) ¦ tokens.count(word) / max(map(tokens.count, {*tokens})) "
            "¦ (tokens.count(word) + 1) / (total + len({*tokens}))": "Which share of all words is "
            "it?",
        "-math.log(…) → …": "Where is the logarithm?",
        "tokens.count → ' '.join(sentences).count": "You find “a” in “cat” as well. Count words.",
        "sum( → total * min(": "That is the loss of the most frequent word alone.",
    },
)  # fmt: skip


def _pair_floor(sentences):
    counts = {}
    for sentence in sentences:
        tokens = sentence.split()
        for i in range(len(tokens)):
            for j in range(len(tokens)):
                if i != j:
                    left = [*tokens]
                    left[i] = left[j] = None
                    found = counts.setdefault((i, *left), {})
                    found[tokens[i]] = found.get(tokens[i], 0) + 1
    losses = [
        (n, math.log(sum(found.values()) / n)) for found in counts.values() for n in found.values()
    ]
    return sum(n * loss for n, loss in losses) / sum(n for n, _ in losses)


check_pair_floor = Exercise(
    "Compute the floor of a guesser for whom two words of each sentence are hidden at once.",
    _pair_floor,
    cases=_CORPORA,
    mistakes={
        "sum(found.values()) / n → len(found)": "Not all possible words are equally frequent. What "
            "does that cost?",
        "math.log → math.log10": "Which logarithm gives nats?",
        "= left[j] →": "Your guesser sees the other word of the pair. It is hidden as well.",
        "0) + 1 → 0) + 1 / len(tokens) / (len(tokens) - 1)": "A long sentence has more pairs.",
        "math.log(sum(found.values()) / n) → n / sum(found.values()) || return sum(…) / sum(…) → "
            "return -math.log(sum(…) / sum(…))": "The loss is the mean of the logarithms.",
        "left[i] = left[j] = None → left = [None if w in (tokens[i], tokens[j]) else w for w in "
            "tokens]": "A word may stand twice. Hide positions.",
        "!= j → == j": "That is the floor with one word hidden.",
    },
)  # fmt: skip
