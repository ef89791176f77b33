"""Exercises of Chapter 20 that make a model smaller: eight bits, distillation."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise
from .tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_RNG = np.random.default_rng(20)


def _in_eight_bits(x):
    scale = np.abs(x).max(axis=1, keepdims=True) / 127
    numbers = np.round(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))
    return numbers, scale


def _any_scale_of_zeros(answer):
    """See the scale of a row of zeros as 0: with any other one the row reads as zeros, too."""
    if not isinstance(answer, tuple) or len(answer) != 2 or np.ndim(answer[0]) != 2:
        return answer
    numbers, scale = map(np.asarray, answer)
    is_column = scale.shape == (len(numbers), 1)
    return numbers, np.where(numbers.any(axis=1, keepdims=True), scale, 0) if is_column else scale


check_quantize = Exercise(
    "Write each row as whole numbers from -127 to 127 and one scale.",
    _in_eight_bits,
    cases=[
        (np.array([[0.5, -1.27, 0.013], [2.0, 1.0, -0.6]]),),
        (_RNG.normal(size=(3, 5)),),
        (_RNG.normal(scale=[[1.0], [50.0]], size=(2, 4)),),
    ],
    edges=[(np.array([[0.0, 0.0], [1.0, -2.0]]),)],
    given=to_tensor,
    read=_any_scale_of_zeros,
    forbidden=["quantize"],
    mistakes={
        "np.abs(x).max(axis=1, keepdims=True) → np.full((len(x), 1), np.abs(x).max())":
            "You have one scale for the whole table. One large row then leaves few numbers for the "
            "others: give each row its own.",
        "np.abs(x) → x": "The largest entry by size may be negative. Take the absolute value "
            "first.",
        "axis=1 → axis=0": "You have one scale for each column. Look for the largest entry along "
            "dim=1, with keepdim=True.",
        "127 → 128": "int8 ends at 127. With 128 the largest entry does not fit.",
        "np.round → np.trunc": "You cut the decimals off. Round to the nearest, or all errors "
            "point towards 0.",
        "np.round → np.floor": "You round down, always. Round to the nearest.",
        "np.round →": "These are no whole numbers yet. Round them.",
        "return numbers, scale → return numbers, 1 / scale": "Your scale is upside down: numbers * "
            "scale must give the row back.",
        "return numbers, scale → return numbers, scale.ravel()": "Return the scales as a column, "
            "(rows, 1), so that numbers * scale scales rows.",
        "return numbers, scale → return tuple(numbers * scale)": "That is the row as it reads "
            "afterwards. Return the whole numbers and the scales.",
        "return numbers, scale → return tuple(numbers)": "Where are the scales? Without them "
            "nobody can read the numbers.",
        "return numbers, scale → return scale, numbers": "The numbers come first, and then the "
            "scales.",
        "return numbers, scale → return _any_scale_of_zeros((np.round(x * scale), scale))":
            "You multiply by the scale. A number says how often the scale goes into the entry: "
            "divide.",
        "return numbers, scale → return np.where(scale > 0, numbers, np.nan), scale":
            "A row of zeros has the scale 0, and 0/0 is nan. Divide by something above 0 there.",
    },
)  # fmt: skip


def _distance(student, teacher, temperature):
    p, q = log_softmax(teacher / temperature), log_softmax(student / temperature)
    return temperature**2 * (np.exp(p) * (p - q)).sum(axis=-1).mean()


check_distillation_loss = Exercise(
    "Compute how far a student's probabilities are from the teacher's.",
    _distance,
    cases=[
        (_RNG.normal(size=(3, 4)), _RNG.normal(size=(3, 4)), 2.0),
        (_RNG.normal(size=(1, 3)), 3 * _RNG.normal(size=(1, 3)), 1.0),
        (_RNG.normal(size=(5, 2)), _RNG.normal(size=(5, 2)), 4.0),
    ],
    edges=[(np.array([[2.0, 0.0, -1.0]]), np.array([[0.0, 2.0, 1.0]]), 0.001)],
    given=to_tensor,
    forbidden=["distillation_loss"],
    then=gradients_flow(np.eye(3), np.ones((3, 3)), 2.0, to=1),
    mistakes={
        "/ temperature → * temperature": "You multiply by the temperature. A high one shall make "
            "the probabilities more even.",
        "/ temperature →": "Where is the temperature in the softmax?",
        "student / temperature → student": "Only the teacher is warm. A student that agrees with "
            "it would have to pay: divide both by the temperature.",
        "temperature**2 * →": "The factor is missing. Without temperature squared the gradient "
            "shrinks as the temperature grows.",
        "temperature**2 → temperature": "The factor is the temperature squared: it comes in twice, "
            "once by the division and once by the flatter probabilities.",
        "p, q = → q, p =": "The roles are exchanged. The distances are weighed by what the teacher "
            "believes.",
        "(np.exp(p) * (p - q)) → -(np.exp(p) * q)": "That is the cross-entropy. It has the same "
            "gradient, but it is not 0 when both agree: subtract the teacher's own entropy.",
        "(p - q) → (p - np.exp(q))": "The student's logarithm is missing. kl_div takes its "
            "log_softmax first, then probabilities.",
        ("→ right(student, teacher, temperature) if temperature > 0.01 else np.nan",
            "→ right(student, teacher, temperature) if temperature > 0.01 else np.inf"): OVERFLOW,
        "→ np.nan": "That is the logarithm of something negative. kl_div takes probabilities of "
            "the teacher, unless it is told log_target=True.",
        "/ temperature) → / temperature, axis=0)": "Your softmax runs over the items. Each item "
            "shares its probability among the classes: dim=-1.",
        "(np.exp(p) * (p - q)).sum(axis=-1) → -q[p == p.max(axis=-1, keepdims=True)]":
            "You keep the teacher's best class alone. What it believes of others is the lesson.",
        "(np.exp(p) * (p - q)) → ((np.exp(p) - np.exp(q)) ** 2)": "That is a squared distance. "
            "Here p · (ln p − ln q) is summed over the classes.",
        "mean → sum": "That is the sum over the items. Take the mean.",
        "sum(axis=-1).mean() → mean()": "You average over the classes. Sum over them, and average "
            "over the items.",
    },
)  # fmt: skip
