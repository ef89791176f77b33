"""Exercises of Chapter 16: losses of classifiers, when to stop, McNemar, thresholds."""

from __future__ import annotations

import math

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise

_RNG = np.random.default_rng(16)


def _head(x, weight, bias, labels):
    scores, rows = x @ weight.T + bias, np.arange(len(labels))
    chances = softmax(scores)[rows, labels]
    return -np.log(chances).mean()


def _head_case(batch, classes):
    numbers = (_RNG.normal(size=shape) for shape in ((batch, 4), (classes, 4), classes))
    return *numbers, _RNG.integers(classes, size=batch)


check_head = Exercise(
    "Compute the mean loss of a classifier, from pooled vectors.",
    _head,
    cases=[_head_case(3, 3), _head_case(4, 2), _head_case(1, 5)],
    mistakes={
        "rows, labels → rows, (labels + 1) % len(weight)": "Your labels are shifted by one: the "
            "class after the true one is asked for. Classes are counted from 0.",
        "rows, labels → rows, (labels - 1) % len(weight)": "Your labels are shifted by one: the "
            "class before the true one is asked for. Classes are counted from 0.",
        "+ bias →": "The bias is missing. It says which class to lean to before anything is read.",
        "+ bias → - bias": "You subtract the bias. It is added to the scores.",
        "weight.T → weight": "The weight has a row for each class. What must become of it before "
            "pooled @ weight?",
        "mean → sum": "That is the sum over the batch. A mean is wanted, so that batches of any "
            "size can be compared.",
        "return -np.log → return np.log": "Right up to the sign. A loss is minus the logarithm of "
            "a probability.",
        "np.log → np.log2": "These are bits. Nats are counted with the natural logarithm.",
        "np.log → np.log10": "These are logarithms by 10. Nats are counted with the natural "
            "logarithm.",
        "-np.log(chances) → (1 - chances)": "That is one minus the mean probability of the true "
            "class. Where is the logarithm?",
        "-np.log(chances) → chances": "That is the mean probability of the true class. Where is "
            "the logarithm?",
        "-np.log(chances) → (1 / chances)": "That is the mean of one divided by the probability of "
            "the true class. Where is the logarithm?",
        "(chances).mean() → (chances.mean())": "You take the logarithm of the mean. Take the mean "
            "of the logarithms.",
        ("softmax(scores) → softmax(scores, axis=0)",
            "softmax(scores) → softmax(scores.ravel()).reshape(scores.shape)"):
            "Your softmax runs over the batch. The classes of one request share the probability, "
            "not the requests.",
        "softmax(scores) → softmax(softmax(scores))": "You take the softmax twice. What comes out "
            "of the first one are probabilities.",
        ("softmax(scores) → (1 / (1 + np.exp(-scores)))", "-np.log(chances) → np.log(1 + "
            "np.exp(np.where(np.eye(len(weight))[labels], -scores, scores)))"):
            "That is a sigmoid for each class. Here one class is true, and the classes share one "
            "probability.",
        "[rows, labels] → [:, labels]": "[:, labels] takes the columns of all labels from every "
            "row. Give the number of each row, too.",
        "[rows, labels] → [labels]": "[labels] takes whole rows. Say the row of each request, too: "
            "[np.arange(len(labels)), labels].",
        "[rows, labels] → [labels, rows]": "Rows are requests, and columns are classes. Which "
            "index comes first?",
        "[rows, labels] →": "You take the mean over all classes. Which column belongs to each "
            "request?",
        "mean() → mean() / len(weight)": "You divide by the number of classes, too. Add up over "
            "the classes, and take the mean over requests.",
        "x @ → np.tanh(x) @": "You take tanh of the pooled vectors. The pooler has done that "
            "already.",
        "-np.log(chances).mean() → np.exp(-np.log(chances).mean())": "You raise e to the power of "
            "the loss. The loss itself is wanted.",
        "-np.log(chances).mean() → np.exp(np.log(chances).mean())": "You raise e to the power of "
            "minus the loss. The loss itself is wanted.",
        "-np.log(chances) → (np.exp(scores).sum(axis=1) - scores[rows, labels])":
            "You subtract the true score from a sum of exponentials. What must be taken of the sum "
            "first?",
        "-np.log(chances) → (-np.log(chances) - scores.max(axis=1))": "You take the highest score "
            "away inside exp. Where do you add it again?",
        ("-np.log(chances) → -(chances * np.log(chances))",
            "-np.log(chances) → -(softmax(scores) * np.log(softmax(scores))).sum(axis=1)"):
            "You weight with the model's probability. The true class counts fully, and no other "
            "one.",
        "-np.log(chances) → np.log(np.exp(scores).sum(axis=1))": "That is the logarithm of the "
            "sum. Subtract the score of the true class.",
        ("-np.log(chances) → (scores.argmax(axis=1) == labels)",
            "-np.log(chances) → (scores.argmax(axis=1) != labels)"): "You count answers. The loss "
            "asks how probable the true class is.",
        "-np.log(chances) → ((softmax(scores) - np.eye(len(weight))[labels]) ** 2).sum(axis=1)":
            "These are squared errors. The loss is minus the logarithm of the probability of the "
            "true class.",
        "-np.log(chances) → -(labels * np.log(softmax(scores))).sum(axis=1)":
            "You multiply by the labels. They are numbers of classes, not rows of 0 and 1.",
        ".mean() → [0]": "That is the loss of the first request. Does your loop return too early?",
        "softmax(scores)[ → np.exp(scores)[": "These are scores. Which probabilities does the "
            "softmax make of them?",
        "[rows, labels] → .max(axis=1)": "You take the most probable class. The loss asks for the "
            "true one.",
        ".mean() →": "These are the losses of all requests. Take their mean.",
    },
)  # fmt: skip


def _several(logits, labels):
    chances = 1 / (1 + np.exp(-logits))
    yes, no = np.log(chances), np.log(1 - chances)
    losses = -labels * yes - (1 - labels) * no
    return losses.mean()


check_several_labels = Exercise(
    "Compute the mean loss of labels that do not exclude each other.",
    _several,
    cases=[
        (_RNG.normal(size=shape), _RNG.integers(2, size=shape).astype(float))
        for shape in ((2, 3), (4, 2), (1, 4))
    ],
    mistakes={
        ("→ -(labels * np.log(softmax(logits))).sum(axis=1).mean()",
            "1 / (1 + np.exp(-logits)) → softmax(logits)"): "That is a softmax: the classes share "
            "one probability. Here each is a question of its own, with a probability of its own.",
        "mean() → sum(axis=0).mean()": "You add up the rows of each class. The mean over all "
            "questions is wanted.",
        "mean() → sum(axis=1).mean()": "You add up the classes of each row. The mean over all "
            "questions is wanted.",
        "mean → sum": "That is the sum over all questions. The mean is wanted.",
        ("- (1 - labels) * no →", "losses.mean() → -yes[labels == 1].mean()"):
            "Only labels of 1 cost anything here. What does it cost to say yes where the answer is "
            "no?",
        "yes - → yes +": "The part for no has the wrong sign. Logarithms of probabilities are "
            "below 0, both of them.",
        "1 / (1 + np.exp(-logits)) → logits": "These are scores. Where is the probability of yes?",
        "-labels * yes - (1 - labels) * no → -yes": "You ask for yes everywhere. The label says "
            "which of the two is right, with p for yes and 1 − p for no.",
        "-labels * yes - (1 - labels) * no → -no": "You ask for no everywhere. The label says "
            "which of the two is right, with p for yes and 1 − p for no.",
        "-labels * yes →": "Only labels of 0 cost anything here. What does it cost to say no where "
            "the answer is yes?",
        "(1 - labels) * no → (1 - chances) * np.log(1 - labels)": "You have exchanged label and "
            "probability in the part for no: (1 − y) ln(1 − p).",
        "→ np.log(1 + np.exp(-logits * labels)).mean()": "That is the formula for labels of 1 and "
            "−1. A label of 0 makes z · y 0, whatever the score is.",
        "→ -(logits * labels).mean()": "ln(e^−z) is −z again. Where is the 1 of 1 + e^−z?",
        "mean() → sum() / labels.sum()": "You divide by the number of labels that are 1. The mean "
            "is over all questions.",
        "losses.mean() → -np.log(np.exp(-losses).mean())": "You take the logarithm of the mean. "
            "Take the mean of the logarithms.",
        "losses.mean() → losses[0].mean()": "That is the loss of the first row. Does your loop "
            "return too early?",
        ("losses.mean() → ((logits > 0) == labels).mean()",
            "losses.mean() → ((logits > 0) != labels).mean()"): "You count answers. The loss asks "
            "how probable the right ones were.",
        "yes, no = → no, yes =": "Turned around: you ask for the probability of the wrong answer.",
        "return → return -": "Right up to the sign.",
        "np.log → np.log2": "These are bits. Nats are counted with the natural logarithm.",
        ("losses.mean() → abs(chances - labels).mean()",
            "losses.mean() → ((chances - labels) ** 2).mean()"): "That says how far the "
            "probability of yes is from the label. Where is the logarithm?",
        (".mean() →", "mean() → mean(axis=0)", "mean() → mean(axis=1)"):
            "These are several losses. Take the mean over all questions.",
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
    return best, number


check_stopping = Exercise(
    "Say which evaluation was the best, and which is the last one that is made.",
    _stop,
    cases=[
        ([0.5, 0.6, 0.4, 0.3], 1),
        ([0.9, 0.8, 0.7], 2),
        ([0.7, 0.7, 0.7, 0.6], 2),
        ([0.9, 0.5, 0.6, 0.55, 0.7, 0.4], 3),
        ([0.6, 0.7, 0.8, 0.9, 0.95, 0.3], 2),
        ([0.9, 0.95, 0.5, 0.6, 0.45, 0.5, 0.6, 0.2], 2),
    ],
    mistakes={
        "start=1 → start=0": "Right, but counted from 0. The first evaluation is number 1.",
        "return best, number → return number, best": "Turned around: first the best one, then the "
            "last one.",
        "return best → return number": "The last weights are not the best ones: patience has made "
            "them worse.",
        ("return best → return int(np.argmin(losses)) + 1",
            "→ best = int(np.argmin(losses)) + 1\nreturn best, min(best + patience, len(losses))"):
            "You look at evaluations that are never made. The run ends before the loss falls "
            "again.",
        "return best, number → return best, best + patience": "A run may be over before the "
            "patience is: then the last loss in the list is the last one.",
        ("return best, number → return losses[best - 1], losses[number - 1]",
            "return best → return losses[best - 1]"): "That is a loss. Which evaluation is it, "
            "counted from 1?",
        "return best, number → return best, len(losses)": "The best one is right. The list goes on "
            "after the run has stopped: which evaluation is the last?",
        "math.inf → 0": "No loss is below 0. With which number must the lowest begin, so that the "
            "first loss is lower?",
        "return best → return number - patience": "A list may end before the patience does. "
            "Remember the best one where you find it.",
        "return best, number → return best, number - best": "That is how many evaluations came "
            "after the best one. Which is the last?",
        "waited == patience → number == patience": "You count all evaluations. Patience counts "
            "those since the best one.",
        ("return best → return best - 1", "return best, number → return best, number - 1"):
            "One of the two is counted from 0. Both begin with 1.",
        "return best, number → return best, number + 1": "The run is over at the evaluation at "
            "which patience ends, not at the next one.",
        "loss < lowest → number == 1 or loss > lowest": "You keep the highest loss. The lower one "
            "is better.",
        "waited == patience → waited > patience": "You wait one evaluation too long.",
        "waited == patience → waited == max(1, patience - 1)": "You wait one evaluation too few.",
        "waited == patience → waited": "You stop at the first loss that is not lower. What is "
            "patience for?",
        ("loss < lowest → number == 1 or loss < losses[number - 2]||return best → return "
            "int(np.argmin(losses[:number])) + 1",
            "loss < lowest → number == 1 or loss < losses[number - 2]"):
            "You compare each loss with the one before. Compare it with the lowest so far: a loss "
            "that falls back half-way is no progress.",
        "number, 0 → number, waited": "You count all evaluations without progress. They must come "
            "in a row: a new best one starts the count again.",
        "loss < lowest → loss <= lowest": "An equal loss is not a lower one: the earlier weights "
            "stay.",
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
    answers = [
        np.where(
            _CHANCE.random(rows) < part, truth, (truth + _CHANCE.integers(1, 3, size=rows)) % 3
        )
        for part in (good, better)
    ]
    return truth, *answers


check_mcnemar = Exercise(
    "Return the p-value of McNemar's exact test for two classifiers.",
    _mcnemar,
    cases=[_mcnemar_case(*sizes) for sizes in [
        (8, 0.6, 0.9), (30, 0.5, 0.8), (60, 0.6, 0.7), (8, 0.9, 0.6), (30, 0.8, 0.5)]],
    edges=[(np.array([0, 1, 2]), np.array([0, 1, 2]), np.array([0, 1, 2])),
           (np.array([0, 1, 2, 0]), np.array([0, 2, 2, 1]), np.array([1, 1, 2, 1]))],
    rtol=1e-7,
    forbidden=["binomtest"],
    mistakes={
        "2 * tail → tail": "That is one side. Results as uneven to the other side count, too.",
        "fewer + 1 → fewer": "You count only what is more uneven. What is exactly as uneven "
            "counts, too.",
        "2 * tail → 2 * math.comb(coins, fewer)": "That is the chance of exactly this result and "
            "its mirror image. What is more uneven counts, too.",
        "2 * tail → math.comb(coins, fewer)": "That is the chance of exactly this result. What is "
            "more uneven counts, too.",
        "fewer + 1 → only_first + 1": "You count up to the wins of the first classifier. It may be "
            "the better one: up to which of the two numbers must you count?",
        "fewer + 1 → only_second + 1": "You count up to the wins of the second classifier. It may "
            "be the better one: up to which of the two numbers must you count?",
        "→ 1.0": "Your p is 1 whatever they answer. Do you count up to the larger number, or never "
            "divide by the number of all ways?",
        "→ 0.0": "Your p is 0 whatever they answer. In math.comb(n, k) the number of coins comes "
            "first.",
        ("2 * tail / 2**coins → math.erfc(abs(coins - 2 * fewer) / (2 * coins) ** 0.5)",
            "2 * tail / 2**coins → math.erfc(abs(coins - 2 * fewer - 1) / (2 * coins) ** 0.5)",
            "2 * tail / 2**coins → math.erfc(abs(coins - 2 * fewer - 0.5) / (2 * coins) ** 0.5)"):
            "That is the approximation by chi-square. The exact test counts the ways.",
        "2 * tail → (2 * tail - math.comb(coins, fewer))": "That counts half of the ways that are "
            "exactly as uneven: the mid-p. The exact test counts them all.",
        ("2 * tail / 2**coins → fewer / coins", "2 * tail / 2**coins → 1 - fewer / coins",
            "2 * tail / 2**coins → only_first / coins",
            "2 * tail / 2**coins → only_second / coins"): "That is the share of coins that one of "
            "them has won. How probable is one so uneven, by chance?",
        "2**coins → 2 ** len(truth)": "You divide by the ways of all requests. How many coins are "
            "thrown?",
        ("second != truth → second == truth",
            "second != truth → second == truth||second == truth → second != truth"):
            "You count where both are right. There, neither has won.",
        ("(first == truth) & (second != truth) → (first != second)", "& (second != truth) →",
            "(second == truth) & (first != truth) → (first != second)", "& (first != truth) →"):
            "One of your two numbers is too large. Each counts where this one is right and the "
            "other one is wrong.",
        "→ abs((first == truth).mean() - (second == truth).mean())": "That is the difference of "
            "the accuracies. How probable is one so large, by chance?",
        "→ one, other = (first == truth).mean(), (second == truth).mean()\nerror = ((one + other) "
            "* (2 - one - other) / 2 / len(truth)) ** 0.5\nreturn math.erfc(abs(one - other) / "
            "error / 2**0.5)": "That test is for two classifiers with requests of their own. These "
            "two have answered the same ones: count where exactly one is right.",
        ("only_first + only_second → int((first != second).sum())",
            "int(((second == truth) & (first != truth)).sum()) → int((first != second).sum()) - "
            "only_first"): "You throw a coin wherever the two differ. Where both are wrong in "
            "different ways, neither has won.",
        "only_first + only_second → len(truth)": "You throw a coin for every request. Only where "
            "exactly one of the two is right is there one.",
        "& (second != truth) →||& (first != truth) →": "You count all that each one gets right. "
            "Only where exactly one of them is right can a difference be seen.",
        "min(1.0, 2 * tail / 2**coins) → 2 * tail / 2**coins": "A probability is never above 1. If "
            "both are equally often right alone, the middle way is counted on both sides.",
        "return → return 1 -": "That is one minus p. A small p speaks against chance.",
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
        "min → max": "That is the highest threshold that will do, and it keeps next to nothing. "
            "Coverage is what you pay with.",
        "right[sure >= t].mean() → (right & (sure >= t)).mean()": "You divide by all letters. "
            "Which part of those that are kept is right?",
        "sure >= t → sure > t": "A letter that lies exactly on the threshold is kept, too.",
        "right[sure >= t] → sure[sure >= t]": "You ask how sure the program is. How often is it "
            "right?",
        "right[sure >= t].mean() >= wanted → all(right[sure >= u].mean() >= wanted for u in "
            "sure[sure >= t])": "You go down from the surest letter and stop at the first failure. "
            "Further down the share may be large enough again.",
        "t for t in sure if right[sure >= t] → sure[order[n]] for n in range(len(sure)) if "
            "right[order[: n + 1]]||enough = → order = np.argsort(-sure)\n    enough =":
            "You keep the letters one by one. Letters that are equally sure are kept together: "
            "compare with >=.",
        "min(enough, default=math.inf) → [*enough, math.inf][0]": "That is the first one that will "
            "do, in the order of the letters. Which is the lowest?",
        ">= wanted → > wanted": "Exactly as much as wanted is enough.",
        ("→ wanted", "right[sure >= t].mean() → t"): "A largest probability of 0.9 does not mean "
            "that nine of ten are right. Measure it.",
        ">= wanted → <= wanted": "Turned around: at least the wanted share must be right.",
        "sure >= t → sure <= t": "You look at the letters that go to a person. Which are kept?",
        "mean → all": "All letters that are kept must be right with you. Which share is wanted?",
        "min(enough, default=math.inf) → sure[right].min()": "That is the least sure letter of "
            "those that are right. Which share of what it keeps is right?",
        "chances.max(axis=1) → chances[range(len(truth)), truth]": "You take the probability of "
            "the true class, which the program does not know. Take the largest.",
        ("min(enough, default=math.inf) → np.quantile(sure, wanted)",
            "min(enough, default=math.inf) → np.quantile(sure, 1 - wanted)"):
            "You keep a share of the letters. Which share of what is kept is right?",
        "min(enough, default=math.inf) → (sure >= min(enough, default=math.inf)).mean()":
            "That is the share of letters that are kept. Return the threshold.",
        "max(axis=1) → max(axis=0)": "You take the maximum over the letters. Each letter has one "
            "of its own: axis=1.",
        ("default=math.inf → default=0.0", "default=math.inf → default=-math.inf"):
            "No threshold will do, and you keep everything. Keep nothing: return math.inf.",
        ("default=math.inf → default=1.0", "default=math.inf → default=np.nan"):
            "Right where a threshold will do. Where none does, return math.inf.",
        "t in sure → t in np.arange(101) / 100": "You try hundredths. Only the largest "
            "probabilities that occur can change anything: try these.",
        ValueError: "No threshold will do in one of the cases, so there is none to choose from. "
            "Return math.inf there.",
    },
)  # fmt: skip
