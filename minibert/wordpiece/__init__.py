"""Word pieces: learn them from a corpus, cut text into them, and turn them into a model's input."""

from .added_tokens import AddedToken
from .encode_batch import truncate_pair
from .learning import SPECIAL_TOKENS, Merge, learn_merges, learn_vocabulary, merge_gain, spell
from .tokenizer import WordPieceTokenizer
from .vocabulary import longest_match

__all__ = [
    "SPECIAL_TOKENS",
    "AddedToken",
    "Merge",
    "WordPieceTokenizer",
    "learn_merges",
    "learn_vocabulary",
    "longest_match",
    "merge_gain",
    "spell",
    "truncate_pair",
]
