"""The history of a run: means since the last record, and a file with one record a line. Chapter 13.

The file is for watching a run; checkpoints hold the history, too.
"""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minibert.disk import atomic_write

from .loss_terms import Batch, sum_of_terms


class LossAverager:
    """Losses, tokens and seconds from one record to the next; `vars` is all its state."""

    def __init__(self, *terms: str) -> None:
        self.sums = dict.fromkeys(terms, 0.0)
        self.labels = dict.fromkeys(terms, 0)
        self.tokens, self.seconds = 0, 0.0
        self.tokens_before, self.seconds_before = 0, 0.0

    def update(
        self, means: Mapping[str, float], labels: Mapping[str, int], tokens: int, seconds: float
    ) -> None:
        """Add one training step."""
        for term, count in labels.items():
            self.sums[term] += means[term] * count
            self.labels[term] += count
        self.tokens += tokens
        self.seconds += seconds

    def flush(self) -> dict[str, float]:
        """Return the means since the last call, and begin the next."""
        fields = sum_of_terms({t: self.sums[t] / n for t, n in self.labels.items() if n})
        tokens, seconds = self.tokens - self.tokens_before, self.seconds - self.seconds_before
        fields |= {"tokens": self.tokens, "seconds": self.seconds}
        fields["tokens_per_second"] = tokens / seconds if seconds else 0.0
        self.sums = dict.fromkeys(self.sums, 0.0)
        self.labels = dict.fromkeys(self.labels, 0)
        self.tokens_before, self.seconds_before = self.tokens, self.seconds
        return fields


def count_tokens(batch: Batch) -> int:
    """Count the tokens of a batch, without padding if there is an attention mask."""
    if "attention_mask" in batch:
        return int(batch["attention_mask"].sum().item())
    if "input_ids" in batch:
        return batch["input_ids"].numel()
    return max((len(tensor) for tensor in batch.values() if tensor.ndim), default=0)


class HistoryFile:
    """A file that follows a list of records; what cannot be written is written later."""

    def __init__(self, path: Path, records: list[dict[str, Any]]) -> None:
        self.path, self.records = path, records
        self._is_whole = False
        self.write()

    def write(self) -> None:
        """Append the newest record; write all, if the file lacks some or has others."""
        try:
            if self._is_whole:
                with open(self.path, "a", encoding="utf-8", newline="\n") as file:
                    file.write(_json_lines(self.records[-1:]))
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with atomic_write(self.path) as temporary:
                    text = _json_lines(self.records)
                    temporary.write_text(text, encoding="utf-8", newline="\n")
            self._is_whole = True
        except OSError as error:
            self._is_whole = False
            warnings.warn(f"{str(self.path)!r} lacks records for now: {error}", stacklevel=3)


def _json_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
