"""Matrices laid out by columns, for a model that encodes one sentence at a time.

Chapter 20, to come.
"""

from typing import TypeVar

from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def store_by_columns(model: Model) -> Model:
    """Lay out the matrices of a model in memory so that a few tokens are multiplied faster.

    `nn.Linear` computes ``x @ weight.T + bias``. A product of few rows is faster if the numbers of
    ``weight.T`` already follow one another in memory. Values, shapes and names stay as they are,
    and results do up to rounding. For many sentences in one batch it makes no difference.

    Parameters
    ----------
    model : nn.Module
        Changed in place. Weights that were mapped from a file are copied into memory. A table of
        embeddings stays as it is, with a decoder that is tied to it: it is read row by row.

    Returns
    -------
    nn.Module
        The model itself.

    Examples
    --------
    >>> layer = store_by_columns(nn.Linear(3, 2))
    >>> layer.weight.shape, layer.weight.stride()
    (torch.Size([2, 3]), (1, 2))
    """
    parts = list(model.modules())
    tables = {id(part.weight) for part in parts if isinstance(part, nn.Embedding)}
    for part in parts:
        if isinstance(part, nn.Linear) and id(part.weight) not in tables:
            part.weight.data = part.weight.data.T.contiguous().T
    return model
