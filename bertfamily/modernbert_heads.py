"""ModernBERT with heads, each of which prepares vectors as that of words does. Chapter 25."""

from typing import Any, ClassVar

from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert import tasks
from minibert.config import ACTIVATIONS
from minibert.heads import BertLMPredictionHead, BertPredictionHeadTransform
from minibert.model import BertModelOutput, initialize_weights
from minibert.parts import part
from minibert.pretraining import BertForMaskedLM

from .differences import MemberHead
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


class ModernBertHead(MemberHead):
    """What the heads of ModernBERT have in common."""

    config_class, base_model_prefix = ModernBertConfig, "model"
    encoder_class = ModernBertModel


class ModernBertForMaskedLM(ModernBertHead, BertForMaskedLM):
    """ModernBERT that predicts masked words, with its own activation and LayerNorm in the head."""

    names: ClassVar = {
        "cls.predictions.transform.": "head.",
        "cls.predictions.decoder.": "decoder.",
        "cls.predictions.bias": "decoder.bias",
    }
    parts: ClassVar = {
        BertLMPredictionHead: ModernBertDecoder,
        BertPredictionHeadTransform: ModernBertPredictionHead,
    }


class ModernBertForSequenceClassification(ModernBertHead, tasks.BertForSequenceClassification):
    """ModernBERT that classifies sequences, by the first vector or by the mean."""

    names: ClassVar = {"bert.head.": "head."}
    encoder_class = ModernBertSummarizer


class ModernBertForTokenClassification(ModernBertHead, tasks.BertForTokenClassification):
    """ModernBERT that tags tokens, after a linear map, an activation and LayerNorm."""

    names: ClassVar = {"dropout.0.": "head."}

    def finish(self) -> None:
        """Prepare every token."""
        self.dropout = nn.Sequential(_new_head(self.config), self.dropout)


class ModernBertForQuestionAnswering(ModernBertHead, tasks.BertForQuestionAnswering):
    """ModernBERT that finds answers in a text, after a linear map, an activation and LayerNorm."""

    names: ClassVar = {"qa_outputs.0.": "head.", "qa_outputs.2.": "classifier."}

    def finish(self) -> None:
        """Prepare every token before it is scored."""
        dropout = part(nn.Dropout)(self.config.classifier_dropout)
        self.qa_outputs = nn.Sequential(_new_head(self.config), dropout, self.qa_outputs)
