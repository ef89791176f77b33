"""BERT for tasks: classify sequences, tag tokens, find answers; freeze what is not to learn."""

from .freezing import train_from_top
from .question_answering import BertForQuestionAnswering, QuestionAnsweringModelOutput
from .sequence_classification import BertForSequenceClassification, SequenceClassifierOutput
from .spans import BestSpans, best_spans
from .task_batches import TaskBatches
from .token_classification import BertForTokenClassification, TokenClassifierOutput

__all__ = [
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
