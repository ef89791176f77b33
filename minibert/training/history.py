"""The history of a run: plain records, in memory and line by line in a file. Chapter 13."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from minibert.disk import written_whole

from .loss_terms import Batch


class Meter:
    """Add up losses, tokens and seconds from one record to the next."""

    def __init__(self, *terms: str) -> None:
        self.sums = dict.fromkeys(terms, 0.0)
        self.labels = dict.fromkeys(terms, 0)
        self.tokens, self.seconds = 0, 0.0
        self.tokens_before, self.seconds_before = 0, 0.0

    def add(
        self, means: Mapping[str, float], labels: Mapping[str, int], tokens: int, seconds: float
    ) -> None:
        """Count one update."""
        for term, count in labels.items():
            self.sums[term] += means[term] * count
            self.labels[term] += count
        self.tokens += tokens
        self.seconds += seconds

    def read(self) -> dict[str, float]:
        """Return the means since the last reading, and start again from zero."""
        fields = sum_of_terms({t: self.sums[t] / n for t, n in self.labels.items() if n})
        tokens, seconds = self.tokens - self.tokens_before, self.seconds - self.seconds_before
        fields |= {"tokens": self.tokens, "seconds": self.seconds}
        fields["tokens_per_second"] = tokens / seconds if seconds else 0.0
        self.sums = dict.fromkeys(self.sums, 0.0)
        self.labels = dict.fromkeys(self.labels, 0)
        self.tokens_before, self.seconds_before = self.tokens, self.seconds
        return fields

    @property
    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold."""
        return dict(vars(self))

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what a checkpoint held."""
        vars(self).update(state)


def sum_of_terms(terms: Mapping[str, float]) -> dict[str, float]:
    """Name the whole loss, and its terms where there are several."""
    several = dict(terms) if len(terms) > 1 else {}
    return {"loss": sum(terms.values())} | several


def count_tokens(batch: Batch) -> int:
    """Count the tokens of a batch, without padding if there is an attention mask."""
    if "attention_mask" in batch:
        return int(batch["attention_mask"].sum().item())
    if "input_ids" in batch:
        return batch["input_ids"].numel()
    return max((len(tensor) for tensor in batch.values() if tensor.ndim), default=0)


class HistoryFile:
    """Keep a file with one record a line in step with a list of records.

    Checkpoints have the history, too; this file is for watching a run. If it cannot be
    written, the run continues with a warning, and the file catches up later.
    """

    def __init__(self, path: Path, records: list[dict[str, Any]]) -> None:
        self.path, self.records = path, records
        self._is_whole = False

    def write(self) -> None:
        """Write all records, in place of what the file held."""
        with self._warning():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(self.path) as draft:
                draft.write_text(json_lines(self.records), encoding="utf-8", newline="\n")
            self._is_whole = True

    def add_last(self) -> None:
        """Write the newest record, and those that could not be written before."""
        if self._is_whole:
            with self._warning(), open(self.path, "a", encoding="utf-8", newline="\n") as file:
                file.write(json_lines(self.records[-1:]))
        else:
            self.write()

    @contextmanager
    def _warning(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._is_whole = False
            warnings.warn(f"{str(self.path)!r} lacks records for now: {error}", stacklevel=4)


def json_lines(records: list[dict[str, Any]]) -> str:
    r"""Write each record on a line of its own."""
    return "".join(json.dumps(record) + "\n" for record in records)


def read_history(path: str | Path) -> list[dict[str, Any]]:
    """Read a history, such as `history.jsonl` in the folder of a run."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
