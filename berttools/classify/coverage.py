"""How much of its texts does a model's vocabulary know? Chapter 19."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from minibert.wordpiece import WordPieceTokenizer

from .saving import Classifier
from .table import LabeledTable

MOST_UNKNOWN = 0.2  # of the tokens; of more, answers depend on what is left
LOOKED_AT = 2000  # texts, evenly from all


def unknown_share(tokenizer: WordPieceTokenizer, texts: Sequence[str]) -> float:
    """Compute the share of [UNK] among the tokens of some texts, of up to 2,000 of them."""
    some = texts[:: max(1, len(texts) // LOOKED_AT)]
    tokens = [token for text in some for token in tokenizer.tokenize(text)]
    return tokens.count("[UNK]") / max(1, len(tokens))


def require_known(
    tokenizer: WordPieceTokenizer, tables: Mapping[str, LabeledTable], use: str
) -> str:
    """Tell the share of [UNK] in each part; raise if it is above a fifth in one of them.

    Counted words need no vocabulary, so they may be used all the same.
    """
    shares = {name: unknown_share(tokenizer, part.whole_texts) for name, part in tables.items()}
    each = ", ".join(f"{100 * share:.1f} % in {name}" for name, share in shares.items())
    told = f"Tokens that the vocabulary does not know, [UNK]: {each}"
    if max(shares.values()) > MOST_UNKNOWN and use != "words":
        raise ValueError(
            f"{told}; above {100 * MOST_UNKNOWN:g} % too little is left to learn from. Name a "
            "--model whose vocabulary has this script, or count words: --use words"
        )
    return f"{told}."


def notes_on_unknown(classifier: Classifier, table: LabeledTable) -> Iterator[str]:
    """Tell of texts that are answered though little of them is known."""
    tokenizer = classifier.tokenizer
    share = unknown_share(tokenizer, table.whole_texts) if tokenizer else 0.0
    if share > MOST_UNKNOWN:
        yield f"{100 * share:.0f} % of the tokens are [UNK], so these answers mean little"
