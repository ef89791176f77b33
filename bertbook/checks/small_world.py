"""Exercises of Chapter 14: Bayes' rule, the ladder, the gap, stories never told."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from .exercise import Exercise, Mistake, as_it_is


def _posterior(before, seen, *, both=np.multiply, over=lambda joint, seen: joint.sum(),
               told=as_it_is):  # fmt: skip
    joint = both(before, seen)
    return told(joint / over(joint, seen))


check_posterior = Exercise(
    "Apply Bayes' rule to a list of answers.",
    _posterior,
    cases=[
        ([1 / 3, 2 / 3], [1.0, 0.25]),
        ([0.5, 0.25, 0.25], [0.2, 0.8, 0.0]),
        ([0.1, 0.2, 0.3, 0.4], [0.05, 0.0, 0.01, 0.002]),
    ],
    mistakes=[
        Mistake({"over": lambda joint, seen: 1}, "These are the chances of the answer together "
                "with what is seen. Do they add up to 1?"),
        Mistake({"both": lambda before, seen: np.array(seen)}, "Every answer counts the same here, "
                "even one that was unlikely from the start. Where is the first list?"),
        Mistake({"both": lambda before, seen: np.array(before)}, "Nothing was learned from what is "
                "seen. Where is the second list?"),
        Mistake({"both": np.add}, "You add the two numbers of each answer. Both must hold at once: "
                "is that a sum?"),
        Mistake({"over": lambda joint, seen: np.sum(seen)}, "You divide by the sum of the second "
                "list. What is the chance of what is seen, over all answers?"),
        *(Mistake({"over": lambda joint, seen, by=by: by(joint)}, f"You divide by {what}. By what "
                  "must you divide so that all add up to 1?") for what, by in (
                  ("the largest number", np.max), ("how many answers there are", len),
                  ("the mean", np.mean), ("their length as a vector", np.linalg.norm),
                  ("all numbers so far", np.cumsum))),
        *(Mistake({"both": way}, "You divide one list by the other. Both must hold at once: which "
                  "operation is that?")
          for way in (np.divide, lambda before, seen: np.divide(seen, before))),
        *(Mistake({"both": lambda before, seen, of=of: np.exp(of(before, seen))}, "That is a "
                  "softmax. These numbers are chances already, and need no exponential.")
          for of in (np.multiply, lambda before, seen: seen)),
        Mistake({"both": np.add, "over": lambda joint, seen: 2}, "You take the mean of the two "
                "numbers of each answer. Both must hold at once: is that a mean?"),
        Mistake({"both": lambda before, seen: np.multiply(before, 1 - np.array(seen))}, "You ask "
                "how likely each answer would make something else. What was seen was seen."),
        Mistake(lambda before, seen: np.array(seen) / np.dot(before, seen), "Divided as it should "
                "be. But where is the first list in what you divide?"),
        Mistake(lambda before, seen: 1 / (1 + (1 - np.array(before)) * (1 - np.array(seen)) /
                np.multiply(before, seen)), "You set each answer against all others. How likely "
                "these make what is seen stands in the list: divide by the sum over all answers."),
        Mistake(np.dot, "That is the chance of what is seen, over all answers. Which share of it "
                "has each one?"),
        *(Mistake({"told": told}, hint) for told, hint in (
            (np.log, "These are logarithms. Chances add up to 1."),
            (lambda chances: 100 * chances, "These are percentages. Chances add up to 1."),
            (np.argmax, "That is the number of the likeliest answer. Return the chances of all."),
            (lambda chances: chances[0], "That is the first answer. Return the chances of all."))),
    ],
)  # fmt: skip


def _surprises(observations):
    """List minus the logarithm of each answer's chance, given what is seen."""
    together, sights = Counter(observations), Counter(sight for sight, _ in observations)
    return [math.log(sights[sight] / together[sight, word]) for sight, word in observations]


def _best_loss(observations, *, sight=lambda sight, word: sight,
               mean=lambda found, o: np.mean(found), unit=1.0, sign=1,
               surprises=_surprises):  # fmt: skip
    """Compute the mean surprise of one who knows how often each word goes with each sight."""
    found = surprises([(sight(*pair), pair[1]) for pair in observations])
    return float(sign * mean(found, observations) / unit)


def _over_sights(found, observations):
    parts = {}
    for surprise, (sight, _) in zip(found, observations):
        parts.setdefault(sight, []).append(surprise)
    return np.mean([np.mean(part) for part in parts.values()])


def _over_pairs(found, observations):
    return np.mean([*dict(zip(observations, found)).values()])


def _equal_choices(observations):
    fitting = Counter(sight for sight, _ in {*observations})
    return [math.log(fitting[sight]) for sight, _ in observations]


def _errors(observations):
    """Give 1 to each word that is not the most frequent one of its sight."""
    together = Counter(observations)
    best = {s: max((n, w) for (t, w), n in together.items() if s == t)[1] for s, _ in observations}
    return [float(best[sight] != word) for sight, word in observations]


def _of_the_best(observations):
    """Give each riddle the surprise of the most frequent word of its sight."""
    own = dict(zip(observations, _surprises(observations)))
    return [min(own[pair] for pair in own if pair[0] == sight) for sight, _ in observations]


_READS = ["man", "man", "girl"]

check_best_loss = Exercise(
    "Compute the best mean loss of a guesser that sees a part of what is around a word.",
    _best_loss,
    cases=[
        ([*(("the _ reads", word) for word in _READS), ("a _", "dog")],),
        ([("a _ dog", "red"), ("a _ dog", "old"), ("one _", "cat")] * 2,),
        ([("", word) for word in "a b a c a b d".split()],),
        ([("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("y", "a"), ("z", "b"), ("z", "c")],),
    ],
    mistakes=[
        Mistake({"sight": lambda sight, word: ""}, "That is the unigram step. What is seen does "
                "not change the guess here."),
        Mistake(lambda seen: _best_loss([("", pair) for pair in seen]), "You take the chance of "
                "sight and word together. The guesser sees the one, and guesses the other."),
        Mistake({"unit": math.log(2)}, "These are bits. Nats are counted with the natural "
                "logarithm."),
        Mistake({"unit": math.log(10)}, "Your logarithm has the base 10. Nats are counted with the "
                "natural one."),
        Mistake({"mean": lambda found, o: np.sum(found)}, "That is the sum over all riddles. A "
                "mean is wanted."),
        Mistake({"mean": _over_sights}, "You take the mean over the different sights. One that "
                "comes up often counts more often."),
        *(Mistake({"mean": mean}, "You take each different pair once. One that comes up twice "
                  "counts twice.") for mean in (_over_pairs, lambda found, o: sum(
                  dict(zip(o, found)).values()) / len(o))),
        *(Mistake({"mean": lambda found, o, of=of: np.sum(found) / len({*of(o)})}, "You divide by "
                  f"the number of different {what}. The mean is over all riddles.")
          for what, of in (("sights", lambda o: [s for s, _ in o]), ("pairs", list))),
        Mistake({"mean": lambda found, o: _over_sights(found, o) * len({s for s, _ in o})}, "You "
                "add up the losses of the different sights. The mean is over all riddles."),
        Mistake({"mean": lambda found, o: -math.log(np.mean(np.exp(np.negative(found))))}, "You "
                "take the mean first and the logarithm then. Each riddle has its own surprise."),
        Mistake({"mean": lambda found, o: math.exp(np.mean(found))}, "That is the perplexity. The "
                "loss is its logarithm."),
        Mistake(lambda seen: _best_loss([pair[::-1] for pair in seen]), "You ask how likely the "
                "sight is, given the word. Turn it around."),
        Mistake(lambda seen: _best_loss([*dict(seen).items()]), "A dict keeps one word for each "
                "sight. Count all pairs."),
        Mistake({"surprises": _of_the_best}, "You always take the chance of the best guess. Take "
                "that of the hidden word."),
        Mistake({"sign": -1}, "Right up to the sign. A loss is minus the logarithm of a chance."),
        Mistake({"surprises": _equal_choices}, "Each answer that fits counts the same here. One "
                "that comes up more often deserves a larger share."),
        Mistake({"surprises": _errors}, "That is how often the best single guess is wrong. The "
                "loss is minus the logarithm of the chance that the true word gets."),
        *(Mistake({"surprises": lambda o, of=of: [of(x) for x in _surprises(o)]}, "You take the "
                  f"mean of {what}. Where is the logarithm?") for what, of in (
                  ("the chances", lambda x: math.exp(-x)),
                  ("one minus the chances", lambda x: 1 - math.exp(-x)),
                  ("one divided by the chances", math.exp))),
        *(Mistake({"surprises": lambda o, of=of: [*map(math.log, of(o))]}, "You take the logarithm "
                  f"of how often {what}. Which share has the word of its sight?") for what, of in (
                  ("what is seen comes up", lambda o: [[s for s, _ in o].count(s) for s, _ in o]),
                  ("both come up together", lambda o: [o.count(pair) for pair in o]))),
    ],
)  # fmt: skip


def _sentences(learned):
    return {sentence for document in learned for sentence in document}


def _skipping(learned, test):
    """Remove from the list that one goes through."""
    test = [*test]
    for document in test:
        if document in learned:
            test.remove(document)
    return [*dict.fromkeys(test)]


def _never_told(learned, test, *, told=lambda learned, document: document in learned, turned=False,
                once=True, order=list):  # fmt: skip
    found = [d for d in (dict.fromkeys(test) if once else test) if told(learned, d) == turned]
    return order(found)


_LEARNED = [("it rains", "she reads"), ("he sings", "it snows"), ("a cat", "it eats")]

check_never_told = Exercise(
    "Find the documents of a test that were never told in the training, each once.",
    _never_told,
    cases=[
        (_LEARNED, [("she runs", "it rains"), *_LEARNED[2:0:-1], ("he sings", "she reads"),
                    _LEARNED[1][::-1]]),
        (_LEARNED, [("we go", "he sings"), ("a dog", "it eats"), ("we go", "he sings"),
                    *((word, "it rains") for word in "they walk and talk of old times".split())]),
        ([("one",)], [("two",), ("one",), ("four",), ("two",)]),
    ],
    mistakes=[
        Mistake({"turned": True, "once": False}, "Turned around: these are the documents that were "
                "told."),
        Mistake({"once": False}, "Each of these is new, but one of them stands there twice."),
        Mistake({"told": lambda learned, d: any(s in _sentences(learned) for s in d)},
                "A document counts as told here as soon as one of its sentences was. All of them "
                "must agree, in one document."),
        Mistake({"told": lambda learned, d: all(s in _sentences(learned) for s in d)},
                "All sentences of a document may have been told, but in different documents. "
                "Compare whole documents."),
        Mistake({"told": lambda learned, d: {*d} in map(set, learned)}, "You compare the sentences "
                "without their order. Told the other way around it is another document."),
        *(Mistake({"told": lambda learned, d, end=end: d[end] in {one[end] for one in learned}},
                  "You look at one sentence of each document. All of them must agree.")
          for end in (0, -1)),
        Mistake(_skipping, "You remove from the list that you go through. What stands behind the "
                "removed one moves up and is passed over: build a new list."),
        Mistake(lambda learned, test: _never_told(test, learned), "You have exchanged the lists. "
                "Whose documents are asked for?"),
        Mistake(lambda learned, test: [d for d in _never_told(learned, test) if test.count(d) < 2],
                "A document that stands there twice is to be kept once, not dropped."),
        Mistake(lambda learned, test: _never_told(learned, test[::-1])[::-1], "A document that "
                "stands there twice keeps its first place, not its last."),
        Mistake(lambda learned, test: [d for d, other in zip(test, learned) if d != other], "You "
                "compare document by document. Compare each one with all that were told."),
        Mistake(lambda learned, test: [], "Nothing is left. Do you ask what add() or append() "
                "returns? That is None."),
        *(Mistake(slip, "You say which documents are new. Return these documents themselves.")
          for slip in (lambda learned, test: [d not in learned for d in test],
                       lambda learned, test: [i for i, d in enumerate(test) if d not in learned])),
        Mistake({"order": lambda found: found[:1]}, "You stop at the first one. Does the return "
                "stand inside the loop?"),
        Mistake({"order": sorted}, "The right documents in another order. Keep that of the test."),
        Mistake({"told": lambda learned, d: False}, "Nothing is left out but what stands there "
                "twice. What was told in the training?"),
        Mistake({"order": len}, "That is how many there are. Return the documents."),
        Mistake({"order": lambda found: [" ".join(d) for d in found]}, "You join the sentences of "
                "a document. Return it as it was, a tuple."),
        Mistake({"order": lambda found: [sentence for d in found for sentence in d]}, "These are "
                "single sentences. Return whole documents."),
    ],
)  # fmt: skip
