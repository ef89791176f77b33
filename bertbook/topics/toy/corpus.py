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
        "math.log → math.log2 ¦ math.log10": "Which logarithm gives nats?",
        "in tokens) / total → in {*tokens}) / len({*tokens}) ¦ in {*tokens})": "A frequent word is "
            "hidden more often. Count it more often.",
        "→ n, tokens = len(sentences), ' '.join(sentences).split(); return "
            "sum(-math.log(tokens.count(w) / len(tokens)) / len(s.split()) / n for s in sentences "
            "for w in s.split())": "A word counts the same in a short sentence and in a long one.",
        "tokens) / total → tokens) ¦ tokens) / len({*tokens}) ¦ tokens) / len(sentences) ¦ tokens) "
            "/ total**2": "The loss is a mean. How many words are hidden?",
        "sentences for → sentences[-1:] for ¦ hundred_sentences() for": "Which sentences count?",
        "tokens.count(word) / total → tokens.count(word)": "A count is no probability yet.",
        "→ right([''.join(sentences)]) ¦ right([' '.join(''.join(sentences).replace(' ', ''))]) ¦ "
            "right([' '.join(''.join(sentences).replace(' ', '_'))]) ¦ right([s.replace(' ', '_') "
            "for s in sentences])": "Are your words those that stand between spaces?",
        "-math.log → math.log": "A loss is not negative. Where is the minus?",
        ("tokens.count(word) / total → 1 / len({*tokens}) ¦ 1 / total ¦ sum(word in s.split() for "
            "s in sentences) / len(sentences) ¦ sum(word in s.split() for s in sentences) / total "
            "¦ tokens.count(word) / max(map(tokens.count, {*tokens})) ¦ (tokens.count(word) + 1) / "
            "(total + len({*tokens})) ¦ (tokens.count(word) - 1 or 1) / (total - 1) ¦ "
            "(tokens.count(word) - 1) / (total - 1)", "→ sum(right([s]) * len(s.split()) for s in "
            "sentences) / len(' '.join(sentences).split())"): "Which share of all words is it?",
        "→ tokens = ' '.join(sentences).split(); return -math.log(sum(map(tokens.count, tokens)) / "
            "len(tokens) ** 2)": "The loss is the mean of the logarithms, not their logarithm.",
        "-math.log(…) → …": "Where is the logarithm?",
        "→ math.exp(right(sentences))": "That is e to the loss, the perplexity.",
        "-math.log → -tokens.count(word) * math.log": "A frequent word comes up often already.",
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


_JOINT = (  # both words as one answer
    "if i != j → if i < j || (i, *left) → tuple(left) || tokens[i]] = found.get(tokens[i], 0) → "
    "tokens[i], tokens[j]] = found.get((tokens[i], tokens[j]), 0)"
)

check_pair_floor = Exercise(
    "Compute the floor of a guesser for whom two words of each sentence are hidden at once.",
    _pair_floor,
    cases=_CORPORA,
    mistakes={
        "if i != j → if abs(i - j) == 1 ¦ if i + 1 == j": "Any two positions make a pair.",
        "if i != j → if True": "A position makes no pair with itself.",
        "if i != j → if i < j ¦ if i > j": "Both words of a pair are predicted.",
        ("sum(found.values()) / n → len(found)", "found.get(tokens[i], 0) + 1 → 1"): "Not all "
            "possible words are equally frequent. What does that cost?",
        ") / n → ) / max(found.values())": "Rarer words are hidden, too.",
        "math.log(sum(found.values()) / n) → n / sum(found.values())": "Where is the logarithm?",
        "math.log → math.log10 ¦ math.log2": "Which logarithm gives nats?",
        "→ math.exp(right(sentences))": "That is e to the loss, the perplexity.",
        "(n, math → (n / sum(found.values()), math": "A gap counts as often as it comes up.",
        "(i, *left) → (i, j) ¦ i ¦ i and tokens[i - 1] ¦ (i, j, len(left))": "Read the rest.",
        (_JOINT, f"{_JOINT} || return sum → return 0.5 * sum"): "Guess each word by itself.",
        "return sum → return 0.5 * sum ¦ return 2 * sum": "The floor is a mean over both words.",
        "return sum → return -sum": "A loss is not negative. Where is the minus?",
        "(i, *left) → (i, sentence)": "Which other sentences leave the same words?",
        "= left[j] →": "Your guesser sees the other word of the pair. It is hidden as well.",
        "(i, *left) → (*left,)": "Two holes look alike. Which of them is to be filled?",
        "(i, *left) → (i, *filter(None, left)) ¦ (i < j, *filter(None, left)) ¦ "
            "(*sorted(filter(None, left)),) ¦ (i, j, *sorted(filter(None, left)))": "Words and "
            "holes have positions. Keep them.",
        "0) + 1 → 0) + 1 / len(tokens) / (len(tokens) - 1)": "A long sentence has more pairs.",
        "math.log(sum(found.values()) / n) → n / sum(found.values()) || return sum(…) / sum(…) → "
            "return -math.log(sum(…) / sum(…))": "The loss is the mean of the logarithms.",
        "left[i] = left[j] = None → left = [None if w in (tokens[i], tokens[j]) else w for w in "
            "tokens]": "A word may stand twice. Hide positions.",
        "!= j → == j": "That is the floor with one word hidden.",
        "!= j → == j || return sum → return 2 * sum": "Its best hint may be hidden, too.",
    },
)  # fmt: skip
