"""Exercises of Chapter 13: the schedule, clipping, pieces of a batch, going on, a measurement."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.linalg import norm
from torch.optim.optimizer import register_optimizer_step_post_hook

from bertbook.core.exercises.exercise import Exercise, attempt
from bertbook.core.exercises.verdict import Verdict

PEAK = 0.03  # of Exercise 13.5
_RNG = np.random.default_rng(13)


def _rate(step, peak, warm, end):
    fall = (end - step) / (end - warm)
    return peak * (step / warm if step < warm else fall)


check_schedule = Exercise(
    "Return the learning rate of an update, with warm-up and linear decay.",
    _rate,
    cases=[(step, peak, warm, end) for peak, warm, end in ((1.0, 4, 9), (1e-4, 10, 100))
           for step in (1, 3, warm, warm + 1, end - 1, end)],
    forbidden=["learning_rate_factor"],
    mistakes={
        "fall) → 1)": "After the warm-up, where does the rate have to arrive?",
        ("→ right(step, peak, 0, end)", "step / warm if → fall if ¦ 1 if"): "And the warm-up?",
        ("(end - warm) → end ¦ warm", "(end - step) / (end - warm) → (end - step) / end if step > "
            "warm else 1 ¦ 1 - (step - warm) / end ¦ 1 - step / (end - warm)"): "How many steps "
            "has the fall, once the warm-up is over?",
        "fall) → (end - step) / end - warm / peak)": "(max_steps - warmup_steps) needs brackets.",
        "step < warm → step < end": "The rise goes on. At which step does the fall begin?",
        "(step / warm → ((step / warm) ** 2": "The rise is a straight line.",
        "fall) → 0)": "After the warm-up the rate falls step by step.",
        "→ peak * min(step / warm, 1) * (end - step) / end": "The fall begins at the peak.",
        "→ peak * min(step / warm, (end - step) / end)": "Does the fall begin at the peak?",
        "fall) → np.sin(np.pi * fall / 2) ** 2) ¦ (warm / step) ** 0.5)": "The fall is linear.",
        ("/ → //", "→ right(step, peak, warm, end) // 1"): "// rounds down. Divide by /.",
        ("→ right(step + 1, peak, warm, end)", "step / warm → (step + 1) / warm ¦ (step + 1) / "
            "(warm + 1)"): "You are one step ahead. How many updates came before the first?",
        "→ right(step - 1, peak, warm, end)": "You are one step late. When is the rate highest?",
        "step / warm → 1 / warm ¦ warm / step ¦ step ¦ step / end": "How much of it is over?",
        "(end - step) → (step - warm) ¦ (end - step - 1) ¦ (step - end) ¦ (end - step + 1)": "How "
            "many steps of the fall are left?",
        "→ peak * max(step / warm, (end - step) / (end - warm))": "Take the lower of two lines.",
        "→ peak * min(step / (end - warm), (end - step) / warm)": "The two lengths are exchanged.",
        ("peak * →", "(step / → (step / peak /", "fall) → fall / peak)"): "Both have the peak.",
        "fall) → 1 - (1 - fall) / peak)": "That is a share of 1, not of the peak.",
    },
)  # fmt: skip


def _clip(w, b, longest):
    squares = (w**2).sum() + (b**2).sum()
    ratio = longest / squares**0.5
    factor = min(1.0, ratio)
    return [x * factor for x in (w, b)]


check_clipping = Exercise(
    "Shorten two gradients together, if they are too long together.",
    _clip,
    cases=[(np.array([[3.0]]), np.array([4.0]), 1.0), (_RNG.normal(size=(2, 2)),
           5 * _RNG.normal(size=2), 2.0), (np.array([[0.9, 0.0]]), np.array([1.2]), 2.0),
           (np.array([[0.3, 0.0]]), np.array([0.4]), 1.0)],
    rtol=1e-6,  # PyTorch adds 1e-6 to the length
    mistakes={
        ("→ [x * min(1.0, longest / norm(x)) for x in (w, b)]", "+ (b**2).sum() →", "[x * factor "
            "for x in (w, b)] → w * factor, b"): "Both gradients have one length and one factor.",
        ("min(1.0, ratio) → ratio", "1.0, → squares**0.5,"): "What if both are short enough?",
        "x * factor → factor": "Multiply both by the factor.",
        "x * factor → x.clip(-longest, longest) ¦ x.clip(None, longest) ¦ x.clip(0, longest) ¦ x - "
            "max(0, squares**0.5 - longest)": "That turns the direction. Scale all by one factor.",
        ("**0.5 →", "min(1.0, ratio) → ratio ** (squares > longest)"): "Where is the root?",
        "squares**0.5 → (abs(w).sum() + abs(b).sum()) ¦ (norm(w) + norm(b)) ¦ max(norm(w), "
            "norm(b)) ¦ max(abs(w).max(), abs(b).max())": "The length is the root of the sum of "
            "all squares.",
        "ratio) → 1.0)": "Nothing is shortened.",
        "ratio) → ratio**2) ¦ 1 / ratio)": "Your factor is upside down, or squared.",
        ("sum → mean", "squares**0.5 → (squares / (w.size + b.size)) ** 0.5"): "Why take a mean?",
        ("(w**2).sum() → w.sum()**2", "(b**2).sum() → b.sum()**2"): "Square each number first.",
        "(w**2).sum() → norm(w, 2)**2": "norm(w, 2) of a matrix is something else. Add squares.",
        ("longest / → 1.0 /", "ratio) → ratio / longest ** (ratio < 1))"): "Use `longest`.",
        "min → max": "Long gradients are shortened, short ones stay as they are.",
        (".sum() →", ".sum() →||min → np.minimum", "squares**0.5 → norm(w + b)"): "You add the two "
            "arrays entry by entry. Make one number of each first.",
        ("(w**2).sum() → (w**2).sum(axis=0)", "(w**2).sum() + (b**2).sum() → (w**2).sum(axis=0)"):
            "You add up each column. sum() has no axis here.",
        "→ np.array([w, b])": "One array cannot hold two shapes.",
        "(w, b)] → (b, w)]": "Turned around: first the weight, then the bias.",
        "min(1.0, ratio) → longest ** (ratio < 1)": "By what must you divide the allowed length?",
        "**0.5 → **0.25": "You take one root too many.",
        "min(1.0, ratio) → (ratio >= 1)": "What is too long is shortened, not dropped.",
        "→ np.hstack([*map(np.ravel, right(w, b, longest))])": "Return both, in their shapes.",
    },
)  # fmt: skip


def _of_pieces(gradients, labels, longest):
    known = [(g, n) for g, n in zip(gradients, labels) if n > 0]
    total = sum(n * g for g, n in known) / sum(labels)
    ratio = longest / norm(total)
    return total * min(1.0, ratio)


check_accumulation = Exercise(
    "Join the gradients of a batch that came in pieces, and clip.",
    _of_pieces,
    cases=[([np.array([3.0, 1.0]), np.array([-1.0, 1.0])], [1, 3], 9.0),
           ([np.array([8.0, 0.0]), np.array([0.0, 2.0])], [1, 3], 1.0),
           ([*_RNG.normal(size=(3, 4))], [5, 1, 2], 0.5),
           ([np.array([1.0, 2.0]), np.full(2, np.nan), np.array([3.0, -1.0])], [2, 0, 5], 10.0)],
    mistakes={
        "n * g → g||sum(labels) → len(known) ¦ len(labels)": "How much should each piece weigh?",
        ("n * g → g||/ sum(labels) →", "n * g → g"): "Each gradient is a mean: of how many?",
        ("/ sum(labels) →", "sum(labels) → len(labels) ¦ len(known) ¦ labels[0] ¦ max(labels) ¦ "
            "sum(labels) / len(labels) ¦ sum(labels) / len(known)"): "The mean is over all labels. "
            "By what do you divide?",
        "n * g → n * g * min(1, longest / norm(g))||1.0, ratio → 1, 1": "Shorten the sum, once.",
        "1.0, ratio → 1.0, 1.0": "And if it is too long?",
        "min(1.0, ratio) → ratio": "What should happen to one that is short enough?",
        ("n * g → g / n||sum(labels) → sum(1 / n for _, n in known)", "n * g → g / n", "n * g → g "
            "/ n||/ sum(labels) →"): "A piece counts more, the more labels stand behind it.",
        "longest / → longest / sum(labels) /": "Divide by the labels first, and clip then.",
        ("longest / → 1.0 /", "longest / → 1.0 /||min(1.0, ratio) → ratio"): "Use `longest`.",
        "* min(1.0, ratio) → .clip(-longest, longest)": "That turns the arrow. Use one factor.",
        "norm(total) → abs(total).sum() ¦ abs(total).max() ¦ norm(total) ** 2 ¦ total.sum() ¦ "
            "(total**2).mean() ** 0.5": "The length is the root of the sum of all squares.",
        "in known → in known[:1]": "Your loop ends in its first round.",
        "n > 0] → n > 0][: [*labels, 0].index(0)]": "Pieces after one without labels count, too.",
        ("n > 0 → n > 1||sum(labels) → sum(n for _, n in known)", "n > 0 → n > 1"): "A piece with "
            "a single label counts, too.",
        "norm(total) → sum((g**2).sum() for g, _ in known) ** 0.5": "Measure the pieces together.",
        "ratio) → 1 / ratio)": "Your factor is upside down.",
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
    cases=[(_CUT, [0.5, 0.3, -0.4, 0.2], 0.1), ({"step": 1, "weight": -0.3, "m": -0.2, "v": 0.004},
           [-2.0, 0.7, 1.1], 0.01), ({"step": 3, "weight": 2.0, "m": 0.01, "v": 0.002},
           [0.1, -0.9, 1.0, 0.4, 0.4, -0.6], 0.5)],
    edges=[(_CUT, [0.5, 0.3], 0.1)],
    mistakes={
        'saved["m"], saved["v"] → 0, 0||step + 1 → step + 1 - saved["step"]': "What else was kept?",
        ('saved["m"] → 0', 'saved["v"] → 0', 'saved["weight"] → 0'): "Weight, m and v were kept.",
        ('saved["step"], len → len||step + 1 → step + saved["step"] + 1', 'saved["step"], len → '
            'len'): "You go through all gradients again. How many updates were made already?",
        '(step + 1) → (step - saved["step"] + 1) ¦ step ¦ (step + 2)': "You divide by the shares "
            "of another update. The first that you make has the number step + 1.",
        '(step + 1) → (saved["step"] + 1) ¦ saved["step"] ¦ len(gradients)': "You divide by the "
            "same two shares in all updates. They change with each.",
        "m = 0.9 → old_m, old_v = m, v\n        m = 0.9||= m / → = old_m /||= v / → = old_v "
            "/||step + 1 → step + 1 ¦ step": "You move before m and v know the new gradient.",
        ("/ (1 - 0.9 ** (step + 1)) →", "/ (1 - 0.999 ** (step + 1)) →"): "Where are the shares?",
        ("m / → m *", "v / → v *"): "A share is below 1. Divide by it.",
        ("**0.5 →", "/ fair_v**0.5 →", "fair_m / fair_v**0.5 → m"): "Divide m by the root of v.",
        "v / → v**0.5 /||fair_v**0.5 → fair_v": "Divide v by its share first.",
        "fair_v**0.5 → (fair_v**0.5 + 1e-8)": "ε is 0 here.",
        "gradients[step] ** 2 → abs(gradients[step]) ¦ gradients[step] ¦ m**2": "What is squared?",
        "0.001 * gradients[step] ** 2 → (0.001 * gradients[step]) ** 2": "You square 0.001, too.",
        ("0.1 * →", "0.001 * →", "0.9 * m + 0.1 → 0.1 * m + 0.9", "0.999 * v + 0.001 → 0.001 * v + "
            "0.999"): "Much of the old is kept, and little of the new comes in.",
        "0.999 * v + 0.001 → 0.99 * v + 0.01||0.999 ** → 0.999 ** ¦ 0.99 **": "v keeps 99.9 %.",
        "0.9 * m + 0.1 → 0.999 * m + 0.001||0.999 * v + 0.001 → 0.9 * v + 0.1||0.9 ** → 0.999 "
            "**||0.999 ** → 0.9 **": "You have exchanged the two rates: m forgets faster.",
        "= m / → = m = m /||= v / → = v = v /": "Keep m and v undivided for the next move.",
        "weight - → weight - lr * 0.01 * weight -": "The weight decays. This run has no decay.",
        'weight - → saved["weight"] -': "Begin each move where the one before has ended.",
        'return weight → return saved["weight"]': "Does your loop change the weight?",
        "len(gradients) → len(gradients) - 1": "Where does your range end?",
        "gradients[step] → gradients[step - 1]": "You are one gradient behind.",
        ('saved["step"], len(gradients)) → saved["step"])', '(saved["step"] → (saved["step"] - 1',
            '["step"] → ["step"] + 1', "[step] → [step + 1]||(gradients) → (gradients) - 1"): "The "
            "first gradient that is left is gradients[step].",
        "lr * →": "Where is the learning rate?",
        "weight - → weight +": "You walk uphill. Which sign has a step?",
        '→ saved["weight"] - lr * sum(gradients[saved["step"] :])': "What are m and v for?",
        'len(gradients) → saved["step"] + 1': "Go on until no gradient is left.",
        KeyError: "The dictionary has the keys 'step', 'weight', 'm' and 'v'.",
        ZeroDivisionError: "The number of the first update that is left is step + 1, not 0.",
    },
)  # fmt: skip


def check_ends(measure: Callable) -> Verdict:
    """Say whether a measurement of the warm-up can be trusted; four runs are made."""
    ends = []
    for warmup, seeds in ((8, [0, 1]), (8, [1]), (1, [1])):
        with _updates() as rates:
            measured, problem = attempt(measure, warmup, seeds)
        problem = problem or _form_problem(measured, len(seeds)) or _of_updates(rates)
        if problem:
            return Verdict(False, problem)
        ends.extend(measured)
    problem = _of_training(measure) or _problem(*ends)
    right = "Right: every seed begins anew, and the warm-up counts. What did you find?"
    return Verdict(not problem, problem or right)


@contextmanager
def _updates() -> Iterator[list[float]]:
    """Collect the learning rate of every update that any optimizer makes."""
    rates: list[float] = []
    hook = register_optimizer_step_post_hook(
        lambda optimizer, *_: rates.append(max(group["lr"] for group in optimizer.param_groups))
    )
    try:
        yield rates
    finally:
        hook.remove()


def _of_updates(rates: list[float]) -> str:
    """Return that nothing was trained, or not with the peak that was asked for."""
    if not rates:
        return "No optimizer made an update while it ran. Where is a model trained for each seed?"
    highest = float(max(rates))
    if abs(highest - PEAK) <= 0.1 * PEAK:
        return ""
    asked = "Which peak does the exercise ask for?"
    return f"The highest learning rate of your runs is {highest:.3g}. {asked}"


def _form_problem(ends: object, count: int) -> str:
    """Return what is wrong with the form of the ends of so many runs."""
    try:
        numbers = np.asarray(ends, dtype=float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (count,):
        return f"It should return a list of one number for each seed, {count} here."
    good = np.isfinite(numbers).all()
    return "" if good else f"Some ends are not finite: {numbers.tolist()}."


def _of_training(measure: Callable) -> str:
    """Return that a function reads the losses of a log, and asks about nothing held out."""
    names = {*getattr(getattr(measure, "__code__", None), "co_names", ())}
    asks = "losses" not in names or names & {"asked", "held_out_loss"}
    return "" if asks else "`losses` are those of training. Where is the held-out loss?"


def _problem(first: float, second: float, alone: float, other: float) -> str:
    """Judge the runs by their ends: seeds 0 and 1, 1 alone, 1 with another warm-up."""
    if first == second:
        return "Two seeds end at the same number. Does the seed reach the model and the batches?"
    if alone != second:
        ends = f"Seed 1 ends at {alone:.4f} alone, and at {second:.4f} after seed 0."
        return f"{ends} Does every run begin with a new model, and with its own seed?"
    same = "A warm-up of 1 update ends at the same number as one of 8. Does it reach the schedule?"
    return same if other == alone else ""
