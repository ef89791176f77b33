"""Measures of attention, and experiments with it: where heads look, and what changes if they stop.

Each measure is one number for every head and every sequence, so that a head can be described by a
mean over many sentences with its uncertainty, and not by a picture of one. Chapter 20.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Real, Shaped
from torch import Tensor, nn

from minibert.model import BertModel

REPEATS, ENDS = 2000, (0.025, 0.975)  # of the bootstrap: how many means, and which are the ends


def offset_mask(
    attention_mask: Shaped[Tensor, "batch seq"], offset: int
) -> Bool[Tensor, "batch seq seq"]:
    """Mark, for every token, the token that stands a fixed number of places away.

    ``targets[b, i, j]`` is true if ``j == i + offset`` and both tokens are real.

    Args:
        attention_mask: 1 for a token, 0 for padding.
        offset: -1 is the previous token, 0 the token itself, 1 the next one.

    Returns:
        At most one true entry in each row.

    >>> offset_mask(torch.tensor([[1, 1, 0]]), -1).int()
    tensor([[[0, 0, 0],
             [1, 0, 0],
             [0, 0, 0]]], dtype=torch.int32)
    """
    real = attention_mask.bool()
    places = torch.arange(real.shape[1], device=real.device)
    beside = places[None, :] == places[:, None] + offset
    return beside & real[:, :, None] & real[:, None, :]


def token_mask(
    input_ids: Int[Tensor, "batch seq"],
    wanted: Collection[int],
    attention_mask: Shaped[Tensor, "batch seq"],
) -> Bool[Tensor, "batch seq seq"]:
    """Mark, for every token, the places of all tokens with certain ids, for example [SEP].

    ``targets[b, i, j]`` is true if ``input_ids[b, j]`` is wanted and both tokens are real.

    Args:
        input_ids: The tokens.
        wanted: Ids to look for.
        attention_mask: 1 for a token, 0 for padding.

    Returns:
        The same row for every real token of a sequence.

    >>> ids, mask = torch.tensor([[2, 7, 3]]), torch.ones(1, 3)
    >>> token_mask(ids, [3], mask)[0, 0]
    tensor([False, False,  True])
    """
    real = attention_mask.bool()
    is_wanted = torch.isin(input_ids, torch.tensor(list(wanted), device=input_ids.device))
    return is_wanted[:, None, :] & real[:, :, None] & real[:, None, :]


def attention_share(
    probs: Float[Tensor, "batch heads seq seq"],
    targets: Bool[Tensor, "batch seq seq"],
) -> Float[Tensor, "batch heads"]:
    """Measure how much of its attention each head spends on given targets.

    The mean, over the queries i that have a target, of the sum of ``probs[i, j]`` over the targets
    j of i.

    Args:
        probs: Attention weights of one layer; rows sum to 1.
        targets: Which keys are a target for which query. Queries without any do not count.

    Returns:
        Between 0 and 1; NaN for a sequence without any target.

    Source: Clark et al. (2019), section 3.

    >>> probs = torch.tensor([[[[0.5, 0.5], [0.75, 0.25]]]])
    >>> attention_share(probs, offset_mask(torch.ones(1, 2), -1))
    tensor([[0.7500]])
    """
    queries = targets.any(dim=-1)  # (batch, seq)
    spent = (probs * targets[:, None]).sum(dim=-1) * queries[:, None]
    return spent.sum(dim=-1) / queries.sum(dim=-1)[:, None]


def bootstrap_interval(
    values: Float[np.ndarray, "rows ..."],
    *,
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "..."]]:
    """Return the 95 % interval for the mean of a sample, by resampling (bootstrap).

    As many rows as there are are drawn 2000 times, with replacement, and their mean is taken. The
    interval leaves out the lowest and the highest 2.5 % of these means.

    Args:
        values: One row for each independent unit, such as a sentence.
        rng: The source of chance.

    Returns:
        low: The lower end of the interval, in the shape of one row.
        high: The upper end.

    Raises:
        ValueError: If there are fewer than 2 rows.

    Source: Efron (1979).

    >>> low, high = bootstrap_interval(np.arange(101.0), rng=np.random.default_rng(0))
    >>> bool(40 < low < 50 < high < 60)
    True
    """
    if len(values) < 2:
        raise ValueError(f"an interval needs at least 2 rows, not {len(values)}; measure more")
    drawn = rng.multinomial(len(values), np.full(len(values), 1 / len(values)), size=REPEATS)
    means = np.tensordot(drawn / len(values), values, axes=1)
    low, high = np.quantile(means, ENDS, axis=0)
    return np.asarray(low), np.asarray(high)


def grouped_interval(
    sums: Shaped[np.ndarray, " groups"],
    counts: Shaped[np.ndarray, " groups"],
    *,
    rng: np.random.Generator,
    repeats: int = REPEATS,
) -> tuple[float, float]:
    """Return the 95 % interval for a mean over what groups hold, by drawing whole groups again.

    >>> grouped_interval(np.array([4.0, 2.0]), np.array([2, 1]), rng=np.random.default_rng(0))
    (2.0, 2.0)
    """
    drawn = rng.integers(len(sums), size=(repeats, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), ENDS)
    return float(low), float(high)


def rank_correlation(first: Real[np.ndarray, "..."], second: Real[np.ndarray, "..."]) -> float:
    """Measure how far two lists of numbers agree on the order.

    Spearman's coefficient: the correlation of the ranks. Equal numbers share their mean rank.

    Args:
        first, second: One number each for the same things, in one dimension.

    Returns:
        1 for the same order, -1 for the reverse; NaN if one list has no order at all.

    Raises:
        ValueError: If the lists do not have the same length.

    Source: Spearman (1904).

    >>> rank_correlation(np.array([0.1, 0.2, 0.7]), np.array([1.0, 10, 100]))
    1.0
    """
    if len(first) != len(second):
        raise ValueError(
            f"first has {len(first)} numbers and second {len(second)}; give one each for the same "
            "things"
        )
    a, b = (ranks - ranks.mean() for ranks in (_ranks(first), _ranks(second)))
    size = np.sqrt((a @ a) * (b @ b))
    return round(float(a @ b / size), 12) if size else float("nan")


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value; equal ones share their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


@contextmanager
def patch_heads(
    model: BertModel,
    contexts: Mapping[tuple[int, int], Float[Tensor, "..."] | float],
) -> Iterator[None]:
    """Replace what some heads bring home, for the length of a `with` block.

    With the contexts of another text this is activation patching; with a mean, mean ablation; with
    0, the head is silent.

    Args:
        model: The encoder; ``model.bert`` of a model with a head.
        contexts: For each head, both numbers counted from 0, what stands in the place of its
            context: any shape that fits (batch, seq, head_size).

    Yields:
        While the heads are replaced; the weights are never touched.

    Raises:
        ValueError: If the model has no such head.

    Source: Vig et al. (2020), section 3.

    >>> from minibert.config import BertConfig
    >>> model = BertModel(BertConfig.tiny(vocab_size=9)).eval()
    >>> ids = torch.tensor([[1, 2, 3]])
    >>> with patch_heads(model, {(0, 1): 0.0}):
    ...     silent = model(ids).last_hidden_state
    >>> bool(torch.equal(silent, model(ids).last_hidden_state))
    False
    """
    config, hooks = model.config, []
    for layer, head in contexts:
        if not (0 <= layer < config.num_hidden_layers and 0 <= head < config.num_attention_heads):
            raise ValueError(
                f"there is no head {head} in layer {layer}: this model has "
                f"{config.num_hidden_layers} layers with {config.num_attention_heads} heads, "
                "both counted from 0"
            )

    def replace(output: nn.Module, inputs: tuple[Tensor, ...], layer: int) -> tuple[Tensor, ...]:
        heads = inputs[0].unflatten(-1, (-1, config.head_size)).clone()
        for (own, head), context in contexts.items():
            if own == layer:
                heads[..., head, :] = context  # (batch, seq, head_size)
        return heads.flatten(-2), *inputs[1:]

    try:
        for layer in {layer for layer, _ in contexts}:
            output = model.get_submodule(f"encoder.layer.{layer}.attention.output")
            hooks.append(output.register_forward_pre_hook(partial(replace, layer=layer)))
        yield
    finally:
        for hook in hooks:
            hook.remove()


def ablate_heads(
    model: BertModel,
    heads: Collection[tuple[int, int]],
) -> AbstractContextManager[None]:
    """Silence some heads, each (layer, head), for a `with` block, as `patch_heads` does with 0."""
    return patch_heads(model, dict.fromkeys(heads, 0.0))
