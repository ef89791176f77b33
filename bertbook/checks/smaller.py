"""Exercises of Chapter 20 that make a model smaller: eight bits, distillation."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is
from .tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_RNG = np.random.default_rng(20)


def _in_eight_bits(x, *, largest=lambda x: np.abs(x).max(axis=1, keepdims=True), most=127,
                   whole=np.round, scale=as_it_is):  # fmt: skip
    """Write rows as whole numbers and one scale each."""
    step = largest(np.asarray(x, dtype=float)) / most
    numbers = np.divide(x, step, out=np.zeros_like(x, dtype=float), where=step > 0)
    return whole(numbers), scale(step)


def _any_scale_of_zeros(answer):
    """See the scale of a row of zeros as 0: with any other one the row reads as zeros, too."""
    if not isinstance(answer, tuple) or len(answer) != 2 or np.ndim(answer[0]) != 2:
        return answer
    numbers, scale = map(np.asarray, answer)
    is_column = scale.shape == (len(numbers), 1)
    return numbers, np.where(numbers.any(axis=1, keepdims=True), scale, 0) if is_column else scale


def _mixed(by):
    """Build the answer of somebody who writes the numbers rightly, and does something with them."""
    return lambda x: by(np.asarray(x), *_in_eight_bits(x))


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
    mistakes=[
        Mistake({"largest": lambda x: np.full((len(x), 1), np.abs(x).max())}, "You have one scale "
                "for the whole table. One large row then leaves few numbers for the others: give "
                "each row its own."),
        Mistake({"largest": lambda x: x.max(axis=1, keepdims=True)}, "The largest entry by size "
                "may be negative. Take the absolute value first."),
        Mistake({"largest": lambda x: np.abs(x).max(axis=0, keepdims=True)}, "You have one scale "
                "for each column. Look for the largest entry along dim=1, with keepdim=True."),
        Mistake({"most": 128}, "int8 ends at 127. With 128 the largest entry does not fit."),
        Mistake({"whole": np.trunc}, "You cut the decimals off. Round to the nearest, or all "
                "errors point towards 0."),
        Mistake({"whole": np.floor}, "You round down, always. Round to the nearest."),
        Mistake({"whole": as_it_is}, "These are no whole numbers yet. Round them."),
        Mistake({"scale": np.reciprocal}, "Your scale is upside down: numbers * scale must give "
                "the row back."),
        Mistake({"scale": np.ravel}, "Return the scales as a column, (rows, 1), so that numbers * "
                "scale scales rows."),
        Mistake(_mixed(lambda x, numbers, scale: tuple(numbers * scale)), "That is the row as it "
                "reads afterwards. Return the whole numbers and the scales."),
        Mistake(_mixed(lambda x, numbers, scale: tuple(numbers)), "Where are the scales? Without "
                "them nobody can read the numbers."),
        Mistake(_mixed(lambda x, numbers, scale: (scale, numbers)), "The numbers come first, and "
                "then the scales."),
        Mistake(_mixed(lambda x, numbers, scale: _any_scale_of_zeros((np.round(x * scale), scale))),
                "You multiply by the scale. A number says how often the scale goes into the entry: "
                "divide."),
        Mistake(_mixed(lambda x, numbers, scale: (
            np.where(x.any(axis=1, keepdims=True), numbers, np.nan), scale)), "A row of zeros has "
                "the scale 0, and 0/0 is nan. Divide by something above 0 there."),
    ],
)  # fmt: skip


def _kl(log_p, log_q):
    return (np.exp(log_p) * (log_p - log_q)).sum(axis=-1)


def _distance(student, teacher, temperature, *, warm=np.divide, factor=np.square, compare=_kl,
              order=as_it_is, reduce=np.mean, shares=log_softmax):  # fmt: skip
    """Compute how far the student's probabilities are from the teacher's."""
    probs = [shares(warm(np.asarray(x), temperature)) for x in order((teacher, student))]
    return reduce(factor(temperature) * compare(*probs))


def _only_teacher_warm(student, teacher, temperature):
    p, q = (log_softmax(np.asarray(x)) for x in (teacher / temperature, student))
    return (temperature**2 * _kl(p, q)).mean()


def _at_small_temperatures(bad):
    """Build the answer of somebody whose distance is no number any more at low temperatures."""
    return lambda *case: bad if case[2] < 0.01 else _distance(*case)


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
    mistakes=[
        Mistake({"warm": np.multiply}, "You multiply by the temperature. A high one shall make "
                "the probabilities more even."),
        Mistake({"warm": lambda x, t: x}, "Where is the temperature in the softmax?"),
        Mistake(_only_teacher_warm, "Only the teacher is warm. A student that agrees with it would "
                "have to pay: divide both by the temperature."),
        Mistake({"factor": np.ones_like}, "The factor is missing. Without temperature squared the "
                "gradient shrinks as the temperature grows."),
        Mistake({"factor": as_it_is}, "The factor is the temperature squared: it comes in twice, "
                "once by the division and once by the flatter probabilities."),
        Mistake({"order": lambda pair: pair[::-1]}, "The roles are exchanged. The distances are "
                "weighed by what the teacher believes."),
        Mistake({"compare": lambda p, q: -(np.exp(p) * q).sum(axis=-1)}, "That is the "
                "cross-entropy. It has the same gradient, but it is not 0 when both agree: "
                "subtract the teacher's own entropy."),
        Mistake({"compare": lambda p, q: (np.exp(p) * (p - np.exp(q))).sum(axis=-1)}, "The "
                "student's logarithm is missing. kl_div takes its log_softmax first, then "
                "probabilities."),
        *(Mistake(_at_small_temperatures(bad), OVERFLOW) for bad in (np.nan, np.inf)),
        Mistake(lambda *case: np.nan, "That is the logarithm of something negative. kl_div takes "
                "probabilities of the teacher, unless it is told log_target=True."),
        Mistake({"shares": lambda x: log_softmax(x, axis=0)}, "Your softmax runs over the items. "
                "Each item shares its probability among the classes: dim=-1."),
        Mistake({"compare": lambda p, q: -q[p == p.max(axis=-1, keepdims=True)]}, "You "
                "keep the teacher's best class alone. What it believes of others is the lesson."),
        Mistake({"compare": lambda p, q: ((np.exp(p) - np.exp(q)) ** 2).sum(axis=-1)}, "That is a "
                "squared distance. Here p · (ln p − ln q) is summed over the classes."),
        Mistake({"reduce": np.sum}, "That is the sum over the items. Take the mean."),
        Mistake({"compare": lambda p, q: _kl(p, q) / p.shape[-1]}, "You average over the classes. "
                "Sum over them, and average over the items."),
    ],
)  # fmt: skip
