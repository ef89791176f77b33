"""Word pieces: learn them from a corpus, cut text into them, and turn them into a model's input."""

from .learning import SPECIAL_TOKENS, Merge, learn_merges, learn_vocabulary, merge_gain, spell
from .tokenizer import WordPieceTokenizer
from .vocabulary import longest_match

__all__ = [
    "SPECIAL_TOKENS",
    "Merge",
    "WordPieceTokenizer",
    "learn_merges",
    "learn_vocabulary",
    "longest_match",
    "merge_gain",
    "spell",
]
