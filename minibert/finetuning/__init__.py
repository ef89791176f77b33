"""BERT for tasks: classify sequences, tag tokens, find answers; freeze what shall not learn."""

from .batches import TaskBatches
from .freezing import train_from_top
from .labels import PROBLEM_TYPES
from .questions import BertForQuestionAnswering, QuestionAnsweringModelOutput
from .sequences import BertForSequenceClassification, SequenceClassifierOutput
from .spans import BestSpans, best_spans
from .tokens import BertForTokenClassification, TokenClassifierOutput

__all__ = [
    "PROBLEM_TYPES",
    "BertForQuestionAnswering",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BestSpans",
    "QuestionAnsweringModelOutput",
    "SequenceClassifierOutput",
    "TaskBatches",
    "TokenClassifierOutput",
    "best_spans",
    "train_from_top",
]
