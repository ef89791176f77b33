"""A classifier in a folder: the model as transformers opens it, and what its answers are worth.

Chapter 19.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
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
# As --use takes them, and what is not in the file: it is beside it, or the model knows it.
_METHOD_OF = {
    BertForSequenceClassification: "fine-tuned",
    FrozenVectors: "frozen",
    BagOfWords: "words",
}
_ELSEWHERE = {"model", "tokenizer", "classes"}


class Reply(NamedTuple):
    """A label, or None for "I do not know"; the most probable label, and its probability.

    Parameters
    ----------
    label : str or None
        The answer; None for "I do not know".
    probability : float
        That of the most probable label, 0 to 1.
    guess : str
        The most probable label.
    """

    label: str | None
    probability: float
    guess: str


class Classifier(NamedTuple):
    """A trained classifier, with all that its answers need.

    Parameters
    ----------
    model : BertForSequenceClassification, FrozenVectors or BagOfWords
        Trained. The first holds the names of the classes in ``model.id2label``.
    tokenizer : WordPieceTokenizer or None
        That of the model; counted words have none.
    max_length : int or None
        Longer texts are cut to so many tokens.
    columns : dict from str to str or None
        Which columns of a table hold the text and its pair.
    temperature : float, default 1.0
        What logits are divided by before the softmax.
    thresholds : sequence of float, optional
        For each class the lowest probability with which it is answered; without them every text is
        answered.
    classes : sequence of str, optional
        The names, for a model without ``id2label``.
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

        Parameters
        ----------
        table : LabeledTable
            Its texts are read.

        Returns
        -------
        Float[ndarray, "rows classes"]
            Scores, not yet divided by the temperature.
        """
        if isinstance(self.model, BagOfWords):
            return self.model.logits(table)
        assert self.tokenizer is not None and self.max_length is not None
        if isinstance(self.model, FrozenVectors):
            return self.model.logits(self.tokenizer, table, self.max_length)
        return logits_of_table(self.model, self.tokenizer, table, max_length=self.max_length)

    def probabilities(self, table: LabeledTable) -> Float[np.ndarray, "rows classes"]:
        """Return the probability of each class for each row.

        Parameters
        ----------
        table : LabeledTable
            Its texts are read.

        Returns
        -------
        Float[ndarray, "rows classes"]
            ``softmax(logits / temperature)``; rows sum to 1.
        """
        return with_temperature(self.logits(table), self.temperature)

    def answer(self, table: LabeledTable) -> list[Reply]:
        """Answer each row of a table.

        Parameters
        ----------
        table : LabeledTable
            Its texts are read.

        Returns
        -------
        list of Reply
            One for each row.
        """
        probs, names = self.probabilities(table), self.names
        decided = decide(probs, np.array(self.thresholds or np.zeros(len(names))))
        return [
            Reply(None if d == UNKNOWN else names[d], float(row.max()), names[int(row.argmax())])
            for d, row in zip(decided.tolist(), probs, strict=True)
        ]


def save_classifier(classifier: Classifier, folder: str | Path) -> None:
    """Write a classifier into a folder, so that transformers opens its model, if it has one.

    Parameters
    ----------
    classifier : Classifier
        What to write; temperature and thresholds go into ``classifier.json``, and a linear
        classifier on frozen vectors or counted words into ``linear.safetensors``.
    folder : str or Path
        Made if it is not there.
    """
    folder, model = Path(folder), classifier.model
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(model, BagOfWords):
        whole = model.encoder if isinstance(model, FrozenVectors) else model
        save_pretrained(whole, folder, classifier.tokenizer)
    if isinstance(model, BagOfWords):
        write_json(folder / WORDS, {"terms": model.terms})
        _write_arrays(folder, {**model.linear._asdict(), "rarity": model.vectors.idf_})
    elif isinstance(model, FrozenVectors):
        _write_arrays(folder, model.linear._asdict())
    fields = {"format": FORMAT, "method": _METHOD_OF[type(model)], **classifier._asdict()}
    fields["thresholds"] = [t if math.isfinite(t) else None for t in classifier.thresholds]
    for name in {*_ELSEWHERE} - ({"classes"} if classifier.classes else set()):
        del fields[name]
    write_json(folder / FILE, fields)


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
    fields, path = read_json(folder / FILE), repr(str(folder / FILE))
    method = fields.pop("method", "fine-tuned")
    if fields.pop("format", None) != FORMAT or method not in _METHOD_OF.values():
        raise ValueError(f"{path} is damaged or of another version; train again")
    tokenizer = None if method == "words" else load_tokenizer(folder)
    if method == "words":
        model, classes = _load_words(folder)
        longest = None
    elif method == "frozen":
        model, classes = _load_frozen(folder)
        longest = model.encoder.config.max_position_embeddings
    else:
        model = load_pretrained(BertForSequenceClassification, folder)
        classes, longest = model.num_labels, model.config.max_position_embeddings
    wanted = {*Classifier._fields} - _ELSEWHERE | ({"classes"} if method != "fine-tuned" else set())
    if problem := damage(fields, wanted, classes, longest):
        raise ValueError(f"{path} is damaged: {problem}; train again")
    fields["thresholds"] = [math.inf if t is None else float(t) for t in fields["thresholds"]]
    return Classifier(model, tokenizer, **fields)


def _write_arrays(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    with atomic_write(folder / LINEAR) as draft:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, draft)


def _read_arrays(folder: Path) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in read_tensors(folder / LINEAR).items()}


def _load_words(folder: Path) -> tuple[BagOfWords, int]:
    terms, arrays = read_json(folder / WORDS).get("terms"), _read_arrays(folder)
    linear, rarity = _linear_of(folder, arrays), arrays.get("rarity")
    terms = [term for term in terms if isinstance(term, str)] if isinstance(terms, list) else []
    if rarity is None or not len(terms) == len(rarity) == len(linear.matrix):
        raise ValueError(f"{WORDS!r} and {LINEAR!r} do not fit together; train again")
    return BagOfWords.from_parts(terms, rarity, linear), len(linear.bias)


def _load_frozen(folder: Path) -> tuple[FrozenVectors, int]:
    encoder, linear = frozen_encoder(folder), _linear_of(folder, _read_arrays(folder))
    if len(linear.matrix) != encoder.config.hidden_size:
        raise ValueError(f"{LINEAR!r} does not fit the model beside it; train again")
    return FrozenVectors(encoder, linear), len(linear.bias)


def _linear_of(folder: Path, arrays: dict[str, np.ndarray]) -> Linear:
    matrix, bias = arrays.get("matrix"), arrays.get("bias")
    if matrix is None or bias is None or matrix.ndim != 2 or matrix.shape[1:] != bias.shape:
        raise ValueError(f"{str(folder / LINEAR)!r} is damaged; train again")
    return Linear(matrix, bias)


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON, whole or not at all."""
    with atomic_write(path) as draft:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf-8")


def damage(
    fields: Mapping[str, Any], wanted: Collection[str], classes: int, longest: int | None
) -> str | None:
    """Say what is wrong with the fields of a file, or return None.

    `longest` is the most tokens that the model reads; None for one that reads no tokens.
    """
    if names := {*wanted} - {*fields}:
        return f"it has no {min(names)!r}"
    if names := {*fields} - {*wanted}:
        return f"nobody knows its {min(names)!r}"
    length, columns, heat, levels = (
        fields[name] for name in ("max_length", "columns", "temperature", "thresholds")
    )
    if longest is None and length is not None:
        return f"'max_length' is {length!r}, though it reads no tokens"
    if longest is not None and not (type(length) is int and LEAST <= length <= longest):
        return f"'max_length' is {length!r}, not from {LEAST} to {longest}"
    names = {"pair": None} | columns if isinstance(columns, dict) else {}
    is_text = isinstance(names.get("text"), str) and isinstance(names.get("pair"), str | None)
    if {*names} != {"text", "pair"} or not is_text:
        return f"'columns' is {columns!r}, not the names of a text and its pair"
    if not _is_number(heat, math.inf) or heat == 0:
        return f"'temperature' is {heat!r}, no number above 0"
    if not isinstance(levels, list) or len(levels) not in (0, classes):
        return f"'thresholds' is {str(levels)[:60]}, not one number for each of {classes} labels"
    if wrong := [level for level in levels if level is not None and not _is_number(level, 1.0)]:
        return f"{wrong[0]!r} in 'thresholds' is no probability"
    if "classes" not in fields:
        return None
    given = fields["classes"]
    are_texts = isinstance(given, list) and all(isinstance(name, str) for name in given)
    is_whole = are_texts and len({*given}) == len(given) == classes
    return None if is_whole else f"'classes' is {str(given)[:60]}, not {classes} names"


def _is_number(value: Any, most: float) -> bool:
    """Return whether a value is a number from 0 to `most`, and finite."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= most
