"""A classifier in a folder: the model as transformers opens it, and what its answers are worth.

Chapter 19.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from minibert.disk import written_whole
from minibert.pretrained import load_pretrained, load_tokenizer, save_pretrained
from minibert.pretrained.files import read_json
from minibert.tasks import BertForSequenceClassification
from minibert.wordpiece import WordPieceTokenizer

from .calibration import with_temperature
from .table import LabeledTable
from .thresholds import UNKNOWN, decide
from .tuning import logits_of_table

FILE, FORMAT = "classifier.json", "minibert classifier 1"
LEAST = 3  # tokens: [CLS], one of the text, [SEP]


class Reply(NamedTuple):
    """A label, or None for "I do not know"; the most probable label, and its probability."""

    label: str | None
    probability: float
    guess: str


class Classifier(NamedTuple):
    """A trained classifier, with all that its answers need.

    Parameters
    ----------
    model : BertForSequenceClassification
        Trained; ``model.id2label`` holds the names of the classes.
    tokenizer : WordPieceTokenizer
        That of the model.
    max_length : int
        Longer texts are cut to so many tokens.
    columns : dict from str to str or None
        Which columns of a table hold the text and its pair.
    temperature : float, default 1.0
        What logits are divided by before the softmax.
    thresholds : sequence of float, optional
        For each class the lowest probability with which it is answered; without them every text is
        answered.
    """

    model: BertForSequenceClassification
    tokenizer: WordPieceTokenizer
    max_length: int
    columns: dict[str, str | None]
    temperature: float = 1.0
    thresholds: Sequence[float] = ()

    def logits(self, table: LabeledTable) -> Float[np.ndarray, "rows classes"]:
        """Score the texts of a table."""
        return logits_of_table(self.model, self.tokenizer, table, max_length=self.max_length)

    def probabilities(self, table: LabeledTable) -> Float[np.ndarray, "rows classes"]:
        """Return the probability of each class for each row."""
        return with_temperature(self.logits(table), self.temperature)

    def answer(self, table: LabeledTable) -> list[Reply]:
        """Answer each row of a table."""
        probs, names = self.probabilities(table), self.model.id2label
        decided = decide(probs, np.array(self.thresholds or np.zeros(len(names))))
        return [
            Reply(None if d == UNKNOWN else names[d], float(row.max()), names[int(row.argmax())])
            for d, row in zip(decided.tolist(), probs, strict=True)
        ]


def save_classifier(classifier: Classifier, folder: str | Path) -> None:
    """Write a classifier into a folder, so that transformers opens its model.

    Parameters
    ----------
    classifier : Classifier
        What to write; temperature and thresholds go into ``classifier.json``.
    folder : str or Path
        Made if it is not there.
    """
    save_pretrained(classifier.model, folder, classifier.tokenizer)
    told = {"format": FORMAT, **classifier._asdict()}
    told["thresholds"] = [t if math.isfinite(t) else None for t in classifier.thresholds]
    del told["model"], told["tokenizer"]
    write_json(Path(folder) / FILE, told)


def load_classifier(folder: str | Path) -> Classifier:
    """Load what `save_classifier` has written.

    Parameters
    ----------
    folder : str or Path
        That of a finished classifier.

    Returns
    -------
    Classifier
        On the CPU.

    Raises
    ------
    FileNotFoundError, ValueError
        If it is not such a folder, or a file in it is damaged.
    """
    folder = Path(folder)
    told = read_json(folder / FILE)
    path = repr(str(folder / FILE))
    if told.pop("format", None) != FORMAT:
        raise ValueError(f"{path} is damaged or of another version; train again")
    model = load_pretrained(BertForSequenceClassification, folder)
    if damage := _damage(told, model):
        raise ValueError(f"{path} is damaged: {damage}; train again")
    told["thresholds"] = [math.inf if t is None else float(t) for t in told["thresholds"]]
    return Classifier(model, load_tokenizer(folder), **told)


def _damage(told: dict[str, Any], model: BertForSequenceClassification) -> str | None:
    """Say what is wrong with the fields of a file, or return None."""
    wanted = {*Classifier._fields} - {"model", "tokenizer"}
    if names := wanted - {*told}:
        return f"it has no {min(names)!r}"
    if names := {*told} - wanted:
        return f"nobody knows its {min(names)!r}"
    most, columns = model.config.max_position_embeddings, told["columns"]
    if not (type(told["max_length"]) is int and LEAST <= told["max_length"] <= most):
        return f"'max_length' is {told['max_length']!r}, not from {LEAST} to {most}"
    if not _is_number(told["temperature"], math.inf) or told["temperature"] == 0:
        return f"'temperature' is {told['temperature']!r}, no number above 0"
    names = ({"text"}, {"text", "pair"})
    if not isinstance(columns, dict) or {*columns} not in names or columns["text"] is None:
        return f"'columns' is {columns!r}, not the names of a text and its pair"
    if any(name is not None and not isinstance(name, str) for name in columns.values()):
        return f"'columns' is {columns!r}, not the names of a text and its pair"
    levels, classes = told["thresholds"], model.num_labels
    if not isinstance(levels, list) or len(levels) not in (0, classes):
        return f"'thresholds' is {str(levels)[:60]}, not one number for each of {classes} labels"
    if wrong := [level for level in levels if level is not None and not _is_number(level, 1.0)]:
        return f"{wrong[0]!r} in 'thresholds' is no probability"
    return None


def _is_number(value: object, most: float) -> bool:
    """Return whether a value is a number from 0 to `most`, and finite."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= most


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON, whole or not at all."""
    with written_whole(path) as draft:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf-8")
