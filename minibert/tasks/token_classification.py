"""Tag tokens: one label for each. Chapter 17."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from jaxtyping import Float, Int
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.heads import linear_classifier
from minibert.losses import classification_loss
from minibert.model import BertModel, initialize_weights
from minibert.parts import part
from minibert.signature import called_as

from .labels import name_labels, write_labels
from .task_model import TaskModel


class TokenClassifierOutput(NamedTuple):
    """What `BertForTokenClassification` returns.

    Args:
        loss: Mean over the labeled tokens, in nats; None without labels.
        logits: One score for each label, at each token.
        hidden_states, attentions: On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    logits: Float[Tensor, "batch seq classes"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertForTokenClassification(TaskModel):
    """Tag every token by its own vector: BERT without pooler, and a linear classifier.

    ``classifier(dropout(bert(input_ids).last_hidden_state))``. The names of all parameters are
    Hugging Face's; `num_labels` and `id2label` are as in `BertForSequenceClassification`.

    Source: Devlin et al. (2019), section 5.3.

    >>> import torch
    >>> model = BertForTokenClassification(BertConfig.tiny(vocab_size=89), num_labels=5)
    >>> output = model(torch.tensor([[2, 4, 7, 3]]), labels=torch.tensor([[-100, 4, -100, -100]]))
    >>> output.logits.shape, output.loss > 0
    (torch.Size([1, 4, 5]), tensor(True))
    """

    def __init__(
        self,
        config: BertConfig,
        num_labels: int | None = None,
        *,
        id2label: Mapping[int, str] | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.id2label = name_labels(num_labels, id2label)
        self.num_labels = len(self.id2label)
        self.bert = part(BertModel)(config, add_pooling_layer=False)
        self.dropout = part(nn.Dropout)(config.dropout_before_classifier)
        self.classifier = part(linear_classifier)(config.hidden_size, self.num_labels)
        initialize_weights(self.classifier, config.initializer_range)

    @property
    def label_fields(self) -> dict[str, Any]:
        """Return what a config.json has to say about the labels, besides the configuration."""
        return write_labels(self.id2label)

    @called_as(BertModel.forward)
    def forward(
        self, *inputs: Any, labels: Int[Tensor, "batch seq"] | None = None
    ) -> TokenClassifierOutput:
        """Return the scores of every label at every token, and the loss if the true ones are given.

        Args:
            *inputs: As the encoder takes them.
            labels: Number of the true label, or -100 for a token that is not asked, such as a later
                piece of a word.
        """
        encoded = self.bert(*inputs)
        hidden_states = self.dropout(encoded.last_hidden_state)  # (batch, seq, hidden)
        logits = self.classifier(hidden_states)  # (batch, seq, classes)
        loss = None if labels is None else classification_loss(logits, labels)  # ()
        return TokenClassifierOutput(loss, logits, encoded.hidden_states, encoded.attentions)
