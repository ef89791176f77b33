"""BERT's family, each member as a difference to BERT's parts. Chapter 22."""

from .albert import AlbertConfig, AlbertModel
from .deberta_v2 import DebertaV2Config, DebertaV2Model
from .distilbert import DistilBertConfig, DistilBertModel
from .electra import ElectraConfig, ElectraModel
from .modernbert import ModernBertConfig, ModernBertModel
from .roberta import RobertaConfig, RobertaModel

__all__ = [
    "AlbertConfig",
    "AlbertModel",
    "DebertaV2Config",
    "DebertaV2Model",
    "DistilBertConfig",
    "DistilBertModel",
    "ElectraConfig",
    "ElectraModel",
    "ModernBertConfig",
    "ModernBertModel",
    "RobertaConfig",
    "RobertaModel",
]
