"""What a run tells of itself: plain records, in memory and line by line in a file."""

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
    """Add up losses, tokens and seconds from one record to the next.

    Parameters
    ----------
    *terms : str
        The terms of the loss.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> meter = Meter("loss")
    >>> meter.add({"loss": 1.0}, {"loss": 30}, tokens=200, seconds=0.5)
    >>> meter.add({"loss": 3.0}, {"loss": 10}, tokens=100, seconds=0.5)
    >>> meter.read()
    {'loss': 1.5, 'tokens': 300, 'seconds': 1.0, 'tokens_per_second': 300.0}
    """

    def __init__(self, *terms: str) -> None:
        self.sums = dict.fromkeys(terms, 0.0)
        self.labels = dict.fromkeys(terms, 0)
        self.tokens, self.seconds = 0, 0.0
        self.tokens_before, self.seconds_before = 0, 0.0

    def add(
        self, means: Mapping[str, float], labels: Mapping[str, int], tokens: int, seconds: float
    ) -> None:
        """Count one update.

        Parameters
        ----------
        means : mapping from str to float
            The mean of each term.
        labels : mapping from str to int
            Over how many labels it is the mean.
        tokens : int
            Tokens of the batches.
        seconds : float
            Time it took.
        """
        for term, count in labels.items():
            self.sums[term] += means[term] * count
            self.labels[term] += count
        self.tokens += tokens
        self.seconds += seconds

    def read(self) -> dict[str, float]:
        """Give the means since the last reading, and begin anew.

        Returns
        -------
        dict
            ``loss``, each term if there are several, ``tokens`` and ``seconds`` of the whole run,
            and ``tokens_per_second`` since the last reading.
        """
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
        """Tell what a checkpoint must hold.

        Returns
        -------
        dict
            For :meth:`restore`.
        """
        return dict(vars(self))

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on with what a checkpoint held.

        Parameters
        ----------
        state : mapping
            From `state`.
        """
        vars(self).update(state)


def sum_of_terms(terms: Mapping[str, float]) -> dict[str, float]:
    """Name the whole loss, and its terms where there are several.

    Parameters
    ----------
    terms : mapping from str to float
        The terms.

    Returns
    -------
    dict from str to float
        ``loss`` is their sum.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> sum_of_terms({"words": 2.0, "pairs": 0.5})
    {'loss': 2.5, 'words': 2.0, 'pairs': 0.5}
    """
    several = dict(terms) if len(terms) > 1 else {}
    return {"loss": sum(terms.values())} | several


def count_tokens(batch: Batch) -> int:
    """Count the tokens of a batch, without padding if there is an attention mask.

    Parameters
    ----------
    batch : mapping from str to tensor
        The arguments of a model.

    Returns
    -------
    int
        Ones in ``attention_mask``, or else entries of ``input_ids``, or else rows.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> import torch
    >>> count_tokens({"attention_mask": torch.tensor([[1, 1, 0], [1, 1, 1]])})
    5
    """
    if "attention_mask" in batch:
        return int(batch["attention_mask"].sum().item())
    if "input_ids" in batch:
        return batch["input_ids"].numel()
    return max((len(tensor) for tensor in batch.values() if tensor.ndim), default=0)


class HistoryFile:
    """Keep a file with one record a line in step with a list of records.

    Checkpoints have the history, too; this file is for whoever wants to watch. If it cannot be
    written, the run goes on with a warning, and the file catches up later.

    Parameters
    ----------
    path : Path
        The file.
    records : list of dict
        The list, which grows.

    References
    ----------
    Chapter 13.
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
    r"""Write each record on a line of its own.

    Parameters
    ----------
    records : list of dict
        Only what JSON can hold.

    Returns
    -------
    str
        One line for each.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> json_lines([{"step": 10, "loss": 2.5}])
    '{"step": 10, "loss": 2.5}\n'
    """
    return "".join(json.dumps(record) + "\n" for record in records)


def read_history(path: str | Path) -> list[dict[str, Any]]:
    """Read a history, such as `history.jsonl` in the folder of a run.

    Parameters
    ----------
    path : str or Path
        A file with one record a line.

    Returns
    -------
    list of dict
        The records.

    References
    ----------
    Chapter 13.
    """
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
