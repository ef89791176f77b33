"""Time pre-training from ragged sentences to updated weights, all of it, against transformers.

``python -m benchmarks.ragged`` prints one row, in about five minutes. One round is one pool of
pairs of English sentences, all different in length: tokens, masks, padding, forward, both losses,
backward, AdamW; dropout is 0.1 in both models. Ours are `PretrainingBatches`, which put pairs of
about one length into one batch and draw the pairs as well. Theirs take the same number of pairs,
drawn beforehand, in the order of the file: the Rust tokenizer, padding to the longest of the batch,
the collator that masks, `BertForPreTraining` with SDPA and PyTorch's default AdamW. Bucketed is
theirs with our order of the pairs. ``--busy`` counts the processor's time of one thread.
"""

import argparse
import dataclasses
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import torch
import transformers
from torch import nn

from benchmarks.encoder import measure, spread
from benchmarks.pretraining import build_theirs
from benchmarks.tokenizer import prose
from minibert.config import BertConfig
from minibert.data import (
    PretrainingBatches,
    SentencePair,
    bucket_by_length,
    draw_pairs,
    padding_share,
)
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

BATCH, POOL, LONGEST = 32, 20, 128
Batches = Callable[[], Iterator[dict]]


def documents() -> list[list[str]]:
    """Split prose into documents of sentences; a document has at least two."""
    found = ([part for part in text.split(". ") if part] for text in prose())
    return [sentences for sentences in found if len(sentences) > 1]


def their_batches(pairs: list[SentencePair], vocab: Path) -> Batches:
    """Return a function that makes transformers' batches of the pairs, in their order."""
    tokenizer = transformers.BertTokenizer(vocab=str(vocab))
    collate = transformers.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)

    def batches() -> Iterator[dict]:
        for at in range(0, len(pairs), BATCH):
            some = pairs[at : at + BATCH]
            firsts, seconds = [p.first for p in some], [p.second for p in some]
            rows = tokenizer(firsts, seconds, truncation=True, max_length=LONGEST)
            batch = collate([{name: rows[name][i] for name in rows} for i in range(len(some))])
            yield {**batch, "next_sentence_label": torch.tensor([p[2] for p in some])}

    return batches


def in_buckets(pairs: list[SentencePair], tokenizer: WordPieceTokenizer) -> list[SentencePair]:
    """Order pairs so that those of one batch are about equally long."""
    lengths = [len(tokenizer.encode(pair.first, pair.second)) for pair in pairs]
    buckets = bucket_by_length(lengths, BATCH, rng=np.random.default_rng(0))
    return [pairs[row] for row in chain.from_iterable(buckets)]


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--busy", action="store_true", help="1 thread, and its own time only")
    arguments = parser.parse_args()
    torch.set_num_threads(1 if arguments.busy else 2)
    texts = documents()
    tokenizer = WordPieceTokenizer.train(chain.from_iterable(texts), vocab_size=8192)
    rng = np.random.default_rng(0)
    pairs = [pair for number in range(len(texts)) for pair in draw_pairs(texts, number, rng=rng)]
    pairs = [pairs[row] for row in sorted(rng.permutation(len(pairs))[: BATCH * POOL])]
    config = BertConfig.mini(vocab_size=tokenizer.vocab_size)
    pool = PretrainingBatches(
        texts, tokenizer, batch_size=BATCH, seed=0, max_length=LONGEST, batches_per_pool=POOL
    )
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(vocab := Path(folder) / "vocab.txt")
        made = {
            "theirs": their_batches(pairs, vocab),
            "theirs, bucketed": their_batches(in_buckets(pairs, tokenizer), vocab),
            "ours": lambda: (batch for _, batch in zip(range(POOL), pool.epoch(0))),
        }
        models = {name: build_theirs(config) for name in list(made)[:2]}
        models["ours"] = BertForPreTraining(config)
        named = {name: trainer(models[name], made[name], name == "ours") for name in made}
        clock = time.process_time if arguments.busy else time.perf_counter
        times = measure(named, 0, arguments.rounds, clock)
    base = times.pop("theirs")
    print(
        f"transformers {transformers.__version__}, torch {torch.__version__}, "
        f"{dataclasses.asdict(config)['hidden_size']} x {config.num_hidden_layers}, "
        f"{len(pairs)} pairs, theirs {statistics.median(base):.1f} s"
    )
    for name, batches in made.items():
        print(f"  {name:18} {padding_share(batches()):.0%} padding")
    for name, runs in times.items():
        print(f"  {name:18} {spread(base, runs)} times as fast")


if __name__ == "__main__":
    main()
