"""The invariants of learning: losses, labels, gradients, tied and saved weights. Chapter 26."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from minibert.losses import IGNORED_LABEL

from .forward import INVARIANTS, invariant
from .gradients import may_rest, off_the_slope, weighted, without_gradient
from .harness import ROWS, Batch, Harness, NotApplicable, errors_of_the_model
from .tensors import how_far_apart

__all__ = ["INVARIANTS"]


@invariant("Words are read and predicted by one table")
def _table_is_tied(harness: Harness) -> str | None:
    vocab, parts = harness.config.vocab_size, list(harness.model.modules())
    tables = [m.weight for m in parts if isinstance(m, nn.Embedding) and len(m.weight) == vocab]
    decoders = [m.weight for m in parts if isinstance(m, nn.Linear) and m.out_features == vocab]
    wide = [weight for weight in decoders if tables and weight.shape == tables[0].shape]
    if not wide or not getattr(harness.config, "tie_word_embeddings", True):
        return None
    return "" if wide[0] is tables[0] else "words are read and predicted by two tables"


@invariant("The loss is the mean over labels, and nothing else counts")
def _labels_count_alike(harness: Harness) -> str | NotApplicable | None:
    if spans := harness.spans():
        return _ends_count_alike(harness, spans)
    labels = harness.labels()
    if labels is None or labels.is_floating_point():
        return None
    row, batch = labels[:1], harness.batch(slice(0, 1))
    if row.dim() == 2:  # tokens: the longest text, with labels up to its last one
        length = harness.longest()
        batch = harness.inputs(harness.words[torch.arange(length) % len(harness.words)][None])
        row, few = torch.full((1, length), IGNORED_LABEL), labels[labels != IGNORED_LABEL]
        row[0, torch.linspace(0, length - 1, len(few)).long()] = few
    log_probs = harness.call(batch)[0].flatten(0, -2).log_softmax(-1)  # (seq or 1, classes)
    places = row.flatten() != IGNORED_LABEL
    wanted = -log_probs[places, row.flatten()[places]].mean()
    with torch.no_grad():
        seen = how_far_apart([harness.loss(batch, row)[None]], [wanted[None]])
    return f"{int(places.sum())} labels, and the mean of their -ln p: {seen}" if seen else ""


def _ends_count_alike(harness: Harness, spans: Batch) -> str | NotApplicable:
    """Hold the loss of answers to the mean of -ln p of their first and last token."""
    batch = harness.batch()
    with torch.no_grad():
        output = harness.run(batch, **spans)
    if not {"start_logits", "end_logits"} <= {*dir(output)}:
        return NotApplicable("its answers have no scores of a start and an end")
    wanted = sum(
        functional.cross_entropy(scores, places) / 2
        for scores, places in zip((output.start_logits, output.end_logits), spans.values())
    )
    seen = how_far_apart([output.loss[None]], [torch.as_tensor(wanted)[None]])
    return f"the mean of -ln p of both ends: {seen}" if seen else ""


@invariant("A batch in parts, weighted by labels, has the loss of the whole")
def _split_batch_is_whole_batch(harness: Harness) -> str | None:
    labels = harness.labels()
    if labels is None:
        return None
    halves = (slice(0, 1), slice(1, ROWS))
    with torch.no_grad():
        whole = harness.loss(harness.batch(), labels)
        losses = torch.stack([harness.loss(harness.batch(half), labels[half]) for half in halves])
    counts = torch.stack([(labels[half] != IGNORED_LABEL).sum() for half in halves])
    seen = how_far_apart([whole[None]], [((losses * counts).sum() / counts.sum())[None]])
    return f"{counts.tolist()} labels, together and weighted: {seen}" if seen else ""


@invariant("A gradient reaches every trainable parameter, and is the slope")
def _gradients_reach_everything(harness: Harness) -> str:
    harness.model, labels, batch = harness.copied(own=True), harness.labels(), harness.batch()
    outputs, spans = weighted(harness, batch, harness.run), harness.spans()

    def total() -> Float[Tensor, ""]:
        total = outputs()
        if labels is not None:
            total = total + harness.loss(batch, labels)
        return total + harness.run(batch, **spans).loss if spans else total

    with errors_of_the_model():
        total().backward()
    missing = without_gradient(harness.model)
    if seen := off_the_slope(
        harness, total, [p for p in harness.model.parameters() if p.requires_grad]
    ):
        return f"{missing[0]} has no gradient" if missing else seen
    if missing:  # what a head leaves aside, its encoder may still tell
        weighted(harness, batch, harness.encode)().backward()
        missing = without_gradient(harness.model)
    for name in missing:
        if not may_rest(harness, name):
            return f"{name} has no gradient"
    return NotApplicable(f"{missing[0]} has no part in this") if missing else ""


@invariant("A new model with the saved state gives the same numbers")
def _saved_is_loaded(harness: Harness) -> str | None:
    fresh = harness.built_anew()
    if fresh is None:
        return None
    with errors_of_the_model():
        fresh.load_state_dict(harness.given.state_dict())
    batch = harness.batch()
    return how_far_apart(harness.call(batch, Harness(fresh).model), harness.call(batch))
