"""Answer questions: each token scores as start and as end of the answer. Chapter 18."""

from typing import Any, NamedTuple

from jaxtyping import Float, Int
from torch import Tensor

from minibert.config import BertConfig
from minibert.heads import linear_classifier
from minibert.losses import span_loss
from minibert.model import BertModel, initialize_weights
from minibert.parts import part
from minibert.signature import called_as

from .task_model import TaskModel


class QuestionAnsweringModelOutput(NamedTuple):
    """What `BertForQuestionAnswering` returns.

    Args:
        loss: Mean of the losses of starts and ends, each a mean over the answered rows, in nats;
            None without positions.
        start_logits, end_logits: Scores of each token as the first, and as the last, of the answer.
        hidden_states, attentions: On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    start_logits: Float[Tensor, "batch seq"] | None = None
    end_logits: Float[Tensor, "batch seq"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertForQuestionAnswering(TaskModel):
    """Find an answer in a passage: BERT without pooler, and two scores for every token.

    ``start_logits, end_logits = qa_outputs(bert(input_ids).last_hidden_state)``. The names of all
    parameters are Hugging Face's.

    Source: Devlin et al. (2019), sections 4.2 and 4.3.

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

    @called_as(BertModel.forward)
    def forward(
        self,
        *inputs: Any,
        start_positions: Int[Tensor, " batch"] | None = None,
        end_positions: Int[Tensor, " batch"] | None = None,
    ) -> QuestionAnsweringModelOutput:
        """Return the scores of every token as start and as end, and the loss if both are given.

        Args:
            *inputs: As the encoder takes them.
            start_positions, end_positions: Places of the first and the last token of the answer;
                -100 for a row that is not asked.
        """
        encoded = self.bert(*inputs)
        logits = self.qa_outputs(encoded.last_hidden_state)  # (batch, seq, 2)
        start_logits, end_logits = logits.unbind(-1)  # (batch, seq) each
        ends: Any = start_positions, end_positions
        asked = any(end is not None for end in ends)
        loss = span_loss(start_logits, end_logits, *ends) if asked else None  # ()
        extra = encoded.hidden_states, encoded.attentions
        return QuestionAnsweringModelOutput(loss, start_logits, end_logits, *extra)
