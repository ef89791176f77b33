"""DeBERTa-v2 with heads. Chapter 25."""

from typing import ClassVar

from torch import nn

from minibert import tasks
from minibert.config import ACTIVATIONS
from minibert.model import BertPooler
from minibert.parts import part
from minibert.pretraining import BertForMaskedLM

from .deberta_v2 import DebertaV2Config, DebertaV2Model
from .differences import HeadPooler, MemberHead


class DebertaV2Pooler(HeadPooler):
    """With dropout and activation of its own."""

    def __init__(self, config: DebertaV2Config) -> None:
        super().__init__(config)
        self.activation = ACTIVATIONS[config.pooler_hidden_act]

    def share(self, config: DebertaV2Config) -> float:
        """Return the pooler's dropout."""
        return config.pooler_dropout


class DebertaV2Head(MemberHead):
    """What the heads of DeBERTa-v2 have in common."""

    config_class, base_model_prefix = DebertaV2Config, "deberta"
    encoder_class = DebertaV2Model


class DebertaV2ForMaskedLM(DebertaV2Head, BertForMaskedLM):
    """DeBERTa-v2 that predicts masked words."""

    @property
    def names(self) -> dict[str, str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the names of today, which are BERT's, or those of the first files."""
        first = "lm_predictions.lm_head."
        old = {"cls.predictions.transform.": first, "cls.predictions.": first}
        return {} if self.config.legacy else old


class DebertaV2ForSequenceClassification(DebertaV2Head, tasks.BertForSequenceClassification):
    """DeBERTa-v2 that classifies sequences, with dropouts and a pooler of its own."""

    names: ClassVar = {"bert.pooler.": "pooler."}
    parts: ClassVar = {BertPooler: DebertaV2Pooler}

    def finish(self) -> None:
        """Drop with a share of its own."""
        share = self.config.cls_dropout
        self.dropout = part(nn.Dropout)(self.config.hidden_dropout_prob if share is None else share)


class DebertaV2ForTokenClassification(DebertaV2Head, tasks.BertForTokenClassification):
    """DeBERTa-v2 that tags tokens."""


class DebertaV2ForQuestionAnswering(DebertaV2Head, tasks.BertForQuestionAnswering):
    """DeBERTa-v2 that finds answers in a text."""
