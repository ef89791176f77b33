"""ModernBERT with heads, each of which prepares vectors as that of words does. Chapter 25."""

from typing import Any

from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert import tasks
from minibert.config import ACTIVATIONS
from minibert.heads import BertLMPredictionHead
from minibert.model import BertModelOutput, initialize_weights
from minibert.parts import part
from minibert.pretraining import BertForMaskedLM

from .differences import built_of
from .modernbert import ModernBertModel
from .modernbert_config import ModernBertConfig


class ModernBertPredictionHead(nn.Module):
    """Prepare a vector: a linear map, an activation, a LayerNorm."""

    own_parameters = True

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size, config.classifier_bias)
        self.activation = ACTIVATIONS[config.classifier_activation]
        self.norm = config.norm()

    def forward(self, hidden_states: Float[Tensor, "... hidden"]) -> Float[Tensor, "... hidden"]:
        """Map, activate and normalize."""
        return self.norm(self.activation(self.dense(hidden_states)))


class ModernBertDecoder(BertLMPredictionHead):
    """BERT's head of words, where the bias can be left out."""

    own_parameters = True

    def __init__(self, config: ModernBertConfig, word_embeddings: nn.Embedding) -> None:
        super().__init__(config, word_embeddings)  # pyright: ignore[reportArgumentType] (has its sizes)
        if not config.decoder_bias:
            self.bias = self.decoder.bias = None  # pyright: ignore[reportAttributeAccessIssue]


class ModernBertSummarizer(ModernBertModel):
    """An encoder with a summary: of the first token, or the mean of all that the mask shows."""

    def __init__(self, config: ModernBertConfig, add_pooling_layer: bool = True) -> None:
        super().__init__(config)
        self.head = _new_head(config)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        *more: Any,
        **named: Any,
    ) -> BertModelOutput:
        """Encode, summarize and prepare."""
        output = super().forward(input_ids, attention_mask, *more, **named)
        summary = output.last_hidden_state[:, 0]  # (batch, hidden)
        if self.config.classifier_pooling == "mean":
            states = output.last_hidden_state  # (batch, seq, hidden)
            shown = states.new_ones(states.shape[:2]) if attention_mask is None else attention_mask
            summary = (states * shown[..., None]).sum(dim=1) / shown.sum(dim=1, keepdim=True)
        return output._replace(pooler_output=self.head(summary))


def _new_head(config: ModernBertConfig) -> ModernBertPredictionHead:
    head = ModernBertPredictionHead(config)
    initialize_weights(head, config.initializer_range)
    return head


def _prepare_tokens(model: Any) -> None:
    model.dropout = nn.Sequential(_new_head(model.config), model.dropout)


def _prepare_answers(model: Any) -> None:
    dropout = part("dropout")(model.config.classifier_dropout)
    model.qa_outputs = nn.Sequential(_new_head(model.config), dropout, model.qa_outputs)


@built_of(
    {
        "cls.predictions.transform.": "head.",
        "cls.predictions.decoder.": "decoder.",
        "cls.predictions.bias": "decoder.bias",
    },
    bert=ModernBertModel,
    prediction_head=ModernBertDecoder,
    prediction_head_transform=ModernBertPredictionHead,
)
class ModernBertForMaskedLM(BertForMaskedLM):
    """ModernBERT that predicts masked words; called as `BertForMaskedLM` is."""


@built_of({"bert.head.": "head."}, bert=ModernBertSummarizer)
class ModernBertForSequenceClassification(tasks.BertForSequenceClassification):
    """ModernBERT that classifies sequences."""


@built_of({"dropout.0.": "head."}, finish=_prepare_tokens, bert=ModernBertModel)
class ModernBertForTokenClassification(tasks.BertForTokenClassification):
    """ModernBERT that tags tokens."""


@built_of(
    {"qa_outputs.0.": "head.", "qa_outputs.2.": "classifier."},
    finish=_prepare_answers,
    bert=ModernBertModel,
)
class ModernBertForQuestionAnswering(tasks.BertForQuestionAnswering):
    """ModernBERT that finds answers in a text."""
