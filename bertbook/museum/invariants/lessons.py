"""The invariants of learning: losses, labels, gradients, tied and saved weights. Chapter 26."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from minibert.losses import IGNORED_LABEL

from .promises import INVARIANTS, invariant
from .slopes import may_rest, off_the_slope, weighted, without_gradient
from .tables import how_far_apart
from .trial import ROWS, Nothing, Trial

__all__ = ["INVARIANTS"]


@invariant("Words are read and predicted by one table")
def _table_is_tied(trial: Trial) -> str | None:
    vocab, parts = trial.config.vocab_size, list(trial.model.modules())
    tables = [m.weight for m in parts if isinstance(m, nn.Embedding) and len(m.weight) == vocab]
    decoders = [m.weight for m in parts if isinstance(m, nn.Linear) and m.out_features == vocab]
    wide = [weight for weight in decoders if tables and weight.shape == tables[0].shape]
    if not wide or not getattr(trial.config, "tie_word_embeddings", True):
        return None
    return "" if wide[0] is tables[0] else "words are read and predicted by two tables"


@invariant("The loss is the mean over labels, and nothing else counts")
def _labels_count_alike(trial: Trial) -> str | None:
    labels = trial.labels()
    if labels is None or labels.is_floating_point():
        return None
    row, batch = labels[:1], trial.batch(slice(0, 1))
    if row.dim() == 2:  # tokens: the longest text, with labels up to its last one
        length = trial.longest()
        batch = trial.inputs(trial.words[torch.arange(length) % len(trial.words)][None])
        row, few = torch.full((1, length), IGNORED_LABEL), labels[labels != IGNORED_LABEL]
        row[0, torch.linspace(0, length - 1, len(few)).long()] = few
    said = trial.call(batch)[0].flatten(0, -2).log_softmax(-1)  # (seq or 1, classes)
    places = row.flatten() != IGNORED_LABEL
    wanted = -said[places, row.flatten()[places]].mean()
    with torch.no_grad():
        seen = how_far_apart([trial.loss(batch, row)[None]], [wanted[None]])
    return f"{int(places.sum())} labels, and the mean of their -ln p: {seen}" if seen else ""


@invariant("A batch in parts, weighted by labels, has the loss of the whole")
def _split_batch_is_whole_batch(trial: Trial) -> str | None:
    labels = trial.labels()
    if labels is None:
        return None
    halves = (slice(0, 1), slice(1, ROWS))
    with torch.no_grad():
        whole = trial.loss(trial.batch(), labels)
        losses = torch.stack([trial.loss(trial.batch(half), labels[half]) for half in halves])
    counts = torch.stack([(labels[half] != IGNORED_LABEL).sum() for half in halves])
    seen = how_far_apart([whole[None]], [((losses * counts).sum() / counts.sum())[None]])
    return f"{counts.tolist()} labels, together and weighted: {seen}" if seen else ""


@invariant("A gradient reaches every trainable parameter, and is the slope")
def _gradients_reach_everything(trial: Trial) -> str:
    trial.model, labels, batch = trial.copied(own=True), trial.labels(), trial.batch()
    told = weighted(trial, batch, trial.run)

    def total() -> Float[Tensor, ""]:
        return told() if labels is None else told() + trial.loss(batch, labels)

    total().backward()
    missing = without_gradient(trial.model)
    if seen := off_the_slope(
        trial, total, [p for p in trial.model.parameters() if p.requires_grad]
    ):
        return f"{missing[0]} has no gradient" if missing else seen
    if missing:  # what a head leaves aside, its encoder may still tell
        weighted(trial, batch, trial.encode)().backward()
        missing = without_gradient(trial.model)
    for name in missing:
        if not may_rest(trial, name):
            return f"{name} has no gradient"
    return Nothing(f"{missing[0]} has no part in this") if missing else ""


@invariant("A new model with the saved state gives the same numbers")
def _saved_is_loaded(trial: Trial) -> str | None:
    fresh = trial.built_anew()
    if fresh is None:
        return None
    fresh.load_state_dict(trial.given.state_dict())
    batch = trial.batch()
    return how_far_apart(trial.call(batch, Trial(fresh).model), trial.call(batch))
