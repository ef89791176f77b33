"""A classifier in a folder: the model as transformers opens it, and what its answers are worth.

Chapter 19.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from safetensors.numpy import save_file

from minibert.disk import atomic_write
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading.files import read_json, read_tensors
from minibert.tasks import BertForSequenceClassification
from minibert.wordpiece import WordPieceTokenizer

from .baselines import BagOfWords, FrozenVectors, Linear, frozen_encoder
from .calibration import with_temperature
from .command import FILE
from .table import LabeledTable
from .thresholds import UNKNOWN, decide
from .tuning import logits_of_table

FORMAT, LINEAR = "minibert classifier 2", "linear.safetensors"
LEAST = 3  # tokens: [CLS], one of the text, [SEP]


class Reply(NamedTuple):
    """A label, or None for "I do not know"; the most probable label, and its probability.

    Args:
        label: The answer; None for "I do not know".
        probability: That of the most probable label, 0 to 1.
        guess: The most probable label.
    """

    label: str | None
    probability: float
    guess: str


class Classifier(NamedTuple):
    """A trained classifier, with all that its answers need.

    Args:
        model: Trained. The first holds the names of the classes in ``model.id2label``.
        tokenizer: That of the model; counted words have none.
        max_length: Longer texts are cut to so many tokens.
        column: Which column of a table holds the text.
        temperature: What logits are divided by before the softmax.
        thresholds: For each class the lowest probability with which it is answered; without them
            every text is answered.
        classes: The names, for a model without ``id2label``.
    """

    model: BertForSequenceClassification | FrozenVectors | BagOfWords
    tokenizer: WordPieceTokenizer | None
    max_length: int | None
    column: str
    temperature: float = 1.0
    thresholds: Sequence[float] = ()
    classes: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """The names of the classes, in the order of their numbers."""
        if isinstance(self.model, BertForSequenceClassification):
            return [self.model.id2label[number] for number in range(self.model.num_labels)]
        return [*self.classes]

    def logits(self, table: LabeledTable) -> Float[np.ndarray, "rows classes"]:
        """Score the texts of a table.

        Args:
            table: Its labels are not read.

        Returns:
            Scores that are not divided by the temperature yet.
        """
        if isinstance(self.model, BagOfWords):
            return self.model.logits(table.texts)
        assert self.tokenizer is not None and self.max_length is not None
        if isinstance(self.model, FrozenVectors):
            return self.model.logits(self.tokenizer, table, self.max_length)
        return logits_of_table(self.model, self.tokenizer, table, max_length=self.max_length)

    def answer(self, table: LabeledTable) -> list[Reply]:
        """Answer each row of a table.

        Args:
            table: Its labels are not read.

        Returns:
            One per row.
        """
        probs, names = with_temperature(self.logits(table), self.temperature), self.names
        decided = decide(probs, np.array(self.thresholds or np.zeros(len(names))))
        return [
            Reply(None if d == UNKNOWN else names[d], float(row.max()), names[int(row.argmax())])
            for d, row in zip(decided.tolist(), probs, strict=True)
        ]


def save_classifier(classifier: Classifier, folder: str | Path) -> None:
    """Write a classifier into a folder, so that transformers opens its model, if it has one.

    Args:
        classifier: What to write; temperature and thresholds go into ``classifier.json``, which is
            written last, and a linear classifier on frozen vectors or counted words into
            ``linear.safetensors``.
        folder: Made if it is not there.
    """
    folder, model = Path(folder), classifier.model
    folder.mkdir(parents=True, exist_ok=True)
    fields = {
        "format": FORMAT,
        "max_length": classifier.max_length,
        "column": classifier.column,
        "temperature": classifier.temperature,
        "thresholds": [t if math.isfinite(t) else None for t in classifier.thresholds],
    }
    if isinstance(model, BertForSequenceClassification):
        save_pretrained(model, folder, classifier.tokenizer)
    else:
        fields["classes"] = [*classifier.classes]
        arrays = model.linear._asdict()
        if isinstance(model, FrozenVectors):
            save_pretrained(model.encoder, folder, classifier.tokenizer)
        else:
            fields["terms"] = model.terms
            arrays["rarity"] = model.vectors.idf_
        with atomic_write(folder / LINEAR) as draft:
            save_file({name: np.ascontiguousarray(each) for name, each in arrays.items()}, draft)
    write_json(folder / FILE, fields)


def load_classifier(folder: str | Path) -> Classifier:
    """Load what `save_classifier` has written.

    Args:
        folder: That of a finished classifier.

    Returns:
        On the CPU.

    Raises:
        FileNotFoundError, ValueError: If it is not such a folder, or a file in it is damaged.
    """
    folder = Path(folder)
    fields, path = read_json(folder / FILE), repr(str(folder / FILE))
    if fields.pop("format", None) != FORMAT:
        raise ValueError(f"{path} is damaged or of another version; train again")
    model = _load_model(folder, fields.pop("terms", None), "classes" in fields)
    has_words = isinstance(model, BagOfWords)
    tuned = isinstance(model, BertForSequenceClassification)
    longest = None if has_words else model.config.max_position_embeddings
    checks = _checks(model.num_labels if tuned else len(model.linear.bias), longest)
    if tuned:
        del checks["classes"]
    if names := checks.keys() ^ fields.keys():
        raise ValueError(f"{path} is damaged: {min(names)!r} is missing or unknown; train again")
    for name, (is_right, told) in checks.items():
        if not is_right(fields[name]):
            value = repr(fields[name])[:60]
            raise ValueError(f"{path} is damaged: {name!r} is {value}, not {told}; train again")
    fields["thresholds"] = [math.inf if t is None else float(t) for t in fields["thresholds"]]
    return Classifier(model, None if has_words else load_tokenizer(folder), **fields)


def _checks(count: int, longest: int | None) -> dict[str, tuple[Callable[[Any], bool], str]]:
    """Return for each field of a file what tells whether it is right, and what it should be."""

    def fits(value: Any) -> bool:
        return type(value) is int and longest is not None and LEAST <= value <= longest

    def are_names(value: Any) -> bool:
        names = value if isinstance(value, list) else []
        return all(isinstance(n, str) for n in names) and len(names) == len({*names}) == count

    def are_levels(value: Any) -> bool:
        right_many = isinstance(value, list) and len(value) in (0, count)
        return right_many and all(level is None or _is_number(level, 1.0) for level in value)

    return {
        "max_length": (fits if longest else lambda n: n is None, f"from {LEAST} to {longest}"),
        "column": (lambda value: isinstance(value, str), "the name of a column"),
        "temperature": (lambda t: _is_number(t, math.inf) and t > 0, "a number above 0"),
        "thresholds": (are_levels, f"a probability or null for each of {count} labels"),
        "classes": (are_names, f"{count} names"),
    }


def _is_number(value: Any, most: float) -> bool:
    """Return whether a value is a number from 0 to `most`, and finite."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= most


def _load_model(
    folder: Path, terms: Any, is_linear: bool
) -> BertForSequenceClassification | FrozenVectors | BagOfWords:
    """Load a model, or a linear classifier and what makes the vectors for it."""
    if not is_linear:
        return load_pretrained(BertForSequenceClassification, folder)
    arrays = {name: tensor.numpy() for name, tensor in read_tensors(folder / LINEAR).items()}
    matrix, bias, rarity = (arrays.get(name) for name in ("matrix", "bias", "rarity"))
    if matrix is None or bias is None or matrix.ndim != 2 or matrix.shape[1:] != bias.shape:
        raise ValueError(f"{str(folder / LINEAR)!r} is damaged; train again")
    encoder = frozen_encoder(folder) if terms is None else None
    terms = terms if isinstance(terms, list) and all(isinstance(t, str) for t in terms) else []
    if len(matrix) != (encoder.config.hidden_size if encoder else len(terms)):
        raise ValueError(f"{LINEAR!r} does not fit what lies beside it; train again")
    if encoder:
        return FrozenVectors(encoder, Linear(matrix, bias))
    if rarity is None or len(rarity) != len(terms):
        raise ValueError(f"{str(folder / LINEAR)!r} is damaged; train again")
    return BagOfWords.from_parts(terms, rarity, Linear(matrix, bias))


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON, whole or not at all."""
    with atomic_write(path) as draft:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf-8")
