"""Classify whole sequences: one label, several labels, or a number. Chapter 16."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.heads import linear_classifier
from minibert.inputs import require_tensor
from minibert.losses import classification_loss, multi_label_loss, regression_loss
from minibert.model import BertModel, initialize_weights
from minibert.parts import part
from minibert.signature import called_as

from .labels import PROBLEM_TYPES, name_labels, write_labels
from .task_model import TaskModel

_LOSSES: dict[str, Callable[..., Tensor]] = dict(
    zip(PROBLEM_TYPES, (regression_loss, classification_loss, multi_label_loss), strict=True)
)


class SequenceClassifierOutput(NamedTuple):
    """What `BertForSequenceClassification` returns.

    Args:
        loss: Cross-entropy in nats for a single label, binary cross-entropy in nats for several,
            mean squared error for a number; None without labels.
        logits: One score for each label; for regression, the number itself.
        hidden_states, attentions: On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    logits: Float[Tensor, "batch classes"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertForSequenceClassification(TaskModel):
    """Classify a sequence or a pair by the summary that the pooler makes of it.

    ``classifier(dropout(bert(input_ids).pooler_output))``. The names of all parameters are Hugging
    Face's.

    Args:
        config: Gives all sizes, and the dropout before the classifier.
        num_labels: Number of labels; by default that of `id2label`, or 2.
        id2label: Their names, kept for those who read predictions; LABEL_0, LABEL_1, … by default.
        problem_type: "single_label_classification", "multi_label_classification" or "regression".
            By default the labels decide: regression for one label, single label for integers.

    Source: Devlin et al. (2019), section 4.1.

    >>> names = {0: "Hardware", 1: "Software", 2: "Billing"}
    >>> model = BertForSequenceClassification(BertConfig.tiny(vocab_size=89), id2label=names)
    >>> output = model(torch.tensor([[2, 4, 7, 3]]), labels=torch.tensor([2]))
    >>> output.logits.shape, output.loss > 0
    (torch.Size([1, 3]), tensor(True))
    """

    def __init__(
        self,
        config: BertConfig,
        num_labels: int | None = None,
        *,
        id2label: Mapping[int, str] | None = None,
        problem_type: str | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.id2label = name_labels(num_labels, id2label)
        self.num_labels = len(self.id2label)
        self.problem_type = _checked(problem_type, self.num_labels)
        self.bert = part(BertModel)(config, add_pooling_layer=True)
        self.dropout = part(nn.Dropout)(config.dropout_before_classifier)
        self.classifier = part(linear_classifier)(config.hidden_size, self.num_labels)
        initialize_weights(self.classifier, config.initializer_range)

    @property
    def label_fields(self) -> dict[str, Any]:
        """Return what a config.json has to say about the labels, besides the configuration."""
        return write_labels(self.id2label) | {"problem_type": self.problem_type}

    @called_as(BertModel.forward)
    def forward(
        self, *inputs: Any, labels: Shaped[Tensor, "batch ..."] | None = None
    ) -> SequenceClassifierOutput:
        """Return the scores of every label, and the loss if the true ones are given.

        Args:
            *inputs: As the encoder takes them.
            labels: Numbers of classes, shape (batch,), -100 for a row that is not asked; 0 or 1 for
                each label, shape (batch, classes); or numbers to predict, in either shape.
        """
        encoded = self.bert(*inputs)
        pooled = self.dropout(encoded.pooler_output)  # (batch, hidden)
        logits = self.classifier(pooled)  # (batch, classes)
        loss = None if labels is None else self._loss(logits, labels)  # ()
        return SequenceClassifierOutput(loss, logits, encoded.hidden_states, encoded.attentions)

    def _loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        require_tensor("labels", labels)
        return _LOSSES[self._problem(labels)](logits, labels)

    def _problem(self, labels: Tensor) -> str:
        """Return the problem type: that of the model, or the one that the labels imply."""
        if self.problem_type is not None:
            return self.problem_type
        if self.num_labels == 1:
            return "regression"
        if labels.dtype in (torch.int64, torch.int32):
            return "single_label_classification"
        if labels.dim() == 1:
            raise TypeError(
                f"labels of shape {tuple(labels.shape)} are {labels.dtype}; numbers of classes "
                "must be torch.int64 or torch.int32: labels.long(), or int(label) in each row. "
                f"For a yes or no to each of {self.num_labels} labels the shape must be "
                f"{(len(labels), self.num_labels)}"
            )
        return "multi_label_classification"


def _checked(problem_type: str | None, num_labels: int) -> str | None:
    if problem_type is not None and problem_type not in PROBLEM_TYPES:
        raise ValueError(
            f"problem_type ({problem_type!r}) must be one of {', '.join(PROBLEM_TYPES)}, or None "
            "to infer it from the labels"
        )
    if problem_type == "single_label_classification" and num_labels == 1:
        raise ValueError(
            "single_label_classification with num_labels = 1 has nothing to choose; give 2 for yes "
            "or no, or problem_type='regression' for a number"
        )
    return problem_type
