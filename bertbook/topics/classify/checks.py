"""Exercises of Chapter 16: losses of classifiers, when to stop, McNemar, thresholds."""

import math

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.reference import softmax

_RNG = np.random.default_rng(16)


def _head(x, w, b, labels):
    z, rows = x @ w.T + b, np.arange(len(labels))
    p = softmax(z)[rows, labels]
    return -np.log(p).mean()


def _head_case(batch, classes):
    numbers = (_RNG.normal(size=shape) for shape in ((batch, 4), (classes, 4), classes))
    return *numbers, _RNG.integers(classes, size=batch)


check_head = Exercise(
    "Compute the mean loss of a classifier, from pooled vectors.",
    _head,
    cases=[_head_case(3, 3), _head_case(4, 2), _head_case(1, 5)],
    mistakes={
        ", labels] → , labels - 1] ¦ , (labels + 1) % len(w)]": "Classes are counted from 0.",
        "+ b → ¦ - b": "The bias is added to the scores. Where is it?",
        "w.T → w ¦ w.reshape(-1, len(w))": "A row for each class: which way must it be turned?",
        "mean → sum": "That is the sum over the batch. Take the mean.",
        "return -np.log → return np.log": "Right up to the sign.",
        "np.log → np.log2 ¦ np.log10": "Take the natural logarithm.",
        "-np.log(p) → (1 - p) ¦ p ¦ (1 / p) ¦ ((softmax(z) - np.eye(len(w))[labels]) ** "
            "2).sum(axis=1)": "Where is the logarithm?",
        "(p).mean() → (p.mean()) ¦ (p.sum())": "Take the mean of the logarithms.",
        "softmax(z) → abs(z / z.sum(axis=1, keepdims=True))": "Where is exp? A score may be < 0.",
        "softmax(z) → softmax(z, axis=0) ¦ softmax(z.ravel()).reshape(z.shape)": "The classes of "
            "one request share the probability, not the requests.",
        "softmax(z) → softmax(softmax(z))": "You take the softmax twice.",
        ("softmax(z) → (1 / (1 + np.exp(-z)))", "-np.log(p) → np.log(1 + "
            "np.exp(np.where(np.eye(len(w))[labels], -z, z)))"): "That is a sigmoid for each "
            "class. Here they share one.",
        "[rows, labels] → [:, labels]": "Which row goes with each label?",
        "[rows, labels] → [labels]": "[labels] takes whole rows. Which column goes with each?",
        "[rows, labels] → [labels, rows]": "Rows are requests. Which index comes first?",
        "[rows, labels] →": "Which column belongs to each request?",
        "mean() → mean() / len(w)": "Why divide by the number of classes, too?",
        "x @ → np.tanh(x) @": "The pooler has taken tanh already.",
        "-np.log(p).mean() → np.exp(-np.log(p).mean()) ¦ np.exp(np.log(p).mean())": "Why take exp?",
        "-np.log(p) → (np.exp(z).sum(axis=1) - z[rows, labels])": "Where is the log of the sum?",
        "-np.log(p) → (-np.log(p) - z.max(axis=1))": "Where do you add the highest score again?",
        "np.log(p) → (p * np.log(p)) ¦ (softmax(z) * np.log(softmax(z))).sum(axis=1)": "The true "
            "class counts fully.",
        "-np.log(p) → np.log(np.exp(z).sum(axis=1))": "Subtract the true score.",
        "-np.log(p) → (z.argmax(axis=1) == labels) ¦ (z.argmax(axis=1) != labels)": "You count "
            "answers. How probable is the true class?",
        "-np.log(p) → -(labels * np.log(softmax(z))).sum(axis=1)": "Labels are no rows of 0 and 1.",
        ".mean() → [0]": "That is one request. Does your loop return too early?",
        "softmax(z)[ → np.exp(z)[": "These are scores. Where is the softmax?",
        "[rows, labels] → .max(axis=1)": "You take the most probable class. Which is the true one?",
        ".mean() →": "Take the mean over all requests.",
    },
)  # fmt: skip


def _several(z, labels):
    p = 1 / (1 + np.exp(-z))
    yes, no = np.log(p), np.log(1 - p)
    losses = -labels * yes - (1 - labels) * no
    return losses.mean()


check_several_labels = Exercise(
    "Compute the mean loss of labels that do not exclude each other.",
    _several,
    cases=[(_RNG.normal(size=shape), _RNG.integers(2, size=shape).astype(float))
           for shape in ((2, 3), (4, 2), (1, 4))],
    mistakes={
        ("→ -(labels * np.log(softmax(z))).sum(axis=1).mean()", "1 / (1 + np.exp(-z)) → "
            "softmax(z)"): "That is a softmax. Here each class is a question of its own.",
        ("mean() → sum(axis=0).mean() ¦ sum(axis=1).mean() ¦ sum() / labels.sum() ¦ mean(axis=0) ¦ "
            "mean(axis=1)", "mean → sum", ".mean() →"): "Take one mean, over all questions.",
        ("- (1 - labels) * no →", "losses.mean() → -yes[labels == 1].mean()", "-labels * yes →"):
            "A wrong answer costs something whether the label is 1 or 0.",
        "yes - → yes +": "Both logarithms are below 0. Which sign has the part for no?",
        "1 / (1 + np.exp(-z)) → z": "Where is the probability of yes?",
        "-labels * yes - (1 - labels) * no → -yes ¦ -no": "p or 1 − p: what does the label say?",
        "* no → * (1 - yes)": "Is the logarithm of 1 − p the same as 1 minus that of p?",
        "(1 - labels) * no → (1 - p) * np.log(1 - labels)": "For no: (1 − y) ln(1 − p).",
        "→ np.log(1 + np.exp(-z * labels)).mean()": "That formula is for labels of 1 and −1.",
        "→ -(z * labels).mean()": "ln(e^−z) is −z again. Where is the 1 of 1 + e^−z?",
        "losses.mean() → -np.log(np.exp(-losses).mean())": "Take the mean of the logarithms.",
        "losses.mean() → losses[0].mean()": "Does your loop return too early?",
        "losses. → ((z > 0) == labels). ¦ ((z > 0) != labels).": "You count answers. Where is p?",
        "yes, no = → no, yes =": "Turned around: which of the two is the probability of yes?",
        "return → return -": "Right up to the sign.",
        "np.log → np.log2": "Take the natural logarithm.",
        "losses. → abs(p - labels). ¦ ((p - labels) ** 2).": "Where is the logarithm?",
    },
)  # fmt: skip


def _stop(losses, patience):
    lowest, best, waited = math.inf, 0, 0
    for number, loss in enumerate(losses, start=1):
        if loss < lowest:
            lowest, best, waited = loss, number, 0
        else:
            waited += 1
        if waited == patience:
            break
    return best, number  # pyright: ignore[reportPossiblyUnboundVariable]: there is a loss


check_stopping = Exercise(
    "Say which evaluation was the best, and which is the last one that is made.",
    _stop,
    cases=[([0.5, 0.6, 0.4, 0.3], 1), ([0.9, 0.8, 0.7], 2), ([0.7, 0.7, 0.7, 0.6], 2),
           ([0.9, 0.5, 0.6, 0.55, 0.7, 0.4], 3), ([0.6, 0.7, 0.8, 0.9, 0.95, 0.3], 2),
           ([0.9, 0.95, 0.5, 0.6, 0.45, 0.5, 0.6, 0.2], 2)],
    mistakes={
        ("return best → return best - 1", "best, number → best, number - 1"): "Both are counted "
            "from 1.",
        "return best, number → return number, best": "Turned around: the best one comes first.",
        "return best → return number": "The last weights are not the best ones.",
        ("return best → return int(np.argmin(losses)) + 1", "→ best = int(np.argmin(losses)) + "
            "1\nreturn best, min(best + patience, len(losses))"): "You look too far ahead.",
        ("best, number → best, best + patience", "return best → return number - patience"): "The "
            "list may end before the patience does.",
        ("best, number → losses[best - 1], losses[number - 1]", "return best → return losses[best "
            "- 1]", "best, number → best, lowest"): "That is a loss. Which evaluation is it?",
        "best, number → best, len(losses)": "Which evaluation is the last that is made?",
        "math.inf → 0": "No loss is below 0. With what must the lowest begin?",
        "best, number → best, number - best": "That counts from the best one.",
        "waited == patience → number == patience": "Patience counts from the best one.",
        "return best, number → return best, number + 1": "That is one evaluation too late.",
        "loss < lowest → number == 1 or loss > lowest": "Which loss is better, high or low?",
        "waited == patience → waited > patience": "You wait one evaluation too long.",
        "waited == patience → waited == max(1, patience - 1)": "You wait one evaluation too few.",
        "waited == patience → waited": "What is patience for?",
        "loss < lowest → number == 1 or loss < losses[number - 2]": "Compare with the lowest so "
            "far, not with the one before.",
        "number, 0 → number, waited": "A new best one starts the count again.",
        "loss < lowest → loss <= lowest": "An equal loss is not a lower one.",
        "break → return best, number - 1": "The evaluation that ends the patience was made, too.",
    },
)  # fmt: skip


_CHANCE = np.random.default_rng(161)


def _mcnemar(truth, first, second):
    only_first = int(((first == truth) & (second != truth)).sum())
    only_second = int(((second == truth) & (first != truth)).sum())
    coins, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(coins, heads) for heads in range(fewer + 1))
    return min(1.0, 2 * tail / 2**coins)


def _mcnemar_case(rows, good, better):
    truth = _CHANCE.integers(3, size=rows)
    others = ((truth + _CHANCE.integers(1, 3, size=rows)) % 3 for _ in range(2))
    hits = (_CHANCE.random(rows) < part for part in (good, better))
    return truth, *(np.where(hit, truth, other) for hit, other in zip(hits, others))


check_mcnemar = Exercise(
    "Return the p-value of McNemar's exact test for two classifiers.",
    _mcnemar,
    cases=[_mcnemar_case(*sizes) for sizes in [
        (8, 0.6, 0.9), (30, 0.5, 0.8), (60, 0.6, 0.7), (8, 0.9, 0.6), (30, 0.8, 0.5)]],
    edges=[(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([0, 1, 2])),
           (np.array([0, 1, 2, 0]), np.array([0, 2, 2, 1]), np.array([1, 1, 2, 1]))],
    rtol=1e-7,
    mistakes={
        "2 * tail → tail": "That is one side. Results as uneven to the other side count, too.",
        "fewer + 1 → fewer": "What is exactly as uneven counts, too.",
        "range(fewer + 1) → range(1, fewer + 1)": "All coins may fall alike. Does that way count?",
        "2 * tail → 2 * math.comb(coins, fewer) ¦ math.comb(coins, fewer)": "That is this result "
            "alone. What is more uneven counts, too.",
        "fewer + 1 → only_first + 1": "Are the wins of the first classifier the fewer?",
        "fewer + 1 → only_second + 1": "Are the wins of the second classifier the fewer?",
        "→ 1.0": "Your p is always 1. Do you divide by the number of all ways?",
        "→ 0.0": "Your p is always 0. In math.comb(n, k) the coins come first.",
        "2 * tail / 2**coins → math.erfc(abs(coins - 2 * fewer) / (2 * coins) ** 0.5) ¦ "
            "math.erfc(abs(coins - 2 * fewer - 1) / (2 * coins) ** 0.5) ¦ math.erfc(abs(coins - 2 "
            "* fewer - 0.5) / (2 * coins) ** 0.5)": "An approximation by chi-square: count.",
        "2 * tail → (2 * tail - math.comb(coins, fewer))": "That is the mid-p. Count all ways.",
        "2 * tail / 2**coins → fewer / coins ¦ 1 - fewer / coins ¦ only_first / coins ¦ "
            "only_second / coins": "That is a share of coins. How probable is it, by chance?",
        ("2**coins → 2 ** len(truth)", "only_first + only_second → len(truth)", "& (second != "
            "truth) →||& (first != truth) →"): "A coin stands where exactly one is right.",
        ("second != truth → second == truth", "second != truth → second == truth||second == truth "
            "→ second != truth"): "Where both are right, neither has won.",
        ("(first == truth) & (second != truth) → (first != second)", "& (second != truth) →",
            "(second == truth) & (first != truth) → (first != second)", "& (first != truth) →"):
            "Each number counts where this one is right and the other one is wrong.",
        "→ abs((first == truth).mean() - (second == truth).mean())": "How probable is that?",
        "→ one, other = (first == truth).mean(), (second == truth).mean()\nerror = ((one + other) "
            "* (2 - one - other) / 2 / len(truth)) ** 0.5\nreturn math.erfc(abs(one - other) / "
            "error / 2**0.5)": "That test is for different requests. Count where one is right.",
        ("only_first + only_second → int((first != second).sum())", "((second == truth) & (first "
            "!= truth)).sum()) → (first != second).sum()) - only_first"): "And if both are wrong?",
        "min(1.0, 2 * tail / 2**coins) → 2 * tail / 2**coins": "A probability is never above 1.",
        "min(1.0, → bool(coins) * min(1.0,": "If the two never differ, p is 1.",
        "return → return 1 -": "That is one minus p.",
    },
)  # fmt: skip


_RNG_OF_SCORES = np.random.default_rng(160)


def _threshold(chances, truth, wanted):
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == truth
    enough = [t for t in sure if right[sure >= t].mean() >= wanted]
    return min(enough, default=math.inf)


def _threshold_case(rows, good, wanted):
    truth = _RNG_OF_SCORES.integers(3, size=rows)
    scores = np.round(_RNG_OF_SCORES.normal(size=(rows, 3)), 1)
    scores[np.arange(rows), truth] += good
    return softmax(scores), truth, wanted


check_threshold = Exercise(
    "Return the lowest threshold at which enough of what is kept is right.",
    _threshold,
    cases=[_threshold_case(*sizes) for sizes in (
        (6, 1.5, 0.8), (12, 1, 0.75), (20, 1, 0.9), (30, 0.5, 0.8))]
    + [(np.array([[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]),
        np.array([1, 0, 1, 0]), 2 / 3),
       (np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.6]]), np.array([1, 2]), 0.9),
       (np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.3, 0.0], [0.6, 0.4, 0.0]]),
        np.array([0, 1, 0, 0]), 0.7)],
    mistakes={
        "min → max": "That is the highest threshold that will do.",
        ("right[sure >= t].mean() → (right & (sure >= t)).mean()", "min(enough, default=math.inf) "
            "→ sure[right].min() ¦ np.quantile(sure, wanted) ¦ np.quantile(sure, 1 - wanted)"):
            "Which share of what is kept is right?",
        "sure >= t → sure > t": "A request exactly on the threshold is kept, too.",
        "t for t in sure → n for n, t in enumerate(sure)": "That is the number of a request.",
        "right[sure >= t].mean() → right[sure >= t].sum() / max(1, right.sum())": "You ask how "
            "many of the right ones are kept. How many of those that are kept are right?",
        "right[sure >= t] → sure[sure >= t]": "How often is the program right?",
        "right[sure >= t].mean() >= wanted → all(right[sure >= u].mean() >= wanted for u in "
            "sure[sure >= t])": "You stop at the first failure. What comes further down?",
        "t for t in sure if right[sure >= t] → sure[order[n]] for n in range(len(sure)) if "
            "right[order[: n + 1]]||enough = → order = np.argsort(-sure)\n    enough =": "Requests "
            "that are equally sure are kept together: compare with >=.",
        "min(enough, default=math.inf) → [*enough, math.inf][0]": "Which of these is the lowest?",
        ">= wanted → > wanted ¦ <= wanted": "At least the wanted share: exactly is enough.",
        ("→ wanted", "right[sure >= t].mean() → t"): "Is a probability the share that is right?",
        "sure >= t → sure <= t": "Which requests are kept?",
        "mean → all": "Not all must be right. Which share is wanted?",
        "chances.max(axis=1) → chances[range(len(truth)), truth]": "Is the true class known?",
        "min(…) → (sure >= min(…)).mean()": "That is the share kept. Return the threshold.",
        ("max(axis=1) → max(axis=0)", "axis=1 → axis=0"): "Each request has a maximum: axis=1.",
        "=math.inf → =0.0 ¦ =-math.inf ¦ =1.0 ¦ =np.nan": "If none will do, return math.inf.",
        "t in sure → t in np.arange(101) / 100": "Only probabilities that occur change anything.",
        ValueError: "Where none will do, there is nothing to choose from. Return math.inf.",
    },
)  # fmt: skip
