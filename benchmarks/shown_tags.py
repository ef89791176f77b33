"""Keep what the first tagger of Chapter 17 says: its scores, and tags while somebody types."""

from collections.abc import Sequence

import torch
from torch import nn

from bertbook.corpus import entity_sentences
from bertbook.topics.tag.tagging import tag_pieces
from minibert.tasks.inference import predict
from minibert.wordpiece import WordPieceTokenizer

# Written for the figure; no sentence of the data.
TYPED = (
    "Florence Lind moved from Florence to the Red Cross in Oslo",
    "Jordan crossed the Jordan with two friends",
    "Washington wrote to the Bank of Washington about a loan",
    "yesterday Bafilo Zugeme sang in Kolatu",
)


def word_scores(
    model: nn.Module, tokenizer: WordPieceTokenizer, sentences: Sequence[Sequence[str]]
) -> list[list[list[float]]]:
    """Score every tag at the first piece of each word."""
    rows = [tag_pieces(tokenizer, words) for words in sentences]
    logits = predict(
        model,
        [(row.input_ids, [0] * len(row.input_ids)) for row in rows],
        lambda output, mask: output.logits,
        pad_token_id=tokenizer.pad_token_id,
    )
    found = (scores[torch.tensor(row.first_pieces)] for scores, row in zip(logits, rows))
    return [[[round(x, 2) for x in word] for word in scores.tolist()] for scores in found]


def shown_tags(model: nn.Module, tokenizer: WordPieceTokenizer) -> dict:
    """Keep the scores on the test part, and those of every beginning of some sentences."""
    test = [sentence.words for sentence in entity_sentences("test")]
    beginnings = {}
    for text in TYPED:
        words = text.split()
        parts = [words[: n + 1] for n in range(len(words))]
        beginnings[text] = word_scores(model, tokenizer, parts)
    return {"test": word_scores(model, tokenizer, test), "typed": beginnings}
