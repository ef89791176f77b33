"""A classifier in a folder, whose model transformers opens, and its answers. Chapter 19."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import nn

from minibert.disk import atomic_write
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading.files import read_json, read_tensors
from minibert.model import BertModel
from minibert.tasks import BertForSequenceClassification
from minibert.tasks.inference import encode_rows, predict, sentence_vectors
from minibert.wordpiece import WordPieceTokenizer

from .baselines import Linear, frozen_encoder, vectorizer
from .calibration import Scores, with_temperature
from .command import FILE
from .table import LabeledTable
from .thresholds import UNKNOWN, decide

FORMAT, LINEAR = "minibert classifier 2", "linear.safetensors"


class Reply(NamedTuple):
    """A `label`, None for "I do not know"; the most probable, `guess`, with its `probability`."""

    label: str | None
    probability: float
    guess: str


class Classifier(NamedTuple):
    """A trained classifier, with all that its answers need.

    Args:
        model: A fine-tuned one, or what makes the vectors for `linear`: an encoder, or counted
            words, which have no `tokenizer` and no `max_length` in tokens.
        column: Which column of a table holds the text.
        temperature: What logits are divided by before the softmax.
        thresholds: For each class the lowest probability with which it is answered; without them
            every text is answered.
        classes: The names, for a model without ``id2label``.

    >>> import torch
    >>> from berttools.classify.baselines import BagOfWords
    >>> words = BagOfWords(["it hums", "a bill"], [0, 1], torch.ones(2))
    >>> own = {"classes": ("A", "B"), "linear": words.linear}
    >>> classifier = Classifier(words.vectors, None, None, "text", **own)
    >>> [reply.label for reply in classifier.answer(LabeledTable(["the bill"]))]
    ['B']
    """

    model: BertForSequenceClassification | BertModel | Any
    tokenizer: WordPieceTokenizer | None
    max_length: int | None
    column: str
    temperature: float = 1.0
    thresholds: Sequence[float] = ()
    classes: Sequence[str] = ()
    linear: Linear | None = None

    @property
    def names(self) -> list[str]:
        """The names of the classes, in the order of their numbers."""
        if isinstance(self.model, BertForSequenceClassification):
            return [*self.model.id2label.values()]
        return [*self.classes]

    def logits(self, table: LabeledTable) -> Scores:
        """Return the scores of the texts of a `table`, not divided by the temperature yet."""
        rows = self.vectors(table)
        return self.linear.logits(rows) if self.linear else rows

    def vectors(self, table: LabeledTable) -> Any:
        """Return what `linear` scores of the texts of a `table`; of a fine-tuned model, scores."""
        if not isinstance(self.model, nn.Module):
            return self.model.transform(table.texts)
        tokenizer: Any = self.tokenizer  # which models of PyTorch have
        cut: Any = {"max_length": self.max_length}
        if isinstance(self.model, BertModel):
            return sentence_vectors(self.model, tokenizer, table.texts, **cut).double().numpy()
        rows, pad = encode_rows(tokenizer, table.texts, **cut), tokenizer.pad_token_id
        scores = predict(self.model, rows, lambda output, _: output.logits, pad_token_id=pad)
        return torch.stack(scores).double().numpy()

    def answer(self, table: LabeledTable) -> list[Reply]:
        """Return a reply to each row of a `table`, whose labels are not read."""
        probs, names = with_temperature(self.logits(table), self.temperature), self.names
        decided = decide(probs, np.array(self.thresholds or np.zeros(len(names))))
        return [
            Reply(None if d == UNKNOWN else names[d], float(row.max()), names[int(row.argmax())])
            for d, row in zip(decided.tolist(), probs, strict=True)
        ]


def save_classifier(classifier: Classifier, folder: str | Path) -> None:
    """Write a `classifier` into a `folder`, so that transformers opens its model, if it has one.

    Temperature and thresholds go into ``classifier.json``, which is written last, and a linear
    classifier on frozen vectors or counted words into ``linear.safetensors``.
    """
    folder, model = Path(folder), classifier.model
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"format": FORMAT, **classifier._asdict()}
    del fields["model"], fields["tokenizer"], fields["linear"]
    fields["thresholds"] = [t if math.isfinite(t) else None for t in classifier.thresholds]
    arrays = classifier.linear._asdict() if classifier.linear else {}
    if isinstance(model, nn.Module):
        save_pretrained(model, folder, classifier.tokenizer)
    else:
        fields["terms"], arrays["rarity"] = model.get_feature_names_out().tolist(), model.idf_
    if arrays:
        with atomic_write(folder / LINEAR) as draft:
            save_file({name: np.ascontiguousarray(each) for name, each in arrays.items()}, draft)
    else:
        del fields["classes"]
    write_json(folder / FILE, fields)


def load_classifier(folder: str | Path) -> Classifier:
    """Return what `save_classifier` has written into a `folder`, on the CPU."""
    folder = Path(folder)
    fields = read_json(folder / FILE)
    damaged = ValueError(f"{str(folder / FILE)!r} is damaged or of another version; train again")
    try:
        if fields.pop("format") != FORMAT:
            raise damaged
        fields["temperature"] = float(fields["temperature"])
        fields["thresholds"] = [math.inf if t is None else float(t) for t in fields["thresholds"]]
        terms, arrays = fields.pop("terms", None), {}
        if "classes" in fields:
            arrays = {name: each.numpy() for name, each in read_tensors(folder / LINEAR).items()}
            fields["linear"] = Linear(arrays["matrix"], arrays["bias"])
        if terms:
            model = vectorizer(terms)
            model.idf_ = arrays["rarity"]
        elif arrays:
            model = frozen_encoder(folder)
        else:
            model = load_pretrained(BertForSequenceClassification, folder)
        tokenizer = None if terms else load_tokenizer(folder)
        classifier = Classifier(model, tokenizer, **fields)
    except (KeyError, TypeError) as error:
        raise damaged from error
    levels = classifier.thresholds
    if not 0 < classifier.temperature < math.inf or not all(level >= 0 for level in levels):
        raise damaged
    if len(levels) not in (0, len(classifier.names)):
        raise damaged
    return classifier


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON, whole or not at all."""
    with atomic_write(path) as draft:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf-8")
