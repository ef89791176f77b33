"""A classifier in a folder: the model as transformers opens it, and what its answers are worth.

Chapter 19.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
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
from .table import LabeledTable
from .thresholds import UNKNOWN, decide
from .tuning import logits_of_table

FILE, FORMAT = "classifier.json", "minibert classifier 1"
LINEAR, WORDS = "linear.safetensors", "words.json"
LEAST = 3  # tokens: [CLS], one of the text, [SEP]
# As --use takes them.
_METHOD_OF = {
    BertForSequenceClassification: "fine-tuned",
    FrozenVectors: "frozen",
    BagOfWords: "words",
}
_FIELDS = ("max_length", "columns", "temperature", "thresholds")


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
        columns: Which columns of a table hold the text and its pair.
        temperature: What logits are divided by before the softmax.
        thresholds: For each class the lowest probability with which it is answered; without them
            every text is answered.
        classes: The names, for a model without ``id2label``.
    """

    model: BertForSequenceClassification | FrozenVectors | BagOfWords
    tokenizer: WordPieceTokenizer | None
    max_length: int | None
    columns: dict[str, str | None]
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
            return self.model.logits(table.whole_texts)
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
        classifier: What to write; temperature and thresholds go into ``classifier.json``, and a
            linear classifier on frozen vectors or counted words into ``linear.safetensors``.
        folder: Made if it is not there.
    """
    folder, model = Path(folder), classifier.model
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(model, BagOfWords):
        write_json(folder / WORDS, {"terms": model.terms})
        _write_arrays(folder, {**model.linear._asdict(), "rarity": model.vectors.idf_})
    elif isinstance(model, FrozenVectors):
        save_pretrained(model.encoder, folder, classifier.tokenizer)
        _write_arrays(folder, model.linear._asdict())
    else:
        save_pretrained(model, folder, classifier.tokenizer)
    fields = {name: getattr(classifier, name) for name in _FIELDS}
    fields["thresholds"] = [t if math.isfinite(t) else None for t in classifier.thresholds]
    fields |= {"classes": [*classifier.classes]} if classifier.classes else {}
    write_json(folder / FILE, {"format": FORMAT, "method": _METHOD_OF[type(model)], **fields})


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
    method = fields.pop("method", "fine-tuned")
    if fields.pop("format", None) != FORMAT or method not in _METHOD_OF.values():
        raise ValueError(f"{path} is damaged or of another version; train again")
    if method == "fine-tuned":
        model, wanted = load_pretrained(BertForSequenceClassification, folder), {*_FIELDS}
        classes = model.num_labels
    else:
        model, wanted = _load_linear(folder, method == "words"), {*_FIELDS, "classes"}
        classes = len(model.linear.bias)
    tokenizer = None if isinstance(model, BagOfWords) else load_tokenizer(folder)
    longest = 0 if isinstance(model, BagOfWords) else model.config.max_position_embeddings
    if names := wanted ^ {*fields}:
        raise ValueError(f"{path} is damaged: {min(names)!r} is missing or unknown; train again")
    for name, (is_right, told) in _checks(fields, classes, longest).items():
        if name in fields and not is_right:
            value = repr(fields[name])[:60]
            raise ValueError(f"{path} is damaged: {name!r} is {value}, not {told}; train again")
    fields["thresholds"] = [math.inf if t is None else float(t) for t in fields["thresholds"]]
    return Classifier(model, tokenizer, **fields)


def _checks(fields: Mapping[str, Any], classes: int, longest: int) -> dict[str, tuple[bool, str]]:
    """Say of each field of a file whether it is right, and what it should be."""
    length, columns, heat, levels = (fields[name] for name in _FIELDS)
    names, given = (
        {"pair": None} | (columns if isinstance(columns, dict) else {}),
        fields.get("classes"),
    )
    is_list = isinstance(levels, list) and len(levels) in (0, classes)
    fits = type(length) is int and LEAST <= length <= longest
    return {
        "max_length": (fits if longest else length is None, f"from {LEAST} to {longest}"),
        "columns": (
            {*names} == {"text", "pair"}
            and isinstance(names["text"], str)
            and isinstance(names["pair"], str | None),
            "the names of a text and its pair",
        ),
        "temperature": (_is_number(heat, math.inf) and heat > 0, "a number above 0"),
        "thresholds": (
            is_list and all(level is None or _is_number(level, 1.0) for level in levels),
            f"a probability or null for each of {classes} labels",
        ),
        "classes": (
            isinstance(given, list)
            and all(isinstance(name, str) for name in given)
            and len({*given}) == len(given) == classes,
            f"{classes} names",
        ),
    }


def _is_number(value: Any, most: float) -> bool:
    """Return whether a value is a number from 0 to `most`, and finite."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= most


def _load_linear(folder: Path, counts_words: bool) -> BagOfWords | FrozenVectors:
    """Load a linear classifier, and what makes the vectors for it."""
    arrays = {name: tensor.numpy() for name, tensor in read_tensors(folder / LINEAR).items()}
    matrix, bias, rarity = (arrays.get(name) for name in ("matrix", "bias", "rarity"))
    if matrix is None or bias is None or matrix.ndim != 2 or matrix.shape[1:] != bias.shape:
        raise ValueError(f"{str(folder / LINEAR)!r} is damaged; train again")
    linear = Linear(matrix, bias)
    if not counts_words:
        encoder = frozen_encoder(folder)
        if len(matrix) != encoder.config.hidden_size:
            raise ValueError(f"{LINEAR!r} does not fit the model beside it; train again")
        return FrozenVectors(encoder, linear)
    terms = read_json(folder / WORDS).get("terms")
    terms = [term for term in terms if isinstance(term, str)] if isinstance(terms, list) else []
    if rarity is None or not len(terms) == len(rarity) == len(matrix):
        raise ValueError(f"{WORDS!r} and {LINEAR!r} do not fit together; train again")
    return BagOfWords.from_parts(terms, rarity, linear)


def _write_arrays(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    with atomic_write(folder / LINEAR) as draft:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, draft)


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON, whole or not at all."""
    with atomic_write(path) as draft:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf-8")
