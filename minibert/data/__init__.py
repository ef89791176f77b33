"""From documents to batches: read text, pair sentences, sort by length, pad, and hide tokens."""

from .batches import PretrainingBatches, bucket_by_length, padding_share
from .documents import TextDocuments, split_documents
from .pairs import IS_NEXT, NOT_NEXT, SentencePair, draw_pairs, encode_pair

__all__ = [
    "IS_NEXT",
    "NOT_NEXT",
    "PretrainingBatches",
    "SentencePair",
    "TextDocuments",
    "bucket_by_length",
    "draw_pairs",
    "encode_pair",
    "padding_share",
    "split_documents",
]
