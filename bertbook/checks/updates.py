"""Exercises of Chapter 13: pieces of a batch, going on."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(31)


def _of_pieces(gradients, labels, longest):
    known = [(g, n) for g, n in zip(gradients, labels) if n > 0]
    total = sum(n * g for g, n in known) / sum(labels)
    ratio = longest / np.sqrt((total**2).sum())
    return total * min(1.0, ratio)


check_accumulation = Exercise(
    "Join the gradients of a batch that came in pieces, and clip.",
    _of_pieces,
    cases=[
        ([np.array([3.0, 1.0]), np.array([-1.0, 1.0])], [1, 3], 9.0),
        ([np.array([8.0, 0.0]), np.array([0.0, 2.0])], [1, 3], 1.0),
        ([*_RNG.normal(size=(3, 4))], [5, 1, 2], 0.5),
        ([np.array([1.0, 2.0]), np.full(2, np.nan), np.array([3.0, -1.0])], [2, 0, 5], 10.0),
    ],
    mistakes={
        "n * g → g||sum(labels) → len(known)": "Each piece counts the same here. A label in a "
            "small piece counts more then than one in a large piece.",
        "n * g → g||sum(labels) → len(labels)": "Each piece counts the same here, even one without "
            "a label. By what should a piece be weighted?",
        "n * g → g||/ sum(labels) →": "You add the gradients up as they are. Each is that of a "
            "mean: how many labels stand behind it?",
        "/ sum(labels) →": "You weight with the number of labels. What is missing to make a mean "
            "of the sum?",
        "sum(labels) → len(labels)": "You divide by the number of pieces. It is a mean over "
            "labels.",
        "n * g → n * g * min(1.0, longest / np.linalg.norm(g))||min(1.0, ratio) → 1":
            "You shorten each piece. The pieces have no length of their own: shorten what they "
            "make together, once.",
        "1.0, ratio → 1.0, 1.0": "Added up as it should be. And if it is too long?",
        "min(1.0, ratio) → ratio": "You bring every gradient to the allowed length. What should "
            "happen to one that is short enough?",
        ("n * g → g / n||sum(labels) → sum(1 / n for _, n in known)", "n * g → g / n"):
            "You divide by the number of labels. A piece counts more, the more labels stand behind "
            "it.",
        "n * g → g / n||/ sum(labels) →": "You divide by the number of labels. It is a mean "
            "already; undo that before you add.",
        "sum(labels) → len(known)": "You divide by the number of pieces. It is a mean over labels.",
        "longest / → longest / sum(labels) /": "You clip before you divide by the number of "
            "labels. Shorten the mean.",
        ("longest / → 1.0 /", "longest / → 1.0 /||min(1.0, ratio) → ratio"):
            "You make the length 1. Which length is allowed?",
        "total * min(1.0, ratio) → total.clip(-longest, longest)": "You cut each number off. That "
            "turns the direction; scale all numbers by one factor.",
        ("np.sqrt((total**2).sum()) → np.abs(total).sum()",
            "np.sqrt((total**2).sum()) → np.abs(total).max()",
            "np.sqrt((total**2).sum()) → (total**2).sum()",
            "np.sqrt((total**2).sum()) → total.sum()", "(total**2).sum() → (total**2).mean()"):
            "That is another length. It is the root of the sum of all squares.",
        "in known → in known[:1]": "Your loop ends in its first round. Does the return stand "
            "inside it?",
        "n > 0] → n > 0][: [*labels, 0].index(0)]": "You stop at a piece without labels. Those "
            "after it count, too.",
        ("n > 0 → n > 1||sum(labels) → sum(n for _, n in known)", "n > 0 → n > 1"):
            "A piece with a single label counts, too.",
        ("sum(labels) → labels[0]", "sum(labels) → labels[-1]", "sum(labels) → max(labels)"):
            "You divide by the labels of one piece. The mean is over those of all.",
        "n * g → g": "Each gradient is that of a mean. Multiply it by its labels before you add, "
            "and then divide by all labels.",
        "(total**2).sum() → sum((g**2).sum() for g, _ in known)": "You measure the pieces. Measure "
            "what they make together.",
        "ratio) → 1 / ratio)": "Your factor is upside down: it is the allowed length divided by "
            "the length.",
        "min → max": "You lengthen what is short. It is the long ones that are shortened.",
        "return total * → return": "That is the factor. Multiply the gradient by it.",
        "n > 0 → n >= 0": "Right, as long as every piece has a label. What is 0 times NaN?",
    },
)  # fmt: skip


def _go_on(saved, gradients, lr):
    weight, m, v = saved["weight"], saved["m"], saved["v"]
    for step in range(saved["step"], len(gradients)):
        m = 0.9 * m + 0.1 * gradients[step]
        v = 0.999 * v + 0.001 * gradients[step] ** 2
        fair_m = m / (1 - 0.9 ** (step + 1))
        fair_v = v / (1 - 0.999 ** (step + 1))
        weight = weight - lr * fair_m / fair_v**0.5
    return weight


_CUT = {"step": 2, "weight": 1.5, "m": 0.07, "v": 0.0006}

check_going_on = Exercise(
    "Go on with a run of Adam from what was kept of it.",
    _go_on,
    cases=[
        (_CUT, [0.5, 0.3, -0.4, 0.2], 0.1),
        ({"step": 1, "weight": -0.3, "m": -0.2, "v": 0.004}, [-2.0, 0.7, 1.1], 0.01),
        ({"step": 3, "weight": 2.0, "m": 0.01, "v": 0.002}, [0.1, -0.9, 1.0, 0.4, 0.4, -0.6], 0.5),
    ],
    edges=[(_CUT, [0.5, 0.3], 0.1)],
    mistakes={
        'saved["m"] → 0.0||saved["v"] → 0.0||(step + 1) → (step - saved["step"] + 1)':
            "You begin with an Adam that has no memory. What was kept besides the weight?",
        'saved["m"] → 0.0||saved["v"] → 0.0': "m and v begin at 0 again. They were kept.",
        'range(saved["step"], len(gradients)) → range(len(gradients))||(step + 1) → (step + '
            'saved["step"] + 1)': "You go through all gradients again. How many updates were made "
            "already?",
        'range(saved["step"], len(gradients)) → range(len(gradients))':
            "You go through all gradients again, and count the updates from 1. How many were made "
            "already?",
        '(step + 1) → (step - saved["step"] + 1)': "Weight, m and v go on; but you count the "
            "updates from 1 again, and m and v are divided by shares that are too small.",
        "(step + 1) → step": "You divide by the shares after one update fewer. The first update "
            "that you make has the number step + 1.",
        "(step + 1) → (step + 2)": "You divide by the shares after one update more. The first "
            "update that you make has the number step + 1.",
        ('(step + 1) → (saved["step"] + 1)', '(step + 1) → saved["step"]',
            "(step + 1) → len(gradients)"): "You divide by the same two shares in all updates. "
            "They change with the number of the update.",
        ("m = 0.9 → old_m, old_v = m, v\n        m = 0.9||= m / → = old_m /||= v / → = old_v /",
            "m = 0.9 → old_m, old_v = m, v\n        m = 0.9||= m / → = old_m /||= v / → = old_v "
            "/||(step + 1) → step"): "You move before m and v have taken in the new gradient. "
            "Renew them first.",
        "/ (1 - 0.9 ** (step + 1)) →||/ (1 - 0.999 ** (step + 1)) →": "m and v are too small at "
            "first. By what are they divided?",
        "/ (1 - 0.9 ** (step + 1)) →": "Only v is divided by its share. Both are too small at "
            "first.",
        "/ (1 - 0.999 ** (step + 1)) →": "Only m is divided by its share. Both are too small at "
            "first.",
        ("m / → m *", "v / → v *", "m / → m *||v / → v *"): "A share is below 1, so multiplying "
            "makes what is too small even smaller. Divide by it.",
        "fair_v**0.5 → fair_v": "Adam divides by the root of v.",
        "v / → v**0.5 /||fair_v**0.5 → fair_v": "You take the root of v before you divide it by "
            "its share. Divide first.",
        "/ fair_v**0.5 →": "That moves by m alone. Adam divides it by the root of v.",
        "fair_m / fair_v**0.5 → m": "That moves by m alone, as it was kept. By what does Adam "
            "divide?",
        "fair_v**0.5 → (fair_v**0.5 + 1e-8)": "Right, but for a small number in the denominator. ε "
            "is 0 here.",
        "gradients[step] ** 2 → abs(gradients[step])": "v gathers squares of the gradients, not "
            "their sizes.",
        "gradients[step] ** 2 → gradients[step]": "v gathers squares of the gradients.",
        "gradients[step] ** 2 → m**2": "v gathers squares of the gradients, not of m.",
        "0.001 * gradients[step] ** 2 → (0.001 * gradients[step]) ** 2":
            "You square 0.001, too. Only the gradient is squared.",
        ("0.1 * →", "0.001 * →", "0.1 * →||0.001 * →", "0.9 * m + 0.1 → 0.1 * m + 0.9",
            "0.999 * v + 0.001 → 0.001 * v + 0.999",
            "0.9 * m + 0.1 → 0.1 * m + 0.9||0.999 * v + 0.001 → 0.001 * v + 0.999"):
            "Of the old m or v much is kept, and little of the new gradient comes in: 0.9 and 0.1, "
            "0.999 and 0.001.",
        ("0.999 * v + 0.001 → 0.99 * v + 0.01",
            "0.999 * v + 0.001 → 0.99 * v + 0.01||0.999 ** → 0.99 **"):
            "v keeps 0.999 of what it was, not 0.99.",
        "0.9 * m + 0.1 → 0.999 * m + 0.001||0.999 * v + 0.001 → 0.9 * v + 0.1||0.9 ** → 0.999 "
            "**||0.999 ** → 0.9 **": "You have exchanged the two rates: m forgets faster.",
        "= m / → = m = m /||= v / → = v = v /": "You divide m and v by their shares and keep the "
            "quotients. Keep m and v as they are, and divide for each move anew.",
        "weight - → weight - lr * 0.01 * weight -": "The weight decays. This run has no decay.",
        'weight - → saved["weight"] -': "Each of your moves begins at the weight that was kept. "
            "Begin where the one before has ended.",
        'return weight → return saved["weight"]': "You return the weight as it was kept. Does your "
            "loop change it?",
        "len(gradients) → len(gradients) - 1": "The last gradient is left out. Where does your "
            "range end?",
        "gradients[step] → gradients[step - 1]": "You are one gradient behind. The first one that "
            "is left is gradients[step].",
        'range(saved["step"], len(gradients)) → range(saved["step"])': "You make the updates again "
            "that were made. Begin behind them, and go on until no gradient is left.",
        "lr * →": "By what is each move multiplied? The learning rate is missing.",
        "weight - → weight +": "You walk uphill. Which sign has a step?",
        '→ saved["weight"] - lr * sum(gradients[saved["step"] :])': "That is the step of plain "
            "gradient descent. What are m and v for?",
        'range(saved["step"] → range(saved["step"] + 1': "You begin one gradient too late. "
            "Counting starts at 0: the first one that is left is gradients[step].",
        "gradients[step] → gradients[step + 1]||len(gradients) → len(gradients) - 1":
            "You begin one gradient too late. The first one that is left is gradients[step].",
        'range(saved["step"] → range(saved["step"] - 1': "You make one update again that was made. "
            "The first gradient that is left is gradients[step].",
        'len(gradients) → saved["step"] + 1': "That is one update. Go on until no gradient is "
            "left.",
        'saved["m"] → 0.0': "m begins at 0 again. It was kept.",
        'saved["v"] → 0.0': "v begins at 0 again. It was kept.",
        'saved["weight"] → 0.0': "The weight begins at 0. It was kept.",
        KeyError: "The dictionary has the keys 'step', 'weight', 'm' and 'v'.",
        ZeroDivisionError: "At the first update that is left you divide by 0. Its number is step + "
            "1.",
    },
)  # fmt: skip
