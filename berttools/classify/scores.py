"""How good are answers, all in all and for each class? Chapter 19."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int


class ClassScores(NamedTuple):
    """How well one class is answered, from 0 to 1, and how many rows it truly has."""

    precision: float
    recall: float
    f1: float
    support: int


def count_confusions(
    labels: Int[np.ndarray, " rows"], answers: Int[np.ndarray, " rows"], classes: int
) -> Int[np.ndarray, "classes classes"]:
    """Count true classes and answers: a row for each class, a column for each answer.

    Parameters
    ----------
    labels, answers : int array, shape (rows,)
        Numbers of classes.
    classes : int
        How many there are.

    Returns
    -------
    int array, shape (classes, classes)
        What is right stands on the diagonal.

    Examples
    --------
    >>> count_confusions(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[1, 1],
           [0, 1]])
    """
    table = np.zeros((classes, classes), dtype=int)
    np.add.at(table, (labels, answers), 1)
    return table


def class_scores(table: Int[np.ndarray, "classes classes"]) -> list[ClassScores]:
    """Compute the scores of each class from `count_confusions`; 0 where nothing can be divided."""
    true, given, right = table.sum(axis=1), table.sum(axis=0), table.diagonal()
    precision, recall = right / np.maximum(given, 1), right / np.maximum(true, 1)
    f1 = 2 * right / np.maximum(given + true, 1)
    columns = zip(precision, recall, f1, true, strict=True)
    return [ClassScores(float(p), float(r), float(f), int(n)) for p, r, f, n in columns]
