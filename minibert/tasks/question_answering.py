"""Answer questions: each token scores as start and as end of the answer. Chapter 18."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxtyping import Float, Int, Shaped
from torch import Tensor

from minibert.config import BertConfig
from minibert.heads import linear_classifier
from minibert.losses import span_loss
from minibert.model import BertModel, initialize_weights
from minibert.parts import part

from .task_model import TaskModel


class QuestionAnsweringModelOutput(NamedTuple):
    """What `BertForQuestionAnswering` returns."""

    loss: Float[Tensor, ""] | None = None
    start_logits: Float[Tensor, "batch seq"] | None = None
    end_logits: Float[Tensor, "batch seq"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertForQuestionAnswering(TaskModel):
    """Find an answer in a passage: BERT without pooler, and two scores for every token.

    ``start_logits, end_logits = qa_outputs(bert(input_ids).last_hidden_state)``. The names of all
    parameters are Hugging Face's.

    Parameters
    ----------
    config : BertConfig
        Gives all sizes.

    References
    ----------
    Devlin et al. (2019), sections 4.2 and 4.3.

    Examples
    --------
    >>> import torch
    >>> model = BertForQuestionAnswering(BertConfig.tiny(vocab_size=89))
    >>> where = {"start_positions": torch.tensor([1]), "end_positions": torch.tensor([2])}
    >>> output = model(torch.tensor([[2, 4, 7, 3]]), **where)
    >>> output.start_logits.shape, output.loss > 0
    (torch.Size([1, 4]), tensor(True))
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.bert = part(BertModel)(config, add_pooling_layer=False)
        self.qa_outputs = part(linear_classifier)(config.hidden_size, 2)
        initialize_weights(self.qa_outputs, config.initializer_range)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
        start_positions: Int[Tensor, " batch"] | None = None,
        end_positions: Int[Tensor, " batch"] | None = None,
        output_attentions: bool | None = False,
        output_hidden_states: bool | None = False,
        return_dict: bool | None = True,
    ) -> QuestionAnsweringModelOutput:
        """Score every token as start and as end, and compute the loss if both are given."""
        tokens = input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds
        encoded = self.bert(*tokens, output_attentions, output_hidden_states)
        logits = self.qa_outputs(encoded.last_hidden_state)  # (batch, seq, 2)
        start_logits, end_logits = logits.unbind(-1)  # (batch, seq) each
        ends: Any = start_positions, end_positions
        asked = any(end is not None for end in ends)
        loss = span_loss(start_logits, end_logits, *ends) if asked else None  # ()
        extra = encoded.hidden_states, encoded.attentions
        return QuestionAnsweringModelOutput(loss, start_logits, end_logits, *extra)
