"""Matrices laid out by columns, for a model that encodes one sentence at a time. Chapter 23."""

from typing import TypeVar

from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def store_by_columns(model: Model) -> Model:
    """Lay out the matrices of a model in memory so that a few tokens are multiplied faster.

    `nn.Linear` computes ``x @ weight.T + bias``, and a product of few rows is faster if the numbers
    of ``weight.T`` follow one another in memory. The model is changed in place: values, shapes and
    names stay, results do up to rounding, and weights mapped from a file are copied. Tables of
    embeddings stay as they are, since they are read row by row.

    Parameters
    ----------
    model : nn.Module
        Changed in place.

    Returns
    -------
    nn.Module
        The same one.
    """
    parts = list(model.modules())
    tables = {id(part.weight) for part in parts if isinstance(part, nn.Embedding)}
    for part in parts:
        if isinstance(part, nn.Linear) and id(part.weight) not in tables:
            part.weight.data = part.weight.data.T.contiguous().T
    return model
