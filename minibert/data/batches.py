"""Batches of sentences about equally long, padded and masked again in every epoch. Chapter 13."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch

from minibert.inputs import require_number
from minibert.masking import corrupt_tokens
from minibert.parts import part
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.encode_batch import Batch, pad_rows

from .documents import Documents, fingerprint
from .pairs import check_documents, draw_pairs, encode_pair

# The purposes of the generators that are made of one seed.
_ORDER, _PAIRS, _MASKS = range(3)
Row = tuple[list[int], list[int], int]


def bucket_by_length(
    lengths: Sequence[int], batch_size: int, *, rng: np.random.Generator
) -> list[list[int]]:
    """Return batches of numbers of rows about equally long, in a random order.

    By `lengths`, the numbers of tokens, `batch_size` rows make a batch, the longest ones perhaps
    fewer. `rng` orders the batches, and rows of the same length.

    >>> bucket_by_length([9, 3, 8, 2], 2, rng=np.random.default_rng(0))
    [[2, 0], [3, 1]]
    """
    shuffled = rng.permutation(len(lengths))
    by_length = shuffled[np.argsort(np.asarray(lengths)[shuffled], kind="stable")].tolist()
    batches = [by_length[at : at + batch_size] for at in range(0, len(by_length), batch_size)]
    return [batches[place] for place in rng.permutation(len(batches))]


def padding_share(batches: Iterable[Batch]) -> float:
    """Return which share of all positions of `batches` is padding, by their ``attention_mask``.

    >>> padding_share([{"attention_mask": torch.tensor([[1, 1, 1], [1, 0, 0]])}])
    0.33333333333333337
    """
    tokens = positions = 0
    for batch in batches:
        tokens += int(batch["attention_mask"].sum())
        positions += batch["attention_mask"].numel()
    if not positions:
        raise ValueError("there is no batch, so there is no share; give at least one")
    return 1 - tokens / positions


class PretrainingBatches:
    """Turn documents into the batches of pre-training, the same ones for the same seed.

    In each epoch every sentence that has a next one is the first of one pair. Documents are
    shuffled; so many pairs as `batches_per_pool` batches need make a pool; a pool is sorted by
    length and cut into batches, and its batches are shuffled. All draws depend on `seed`, the epoch
    and the number of the pool or the batch alone: any batch can be made without those before it.

    Args:
        documents: `TextDocuments`, or lists of sentences; at least two documents.
        tokenizer: Knows the word pieces and the special tokens.
        batch_size: Pairs in a batch, at least 1; the last batch of a pool may have fewer.
        seed: At least 0.
        max_length: The most tokens of a pair, at least 5; longer ones are cut.
        batches_per_pool: Batches that are sorted together, at least 1; more mean less padding.
        mlm_probability: Chance of a token to be chosen for prediction.

    Source: Devlin et al. (2019), section 3.1 and appendix A.2.

    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> corpus = [["one cat", "one dog", "one cat"], ["one dog", "one cat"]]
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "one", "cat", "dog"])
    >>> batches = PretrainingBatches(corpus, tokenizer, batch_size=2, seed=0)
    >>> len(batches), [tuple(batch["input_ids"].shape) for batch in batches.epoch(0)]
    (2, [(2, 7), (1, 7)])
    """

    def __init__(
        self,
        documents: Documents,
        tokenizer: WordPieceTokenizer,
        *,
        batch_size: int,
        seed: int,
        max_length: int = 128,
        batches_per_pool: int = 50,
        mlm_probability: float = 0.15,
    ) -> None:
        check_documents(documents)
        require_number("batch_size", batch_size, 1, why=": rows are trained together")
        require_number("seed", seed, 0)
        reason = ": three special tokens and one of each sentence"
        require_number("max_length", max_length, 5, why=reason)
        require_number("batches_per_pool", batches_per_pool, 1, why=": they are sorted together")
        self.documents, self.tokenizer = documents, tokenizer
        self.batch_size, self.seed, self.max_length = batch_size, seed, max_length
        self.batches_per_pool, self.mlm_probability = batches_per_pool, mlm_probability
        self.pairs_in_document = np.asarray([*map(len, documents)]) - 1
        self.pairs = int(self.pairs_in_document.sum())
        self._special_ids = [tokenizer.vocab[token] for token in SPECIAL_TOKENS]

    @property
    def identity(self) -> dict[str, Any]:
        """Return what determines these batches; a run resumes only with the same."""
        names = ("seed", "batch_size", "max_length", "batches_per_pool", "mlm_probability", "pairs")
        return {name: getattr(self, name) for name in names} | {
            "documents": len(self.documents),
            "fingerprint_of_documents": fingerprint(self.documents),
            "fingerprint_of_vocabulary": fingerprint([self.tokenizer.pieces]),
            "do_lower_case": self.tokenizer.do_lower_case,
        }

    def __len__(self) -> int:
        """Count the batches of an epoch."""
        return -(-self.pairs // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        """Return the batches of epoch 0, always the same ones: for evaluation."""
        return self.epoch(0)

    def epoch(self, number: int, start: int = 0) -> Iterator[Batch]:
        """Yield the batches of epoch `number`, from batch `start` on.

        Each has ``input_ids``, ``attention_mask``, ``token_type_ids`` and ``labels``, (batch, seq),
        and ``next_sentence_label``, (batch,).
        """
        order = self._rng(number, _ORDER, 0).permutation(len(self.documents))
        ends = np.cumsum(self.pairs_in_document[order])
        for pool in range(start // self.batches_per_pool, -(-len(self) // self.batches_per_pool)):
            first = pool * self.batches_per_pool
            rng = self._rng(number, _PAIRS, pool)
            rows = list(self._rows(order, ends, first * self.batch_size, rng))
            buckets = bucket_by_length([len(ids) for ids, *_ in rows], self.batch_size, rng=rng)
            for batch, bucket in islice(enumerate(buckets, first), max(0, start - first), None):
                yield self._batch([rows[row] for row in bucket], number, batch)

    def _rows(
        self, order: np.ndarray, ends: np.ndarray, begin: int, rng: np.random.Generator
    ) -> Iterator[Row]:
        """Encode the pairs of one pool; `ends` counts the pairs up to each document's end."""
        end = min(begin + self.batches_per_pool * self.batch_size, self.pairs)
        place = int(np.searchsorted(ends, begin, side="right"))
        while begin < end:
            document = int(order[place])
            skipped = begin - int(ends[place]) + int(self.pairs_in_document[document])
            taken = min(end, int(ends[place])) - begin
            pairs = draw_pairs(
                self.documents, document, rng=rng, start=skipped, stop=skipped + taken
            )
            for pair in pairs:
                ids, types = encode_pair(self.tokenizer, pair, self.max_length, rng=rng)
                yield ids, types, pair.next_sentence_label
            begin, place = begin + taken, place + 1

    def _batch(self, rows: list[Row], epoch: int, number: int) -> Batch:
        batch = pad_rows([(ids, types) for ids, types, _ in rows], self.tokenizer.pad_token_id)
        seed = int(self._rng(epoch, _MASKS, number).integers(2**32))
        batch["input_ids"], batch["labels"] = part(corrupt_tokens)(
            batch["input_ids"],
            vocab_size=self.tokenizer.vocab_size,
            mask_token_id=self.tokenizer.mask_token_id,
            special_ids=self._special_ids,
            generator=torch.Generator().manual_seed(seed),
            mlm_probability=self.mlm_probability,
        )
        batch["next_sentence_label"] = torch.tensor([label for *_, label in rows])
        return batch

    def _rng(self, epoch: int, purpose: int, number: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, epoch, purpose, number))
