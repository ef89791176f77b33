"""Tag tokens: one label for each. Chapter 17."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.heads import linear_classifier
from minibert.losses import classification_loss
from minibert.model import BertModel, initialize_weights
from minibert.parts import part

from .labels import name_labels, write_labels
from .task_model import TaskModel


class TokenClassifierOutput(NamedTuple):
    """What `BertForTokenClassification` returns.

    Parameters
    ----------
    loss : Float[Tensor, ""] or None
        Mean over the labeled tokens, in nats; None without labels.
    logits : Float[Tensor, "batch seq classes"]
        One score for each label, at each token.
    hidden_states : tuple of Float[Tensor, "batch seq hidden"], or None
        On request, as `BertModel` returns them.
    attentions : tuple of Float[Tensor, "batch heads seq seq"], or None
        On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    logits: Float[Tensor, "batch seq classes"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertForTokenClassification(TaskModel):
    """Tag every token by its own vector: BERT without pooler, and a linear classifier.

    ``classifier(dropout(bert(input_ids).last_hidden_state))``. The names of all parameters are
    Hugging Face's.

    Parameters
    ----------
    config : BertConfig
        Gives all sizes, and the dropout before the classifier.
    num_labels : int, optional
        Number of labels; by default that of `id2label`, or 2.
    id2label : mapping from int to str, optional
        Their names, kept for those who read predictions; by default LABEL_0, LABEL_1, ….

    Raises
    ------
    TypeError, ValueError
        If the labels do not fit each other.

    References
    ----------
    Devlin et al. (2019), section 5.3.

    Examples
    --------
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

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
        labels: Int[Tensor, "batch seq"] | None = None,
        output_attentions: bool | None = False,
        output_hidden_states: bool | None = False,
        return_dict: bool | None = True,
    ) -> TokenClassifierOutput:
        """Score every label at every token, and compute the loss if the true ones are given.

        Parameters
        ----------
        input_ids : Int[Tensor, "batch seq"], optional
            Ids from 0 to ``vocab_size - 1``.
        attention_mask : Shaped[Tensor, "batch seq"], optional
            1 for tokens, 0 for padding; all 1 by default.
        token_type_ids : Int[Tensor, "batch seq"], optional
            Segment of each token; all 0 by default.
        position_ids : Int[Tensor, "#batch seq"], optional
            Place of each token; by default as `BertModel` has them.
        inputs_embeds : Float[Tensor, "batch seq hidden"], optional
            Vectors in the place of `input_ids`.
        labels : Int[Tensor, "batch seq"], optional
            Number of the true label, or -100 for a token that is not asked, such as a later piece
            of a word.
        output_attentions, output_hidden_states : bool, default False
            Whether to return the weights and the vectors of every layer.
        return_dict : bool, optional
            Changes nothing: what is returned has names and is a tuple as well.

        Returns
        -------
        TokenClassifierOutput
            Scores of every label at every token, and the loss if there are labels.

        Raises
        ------
        TypeError, ValueError
            If the input does not fit the model, or the labels do not fit the scores.
        """
        tokens = input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds
        encoded = self.bert(*tokens, output_attentions, output_hidden_states)
        hidden_states = self.dropout(encoded.last_hidden_state)  # (batch, seq, hidden)
        logits = self.classifier(hidden_states)  # (batch, seq, classes)
        loss = None if labels is None else classification_loss(logits, labels)  # ()
        return TokenClassifierOutput(loss, logits, encoded.hidden_states, encoded.attentions)
