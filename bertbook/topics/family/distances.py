"""The scores of disentangled attention, taken apart into words, c2p and p2c. Chapter 25."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import torch
from jaxtyping import Float, Int
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.figure import Figure

from bertbook.core.palette import PALETTE
from bertbook.core.visualize import SEQUENTIAL
from bertfamily import DebertaV2ForMaskedLM
from bertfamily.deberta_v2 import DisentangledSelfAttention

# Both colors fade to nothing at 0, so that the page shines through.
SIGNED = LinearSegmentedColormap.from_list(
    "signed",
    [
        *((0.0, to_rgba(PALETTE[1], 0.8)), (0.5, to_rgba(PALETTE[1], 0.0))),
        *((0.5, to_rgba(PALETTE[0], 0.0)), (1.0, to_rgba(PALETTE[0], 0.8))),
    ],
)


@torch.no_grad()
def scores_apart(
    model: DebertaV2ForMaskedLM, ids: Int[torch.Tensor, "1 seq"]
) -> dict[str, Float[np.ndarray, "seq seq"]]:
    """Compute the three terms of the scores in the first head of the first layer.

    Args:
        model: With c2p and p2c.
        ids: One text without padding.

    Returns:
        Under "words", "c2p" and "p2c" the terms, each divided by √(3d) as their sum is, and under
        "attention" the weights that the head itself returns.
    """
    attention, *_ = (m for m in model.modules() if isinstance(m, DisentangledSelfAttention))
    assert attention.table is not None
    states, table = model.bert.embeddings(ids), attention.table()[None]
    query = attention.split_heads(attention.query(states))  # (1, heads, seq, head_size)
    key = attention.split_heads(attention.key(states))  # (1, heads, seq, head_size)
    nothing = torch.zeros_like(query)
    terms = {
        "words": query @ key.mT,
        "c2p": attention.score_distances(query, nothing, table),
        "p2c": attention.score_distances(nothing, key, table),
    }
    root = (3 * attention.head_size) ** 0.5
    apart = {name: (term[0, 0] / root).numpy() for name, term in terms.items()}
    return apart | {"attention": attention(states, output_attentions=True)[1][0, 0].numpy()}


def draw_scores_apart(apart: dict[str, Float[np.ndarray, "seq seq"]]) -> Figure:
    """Draw the three terms in one scale, blue above 0 and orange below, and the weights.

    Args:
        apart: From `scores_apart`.

    Returns:
        Four maps; a query is a row, a key a column.
    """
    figure, axes = plt.subplots(2, 2, figsize=(4.2, 4.5))
    largest = max(np.abs(apart[name]).max() for name in ("words", "c2p", "p2c"))
    for axis, (name, values) in zip(axes.flat, apart.items()):
        weights = name == "attention"
        lowest, highest = (0, 1) if weights else (-largest, largest)
        axis.imshow(values, cmap=SEQUENTIAL if weights else SIGNED, vmin=lowest, vmax=highest)
        axis.set(xticks=[], yticks=[], xlabel="key", ylabel="query")
        axis.set_title(name, fontsize=11)
    figure.tight_layout()
    return figure
