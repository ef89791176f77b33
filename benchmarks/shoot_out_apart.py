"""What a paper changed together, each change alone, for `benchmarks.shoot_out`."""

import statistics
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from bertfamily import AlbertConfig, AlbertForMaskedLM

from .shoot_out_members import (
    BERT,
    LAYERS,
    NARROW,
    Member,
    Taught,
    Words,
    distilbert,
    roberta,
)


class Aligned(Taught):
    """With DistilBERT's third loss, by which vectors point where those of the teacher point."""

    def more(self, own: Tensor, told: Tensor, batch: dict[str, Tensor]) -> Tensor:
        """Add 1 minus the cosine of the last vectors, the mean over all tokens."""
        real = batch["attention_mask"].bool()
        return 1 - functional.cosine_similarity(own[real], told[real], dim=-1).mean()


class Started(Taught):
    """With the teacher's start, and true words only: what the start alone is worth."""

    forward = Words.forward


def started_distilbert(teacher: nn.Module | None) -> nn.Module:
    """Build a DistilBERT that begins as its teacher and is told nothing."""
    return Started(distilbert(None).model, teacher)


def aligned_distilbert(teacher: nn.Module | None) -> nn.Module:
    """Build a DistilBERT that learns by three losses."""
    return Aligned(distilbert(None).model, teacher)


def shared(_: nn.Module | None) -> nn.Module:
    """Build a RoBERTa whose second layer is its first."""
    model = roberta(None)
    model.encoder.encoder.layer[1] = model.encoder.encoder.layer[0]
    return model


def narrow(_: nn.Module | None) -> nn.Module:
    """Build an ALBERT in which each layer has weights of its own."""
    config = AlbertConfig(**BERT, embedding_size=NARROW, num_hidden_groups=LAYERS)
    return Words(AlbertForMaskedLM(config))


APART = {
    "shared layers alone": Member(shared),
    "narrow words alone": Member(narrow),
    "DistilBERT, 3 losses": Member(aligned_distilbert, taught=True),
    "DistilBERT, teacher's start": Member(started_distilbert, taught=True),
}


def time_of_both(runs: list[dict[str, Any]], updates: int) -> int:
    """Return how many updates one layer makes while a teacher and its student learn."""
    teacher, student = (
        statistics.median(
            run["seconds"] for run in runs if (run["member"], run["part"]) == (who, "updates")
        )
        for who in ("RoBERTa", "DistilBERT, alone")
    )
    return round(updates * (teacher + student) / student / 10) * 10
