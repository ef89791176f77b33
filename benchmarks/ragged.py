"""Time training from ragged sentences to updated weights, all of it, against transformers.

``python -m benchmarks.ragged`` prints two rows, in some minutes each: pairs of English sentences,
for masked words and the next sentence, and single sentences, for masked words alone. A pair has
less padding, since a long sentence often meets a short one. One round is one pool of texts, all
different in length: tokens, masks, padding, forward, the losses, backward, AdamW; dropout is 0.1 in
both models. Ours put texts of about one length into one batch; for pairs these are
`PretrainingBatches`, which draw the pairs as well. Theirs take as many texts, drawn beforehand, in
the order of the file: the Rust tokenizer, padding to the longest of the batch, the collator that
masks, the model with SDPA and PyTorch's default AdamW. Bucketed is theirs with our order.
``--busy`` counts the processor's time of one thread.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np
import torch
import transformers
from torch import nn

from benchmarks.encoder import measure, spread
from benchmarks.pretraining import build_theirs
from benchmarks.tokenizer import prose
from minibert.config import BertConfig
from minibert.data import PretrainingBatches, bucket_by_length, draw_pairs, padding_share
from minibert.fast import fast_parts
from minibert.masking import corrupt_tokens
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks.inference import encode_rows
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.encode_batch import pad_rows

BATCH, LONGEST = 32, 128
POOLS = {"pairs": 20, "sentences": 50}  # batches
MODELS = {
    "pairs": (transformers.BertForPreTraining, BertForPreTraining),
    "sentences": (transformers.BertForMaskedLM, BertForMaskedLM),
}
Batches = Callable[[], Iterator[dict]]
Texts = tuple[str, ...]
"""One row of a batch: a sentence, or a pair."""


def documents() -> list[list[str]]:
    """Split prose into documents of sentences; a document has at least two."""
    found = ([part for part in text.split(". ") if part] for text in prose())
    return [sentences for sentences in found if len(sentences) > 1]


def draw(many: Sequence, number: int, rng: np.random.Generator) -> list:
    """Draw some of many, and keep their order."""
    return [many[row] for row in sorted(rng.permutation(len(many))[:number])]


def their_batches(rows: list[Texts], labels: list[int], vocab: Path) -> Batches:
    """Return a function that makes transformers' batches of the rows, in their order."""
    tokenizer = transformers.BertTokenizer(vocab=str(vocab))
    collate = transformers.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)

    def batches() -> Iterator[dict]:
        for at in range(0, len(rows), BATCH):
            columns = map(list, zip(*rows[at : at + BATCH], strict=True))
            found = tokenizer(*columns, truncation=True, max_length=LONGEST)
            told = labels[at : at + BATCH]
            count = len(found["input_ids"])
            batch = collate([{name: found[name][i] for name in found} for i in range(count)])
            yield {**batch, **({"next_sentence_label": torch.tensor(told)} if told else {})}

    return batches


def our_pairs(texts: list[list[str]], tokenizer: WordPieceTokenizer) -> Batches:
    """Return a function that makes the first pool of our batches of pairs."""
    pool = POOLS["pairs"]
    made = PretrainingBatches(
        texts, tokenizer, batch_size=BATCH, seed=0, max_length=LONGEST, batches_per_pool=pool
    )
    return lambda: islice(made.epoch(0), pool)


def our_sentences(rows: list[Texts], tokenizer: WordPieceTokenizer) -> Batches:
    """Return a function that makes our batches of single sentences, as for pairs, without pairs."""
    special_ids = [tokenizer.vocab[token] for token in SPECIAL_TOKENS]

    def batches() -> Iterator[dict]:
        generator = torch.Generator().manual_seed(0)
        encoded = encode_rows(tokenizer, [sentence for (sentence,) in rows], max_length=LONGEST)
        lengths = [len(ids) for ids, _ in encoded]
        for bucket in bucket_by_length(lengths, BATCH, rng=np.random.default_rng(0)):
            batch = pad_rows([encoded[row] for row in bucket], tokenizer.pad_token_id)
            batch["input_ids"], batch["labels"] = corrupt_tokens(
                batch["input_ids"],
                vocab_size=tokenizer.vocab_size,
                mask_token_id=tokenizer.mask_token_id,
                special_ids=special_ids,
                generator=generator,
            )
            yield batch

    return batches


def by_length(rows: list[Texts], tokenizer: WordPieceTokenizer) -> list[int]:
    """Order rows so that those of one batch are about equally long."""
    lengths = [len(tokenizer.encode(*row)) for row in rows]
    return list(chain.from_iterable(bucket_by_length(lengths, BATCH, rng=np.random.default_rng(0))))


def trainer(model: nn.Module, batches: Batches, fused: bool) -> Callable[[], None]:
    """Return a function that trains on one pool."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=fused or None)
    model.train()

    def train() -> None:
        for batch in batches():
            optimizer.zero_grad()
            model(**batch).loss.backward()
            optimizer.step()

    return train


def candidates(
    kind: str, texts: list[list[str]], tokenizer: WordPieceTokenizer, vocab: Path
) -> dict[str, Batches]:
    """Make the batches of all three for one kind of rows."""
    rng, number = np.random.default_rng(0), BATCH * POOLS[kind]
    if kind == "pairs":
        every = (draw_pairs(texts, document, rng=rng) for document in range(len(texts)))
        pairs = draw(list(chain.from_iterable(every)), number, rng)
        rows, labels = [pair[:2] for pair in pairs], [pair.next_sentence_label for pair in pairs]
        ours = our_pairs(texts, tokenizer)
    else:
        rows = [(sentence,) for sentence in draw(list(chain.from_iterable(texts)), number, rng)]
        labels, ours = [], our_sentences(rows, tokenizer)
    order = by_length(rows, tokenizer)
    return {
        "theirs": their_batches(rows, labels, vocab),
        "theirs, bucketed": their_batches(
            [rows[row] for row in order], [labels[row] for row in order] if labels else [], vocab
        ),
        "ours": ours,
    }


def compare(kind: str, made: dict[str, Batches], config: BertConfig, **wishes) -> None:
    """Train all three in turn, and print how much faster than theirs they are."""
    theirs, ours = MODELS[kind]
    models = {name: build_theirs(config, theirs) for name in made}
    with override(fast_parts()):
        models["ours"] = ours(config)
    named = {name: trainer(models[name], made[name], name == "ours") for name in made}
    times = measure(named, 0, **wishes)
    base = times.pop("theirs")
    print(f"\n{BATCH * POOLS[kind]} {kind}, theirs {statistics.median(base):.1f} s")
    for name, batches in made.items():
        print(f"  {name:18} {padding_share(batches()):.0%} padding")
    for name, runs in times.items():
        print(f"  {name:18} {spread(base, runs)} times as fast", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=POOLS, default=list(POOLS))
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--busy", action="store_true", help="1 thread, and its own time only")
    arguments = parser.parse_args()
    torch.set_num_threads(1 if arguments.busy else 2)
    clock = time.process_time if arguments.busy else time.perf_counter
    texts = documents()
    with override(fast_parts()):
        tokenizer = WordPieceTokenizer.train(chain.from_iterable(texts), vocab_size=8192)
    config = BertConfig.mini(vocab_size=tokenizer.vocab_size)
    print(
        f"transformers {transformers.__version__}, torch {torch.__version__}, "
        f"{config.hidden_size} x {config.num_hidden_layers}"
    )
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(vocab := Path(folder) / "vocab.txt")
        for kind in arguments.rows:
            made = candidates(kind, texts, tokenizer, vocab)
            compare(kind, made, config, rounds=arguments.rounds, clock=clock)


if __name__ == "__main__":
    main()
