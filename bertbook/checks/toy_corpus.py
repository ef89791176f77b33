"""Exercises of Chapter 5: what a guesser pays who knows frequencies, or sees two holes."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations

from bertbook.corpus import hundred_sentences

from .exercise import Exercise

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
    cases=_CORPORA,
    forbidden=["masked_word_loss", "masked_word_ladder"],
    mistakes={
        "math.log → math.log2": "Your unit is the bit. Which logarithm gives nats?",
        "math.log → math.log10": "Your logarithm has the base 10. Which one gives nats?",
        "in tokens) / total → in {*tokens}) / len({*tokens})": "You average over the different "
            "words. A frequent word is hidden more often: should it not count more often?",
        ("→ n, tokens = len(sentences), ' '.join(sentences).split(); return "
         "sum(-math.log(tokens.count(w) / len(tokens)) / len(s.split()) / n for s in "
         "sentences for w in s.split())"): "You average sentence by sentence. Then a word of a "
            "short sentence counts more than one of a long sentence.",
        "in tokens) / total → in tokens) / len({*tokens})": "You divide by the number of different "
            "words. How many words are hidden?",
        "in tokens) / total → in tokens) / len(sentences)": "You divide by the number of "
            "sentences. How many words are hidden?",
        "tokens.count(word) / total → tokens.count(word)": "These are logarithms of counts. By "
            "what is a count divided to be a probability?",
        "→ right([''.join(sentences)])": "Joined without a space, the last word of a sentence and "
            "the first of the next are one.",
        "→ right([' '.join(''.join(sentences).replace(' ', ''))])": "You count letters.",
        "-math.log → math.log": "A loss is not negative. Where is the minus?",
        "in tokens) / total → in tokens)": "That is the sum over all hidden words. The loss is "
            "their mean.",
        "tokens.count(word) / total → 1 / len({*tokens})": "You treat all words alike. That is the "
            "uniform guesser; this one knows how frequent they are.",
        ("→ tokens = ' '.join(sentences).split(); return -math.log(sum(map(tokens.count, "
         "tokens)) / len(tokens) ** 2)"): "You take the logarithm of the mean. The loss is the "
            "mean of the logarithms.",
        "-math.log(tokens.count(word) / total) → tokens.count(word) / total": "That is the mean "
            "probability of the true word. Where is the logarithm?",
        "in tokens) / total → in {*tokens})": "You add up once for each different word. The loss "
            "is a mean, and a frequent word counts more often.",
        "→ math.exp(right(sentences))": "That is e to the loss, the perplexity. Return the loss "
            "itself.",
        "tokens.count(word) / total → 1 / total": "Each word as if it stood once. How often does "
            "each occur?",
        ("-math.log → -tokens.count(word) / total * math.log || in tokens) / total → in "
         "tokens)"): "Each word is weighted by its frequency twice: it comes up that often "
            "already.",
        "tokens.count(word) / total → (tokens.count(word) + 1) / (total + len({*tokens}))": "You "
            "add 1 to each count. This person has seen the whole corpus: nothing in it is new.",
        "tokens.count(word) / total → sum(word in s.split() for s in sentences) / len(sentences)":
            "You count the sentences that have the word. Of all words of the corpus, which share "
            "is this one?",
        "tokens.count(word) / total → tokens.count(word) / max(map(tokens.count, tokens))": "You "
            "divide by the most frequent word. Then the probabilities do not sum to 1.",
        "tokens.count(word) / total → ' '.join(sentences).count(word) / total": "You count letters "
            "in a row, and find “a” in “cat” as well. Split first, and count whole words.",
        "sum( → min( || in tokens) / total → in tokens)": "That is the loss of the most frequent "
            "word alone.",
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


def _by_sentence(sentences):
    """Let each sentence count once, however many pairs it has."""
    holes = [
        (s.split(), i, j) for s in sentences for i, j in permutations(range(len(s.split())), 2)
    ]
    keys = [(i, *(w for n, w in enumerate(t) if n != i and n != j), j) for t, i, j in holes]
    places, words = Counter(keys), Counter((k, t[i]) for k, (t, i, _) in zip(keys, holes))
    means = {}
    for key, (tokens, i, _) in zip(keys, holes):
        loss = math.log(places[key] / words[key, tokens[i]])
        means.setdefault(tuple(tokens), []).append(loss)
    found = [means[tuple(s.split())] for s in sentences if " " in s]
    return sum(sum(losses) / len(losses) for losses in found) / len(found)


_JOINT = (  # both words as one answer
    "if i != j → if i < j || (i, *left) → tuple(left) || tokens[i]] = found.get(tokens[i], 0) → "
    "tokens[i], tokens[j]] = found.get((tokens[i], tokens[j]), 0)"
)

check_pair_floor = Exercise(
    "Compute the floor of a guesser for whom two words of each sentence are hidden at once.",
    _pair_floor,
    cases=_CORPORA,
    mistakes={
        "if i != j → if abs(i - j) == 1": "You hide two neighbors. Any two positions of a sentence "
            "make a pair.",
        "if i != j → if i < j": "You guess only the first word of each pair. Both are predicted.",
        "if i != j → if i > j": "You guess only the second word of each pair. Both are "
            "predicted.",
        "if i != j → if i + 1 == j": "You hide two neighbors, and guess the first of them. Any two "
            "positions make a pair; both are predicted.",
        "if i != j → if True": "A word is no pair with itself: two different positions are hidden.",
        "sum(found.values()) / n → len(found)": "You take the logarithm of how many words are "
            "possible. They are not equally frequent: who knows the corpus bets more on the "
            "frequent ones. What does that cost on average?",
        "sum(found.values()) / n → sum(found.values()) / max(found.values())": "You take the loss "
            "of the most frequent word. The others are hidden, too, and cost more.",
        "math.log(sum(found.values()) / n) → n / sum(found.values())": "That is the mean "
            "probability of the true word. Where is the logarithm?",
        "math.log → math.log10": "Your logarithm has the base 10. Which gives nats?",
        "→ math.exp(right(sentences))": "That is e to the loss, the perplexity. Return the loss "
            "itself.",
        "(n, math.log → (n / sum(found.values()), math.log": "You average over the different "
            "gaps. One that comes up more often counts more often.",
        ("(i, *left) → (i, j)", "(i, *left) → i", "(i, *left) → tokens[i - 1] if i else ''"):
            "Your guesser does not read all that is left. Which words of the sentence are not "
            "hidden?",
        (_JOINT, f"{_JOINT} || return sum → return 0.5 * sum"): "You guess both words as one "
            "answer. Each is to be guessed by itself.",
        "return sum → return 0.5 * sum": "That is half of it: you divide by two once too often.",
        "return sum → return 2 * sum": "That is the loss of a pair. The floor is the mean over its "
            "two words.",
        "math.log → math.log2": "Your unit is the bit. Which logarithm gives nats?",
        "return sum → return -sum": "A loss is not negative. Where is the minus?",
        "left[i] = left[j] → left[i]": "Your guesser sees the other word of the pair. It is hidden "
            "as well.",
        "(i, *left) → (*left,)": "Two holes look alike to your guesser: it does not know which of "
            "them is to be filled.",
        "(i, *left) → (i, *filter(None, left))": "You cut the hidden words out. A hole has a "
            "position: put something in its place.",
        ("(i, *left) → (*sorted(filter(None, left)),)",
         "(i, *left) → (i, j, *sorted(filter(None, left)))"): "You forget the order of the "
            "words that are left.",
        "(i, *left) → (i, j, len(left))": "Your guesser knows the positions only. The words that "
            "are not hidden can be read.",
        "found.get(tokens[i], 0) + 1 → 1": "You count the possible words, each once. One that "
            "occurs more often deserves more probability, and is hidden more often.",
        _by_sentence: "You average sentence by sentence. A long sentence has more pairs, and each "
            "pair counts once.",
        ("return sum(n * loss for n, loss in losses) / sum(n for n, _ in losses) → return "
         "-math.log(sum(n * math.exp(-loss) for n, loss in losses) / sum(n for n, _ in losses))"):
            "You take the logarithm of the mean. The loss is the mean of the logarithms.",
        "if i != j → if i == j": "That is the floor with one word hidden.",
        "if i != j → if i == j || return sum → return 2 * sum": "That is twice the floor with one "
            "word hidden: a good guess. What happens to a word whose best hint is hidden, too?",
    },
)  # fmt: skip
