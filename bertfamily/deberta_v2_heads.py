"""DeBERTa-v2 with heads. Chapter 25."""

from typing import Any

from minibert import tasks
from minibert.config import ACTIVATIONS
from minibert.parts import part
from minibert.pretraining import BertForMaskedLM

from .deberta_v2 import DebertaV2Config, DebertaV2Model
from .differences import HeadPooler, built_of


class DebertaV2Pooler(HeadPooler):
    """With dropout and activation of its own."""

    def __init__(self, config: DebertaV2Config) -> None:
        super().__init__(config)
        self.activation = ACTIVATIONS[config.pooler_hidden_act]

    def share(self, config: DebertaV2Config) -> float:
        """Return the pooler's dropout."""
        return config.pooler_dropout


def _drop_before_sequences(model: Any) -> None:
    share = model.config.cls_dropout
    model.dropout = part("dropout")(model.config.hidden_dropout_prob if share is None else share)


def _names_of_words(config: DebertaV2Config) -> dict[str, str]:
    """Return the names of today, which are BERT's, or those of the first files."""
    first = "lm_predictions.lm_head."
    old = {"cls.predictions.transform.": first, "cls.predictions.": first}
    return {} if config.legacy else old


@built_of(_names_of_words, bert=DebertaV2Model)
class DebertaV2ForMaskedLM(BertForMaskedLM):
    """DeBERTa-v2 that predicts masked words; called as `BertForMaskedLM` is."""


@built_of(
    {"bert.pooler.": "pooler."},
    finish=_drop_before_sequences,
    bert=DebertaV2Model,
    pooler=DebertaV2Pooler,
)
class DebertaV2ForSequenceClassification(tasks.BertForSequenceClassification):
    """DeBERTa-v2 that classifies sequences; its head has its own pooler."""


@built_of({}, bert=DebertaV2Model)
class DebertaV2ForTokenClassification(tasks.BertForTokenClassification):
    """DeBERTa-v2 that tags tokens."""


@built_of({}, bert=DebertaV2Model)
class DebertaV2ForQuestionAnswering(tasks.BertForQuestionAnswering):
    """DeBERTa-v2 that finds answers in a text."""
