"""An exercise of Chapter 5: the loss of a guesser for whom two words are hidden."""

import math

from bertbook.core.exercises.exercise import Exercise
from bertbook.corpus import hundred_sentences

_CORPORA = [
    (["one cat", "one dog", "one dog sleeps"],),
    (["the cat sees the dog", "the dog sees the cat", "the dog sleeps", "a cat sleeps by day"],),
    (["a day by the sea", "a day by the river", "the sea by day", "a sea"],),
    (["one cat", "one cat", "two dogs", "one dog"],),
    (["left right left", "right left right", "left left"],),
    (list(hundred_sentences()),),
]


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
        "i != j → i < j ¦ abs(i - j) == 1": "All pairs count, and both words of each.",
        "(i, *left) → tuple(left)": "Two words are hidden. Which of them is asked for?",
        "(i, *left) → (i, len(tokens))": "What does the guesser see?",
        "in sentences → in dict.fromkeys(sentences)": "A sentence that comes twice counts twice.",
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
