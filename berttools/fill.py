"""The command ``minibert fill``: what a BERT puts for each ``[MASK]``. Chapter 14."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from berttools.cli.failures import FAILURES, sentence_of
from berttools.cli.options import PLAN, new_parser, resume_hint, whole_number
from berttools.cli.output import complain, say, show_warning
from berttools.cli.runs import PRETRAIN, require_own
from minibert.loading import load_pretrained, load_tokenizer
from minibert.loading.files import CONFIG, locate, read_json, read_weights
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks.inference import predict
from minibert.text_files import decode_line
from minibert.wordpiece import WordPieceTokenizer

Text = str | tuple[str, str]
WITH_HEAD = ("BertForMaskedLM", "BertForPreTraining")

DESCRIPTION = """\
Print the words that a trained BERT would put for each [MASK], with their probabilities.

A word that begins with ## continues the word before it. Without a TEXT, each line that is
typed (or piped in) is one."""

EPILOG = """\
examples:
  minibert fill my-bert "the man [MASK] the book"
  minibert fill my-bert --top 3 "one [MASK] sleeps" "the [MASK] reads the [MASK]"
  minibert fill my-bert --separator "|" "the man reads | it is a good [MASK]"
"""


class Guess(NamedTuple):
    """A word that may stand for a ``[MASK]``."""

    word: str
    prob: float


def fill_masks(
    model: BertForMaskedLM | BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[Text],
    top: int = 5,
) -> list[list[list[Guess]]]:
    """Guess the word at each ``[MASK]``, the best guesses first.

    ``p(word) = softmax(scores of the head at the masked position)[word]``; several masks of a text
    are guessed independently of each other.
    """
    if isinstance(texts, str):
        raise TypeError(f"give a list of texts, not the one string {texts[:30]!r}")
    if not 1 <= top <= tokenizer.vocab_size:
        raise ValueError(
            f"top ({top}) must be 1 to {tokenizer.vocab_size}, the size of the vocabulary"
        )
    rows = [_encode(text, tokenizer, model.config.max_position_embeddings) for text in texts]
    encoded = predict(
        model.bert,
        rows,
        lambda output, mask: output.last_hidden_state,
        pad_token_id=tokenizer.pad_token_id,
    )
    chosen = [torch.tensor(ids) == tokenizer.mask_token_id for ids, _ in rows]
    return [
        _guesses(model, tokenizer, hidden_states[: len(is_mask)][is_mask], top)
        for hidden_states, is_mask in zip(encoded, chosen, strict=True)
    ]


def _encode(text: Text, tokenizer: WordPieceTokenizer, room: int) -> tuple[list[int], list[int]]:
    """Encode a text or pair; raise if it has no [MASK] or is too long."""
    first, second = (text, None) if isinstance(text, str) else text
    batch = tokenizer(first, second)
    ids, types = (batch[name][0].tolist() for name in ("input_ids", "token_type_ids"))
    shown = repr(first if second is None else f"{first} … {second}")
    shown = shown if len(shown) <= 60 else f"{shown[:40]}…{shown[-20:]}"
    if tokenizer.mask_token_id not in ids:
        raise ValueError(f"{shown} has no [MASK]; write [MASK], in capitals, for a missing word")
    if len(ids) > room:
        raise ValueError(
            f"{shown} has {len(ids)} tokens, [CLS] and [SEP] included, and the model takes {room}; "
            "shorten it"
        )
    return ids, types


@torch.no_grad()
def _guesses(
    model: BertForMaskedLM | BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    hidden_states: Float[Tensor, "positions hidden"],
    top: int,
) -> list[list[Guess]]:
    """Score all words at the masks of a text; the head has no dropout to switch off."""
    device = next(model.parameters()).device
    probs = model.cls.predictions(hidden_states.to(device)).float().softmax(-1)
    known = probs[:, : tokenizer.vocab_size]  # a table may have more rows than there are words
    best = zip(*(part.tolist() for part in known.topk(top)), strict=True)
    return [[Guess(tokenizer.pieces[piece], prob) for prob, piece in zip(*row)] for row in best]


def open_folder(folder: str | Path) -> tuple[BertForMaskedLM, WordPieceTokenizer]:
    """Load the model and the tokenizer of a folder in Hugging Face's layout."""
    folder, name = Path(folder), repr(str(folder))
    if folder.is_file():
        raise NotADirectoryError(f"{name} is a file; name the folder of a model")
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {name}; name the folder of a model")
    try:
        _require_words(folder)
        # What is not used is of the question for the next sentence.
        unused = ("bert.pooler", "cls.seq_relationship")
        return load_pretrained(BertForMaskedLM, folder, unused=unused), load_tokenizer(folder)
    except FileNotFoundError as error:
        if (folder / PLAN).exists():
            require_own(folder, PRETRAIN)
            raise ValueError(f"the run in {name} is not finished; {resume_hint(folder)}") from error
        raise


def _require_words(folder: Path) -> None:
    """Raise if a folder holds a model that guesses no words, or numbers of eight bits."""
    architectures = read_json(locate(folder, CONFIG)).get("architectures") or WITH_HEAD
    if not set(architectures) & set(WITH_HEAD):
        raise ValueError(
            f"{str(folder)!r} holds a {architectures[0]}, which guesses no words; name the folder "
            f"of a {' or '.join(WITH_HEAD)}"
        )
    if any(tensor.dtype == torch.int8 for tensor in read_weights(folder).values()):
        raise ValueError(
            f"{str(folder)!r} holds a model in eight bits a number, as the pages of the book read "
            "it and nothing else does; name the folder that `minibert pretrain` has written, or "
            "another with the numbers in full (in Python, bertbook.core.eight_bits opens it)"
        )


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            model, tokenizer = open_folder(options.folder)
            texts = [*map(_as_utf8, options.texts)] or _typed()
            statuses = [_answer(model, tokenizer, text, options) for text in texts]
            if not statuses:
                raise ValueError("there was nothing to read; give a sentence with [MASK]")
            return max(statuses)
        except (*FAILURES, TypeError) as error:
            complain(sentence_of(error))
            return 1
        except KeyboardInterrupt:
            return 130


def _answer(
    model: BertForMaskedLM, tokenizer: WordPieceTokenizer, text: str, options: argparse.Namespace
) -> int:
    """Print the guesses for one text, or its error; return the exit status."""
    try:
        [masks] = fill_masks(model, tokenizer, [split_pair(text, options.separator)], options.top)
    except ValueError as error:
        complain(sentence_of(error))
        return 1
    width = max(len(guess.word) for guesses in masks for guess in guesses)
    lines = [text]
    for number, guesses in enumerate(masks, start=1):
        lines += [f"  [MASK] {number}"] if len(masks) > 1 else []
        lines += [f"  {guess.word:{width}}  {guess.prob:.3f}" for guess in guesses]
    say("\n".join(lines))
    return 0


def split_pair(text: str, separator: str | None) -> Text:
    """Split a text at the separator of its two sentences."""
    parts = text.split(separator) if separator else [text]
    if len(parts) > 2:
        raise ValueError(f"{text!r} has {len(parts) - 1} separators {separator!r}; a pair has one")
    return parts[0] if len(parts) == 1 else (parts[0].strip(), parts[1].strip())


def _typed() -> Iterable[str]:
    """Yield the lines that are typed or piped in, without empty ones."""
    if sys.stdin.isatty():
        print("Type a sentence with [MASK]; Ctrl+D ends.", file=sys.stderr)
    # As bytes: in a plain locale Python lets through what is no text, and the tokenizer drops it.
    lines = getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin)
    decoded = (decode_line(line, n, "standard input") for n, line in enumerate(lines, start=1))
    return filter(None, map(str.strip, decoded))


def _as_utf8(text: str) -> str:
    """Decode an argument anew, of which a plain locale knows the bytes only."""
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{text!r} is not UTF-8 (byte 0x{error.object[error.start]:02x}); set the terminal to "
            "UTF-8, or pipe the text in as UTF-8"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("fill", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("folder", metavar="DIR", help="folder of a finished model")
    text = "a sentence with [MASK]"
    parser.add_argument("texts", nargs="*", default=[], metavar="TEXT", help=text)
    text = "guesses for each (default: %(default)s)"
    parser.add_argument("--top", type=whole_number(1), default=5, metavar="N", help=text)
    text = "what stands between the two sentences of a pair"
    parser.add_argument("--separator", metavar="MARK", help=text)
    return parser
