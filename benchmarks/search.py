"""Search the small world and a real text by meaning, for Chapter 22.

``python -m benchmarks.search --record`` trains and compares, and stores every rank in
``benchmarks/search.json``. The pairs, the vectors and the training are those that the chapter
types; one thread, so that a run can be repeated.
"""

import argparse
import copy
import json
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

import bm25s
import numpy as np
import torch

from bertbook.analysis.ranking import ranks_of_right, reciprocal_ranks
from bertbook.corpus import Oracle, sample_documents, small_world
from minibert.data import PretrainingBatches
from minibert.fast import switch_on
from minibert.model import BertModel
from minibert.pretrained import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.training import BertTrainer
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

from .real_search import real_ranks
from .records import origin
from .search_costs import seconds_per_query
from .weights import SMALL_WORLD

RECORD = Path(__file__).with_suffix(".json")
COMMAND = "python -m benchmarks.search --record"
QUERIES, TRAINING, HELD_OUT = 300, 16_000, 77
SEEDS, SEEDS_OF_OBJECTIVES, JUDGE_STEPS = 3, 2, 400
PRETRAINING_STEPS, DOCUMENTS, VOCABULARY = 1_500, 60_000, 1200
OBJECTIVES = {
    "words and pairs": {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"},
    "words only": {"masked_lm_loss": "labels"},
}

chapter = chapter_definitions("22-search-by-meaning")
before = chapter_definitions("14-pre-train-a-small-world")
Pairs = Sequence[tuple[str, str]]


@cache
def held_out() -> Pairs:
    """Return the stories that are searched."""
    return chapter.tell_stories(QUERIES, HELD_OUT)


@cache
def training_pairs() -> Pairs:
    """Return stories of which none is searched."""
    searched = set(chain.from_iterable(held_out()))
    told = sample_documents(small_world(), TRAINING, rng=np.random.default_rng(0))
    return [pair for pair in told if searched.isdisjoint(pair)]


def ranks(model: BertModel, tokenizer: WordPieceTokenizer) -> list[int]:
    """Rank the second sentences by the cosine to the first ones."""
    firsts, seconds = zip(*held_out())
    vectors = (chapter.sentence_vectors(model, tokenizer, side) for side in (firsts, seconds))
    first, second = (side.numpy() for side in vectors)
    return ranks_of_right(first @ second.T, range(QUERIES)).tolist()


def word_ranks() -> list[int]:
    """Rank them by BM25, which knows words and nothing else."""
    firsts, seconds = zip(*held_out())
    index = bm25s.BM25()
    index.index([text.split() for text in seconds], show_progress=False)
    scores = np.stack([index.get_scores(text.split()) for text in firsts])
    return ranks_of_right(scores, range(QUERIES)).tolist()


def best_scores() -> np.ndarray:
    """Compute the log-odds of every pair: by how much the one sentence speaks for the other."""
    firsts, seconds = zip(*held_out())
    oracle = Oracle(small_world())
    chances = [oracle.read([(first, second) for second in seconds]).is_next for first in firsts]
    with np.errstate(divide="ignore"):
        return np.log(chances) - np.log1p(-np.array(chances))


def best_ranks() -> list[int]:
    """Rank them by that; what is exactly as probable stands in random order."""
    scores = best_scores()
    shuffled = scores + np.random.default_rng(0).uniform(0, 1e-9, scores.shape)
    return ranks_of_right(shuffled, range(QUERIES)).tolist()


def hard_negatives(pairs: Pairs) -> list[str]:
    """Find for each first sentence the other second one that shares the most words with it."""
    seconds = list(dict.fromkeys(second for _, second in pairs))
    place = {second: number for number, second in enumerate(seconds)}
    index = bm25s.BM25()
    index.index([second.split() for second in seconds], show_progress=False)
    found = []
    for first, second in pairs:
        scores = index.get_scores(first.split())
        scores[place[second]] = -np.inf
        found.append(seconds[int(scores.argmax())])
    return found


def pretrain(objective: str, seed: int) -> tuple[BertModel, WordPieceTokenizer]:
    """Train the model of Chapter 14 for a fifth of its time, with or without pairs."""
    documents = sample_documents(small_world(), DOCUMENTS, rng=np.random.default_rng(seed))
    tokenizer = WordPieceTokenizer.train(chain.from_iterable(documents), vocab_size=VOCABULARY)
    model = before.small_bert(tokenizer, seed)
    plan = before.small_plan(PRETRAINING_STEPS, seed, PRETRAINING_STEPS)
    terms = OBJECTIVES[objective]
    trainer = BertTrainer(model, plan, device="cpu", terms=terms, show_progress=False)
    trainer.fit(PretrainingBatches(documents, tokenizer, batch_size=32, seed=seed, max_length=40))
    return model.bert, tokenizer


def tell(row: str, found: list[int], start: float) -> list[int]:
    """Print a row while the others are computed."""
    mrr = reciprocal_ranks(np.array(found)).mean()
    print(f"{row:40} MRR {mrr:.3f}  {time.perf_counter() - start:5.0f} s", flush=True)
    return found


def trained(
    start: BertModel, tokenizer: WordPieceTokenizer, seed: int, count: int = TRAINING, **settings
) -> dict:
    """Train a copy to search, on so many pairs at most, and rank with it."""
    torch.manual_seed(seed)
    model, begun = copy.deepcopy(start).train(), time.perf_counter()
    pairs = training_pairs()[:count]
    losses = chapter.train_to_search(model, tokenizer, pairs, seed=seed, **settings)
    name = f"seed {seed} {list(settings)}"
    return {
        "seed": seed,
        "ranks": tell(name, ranks(model.eval(), tokenizer), begun),
        "seconds": round(time.perf_counter() - begun),
        "losses": [round(loss, 4) for loss in losses[::10]],
    }


def over_seeds(start: BertModel, tokenizer: WordPieceTokenizer, **settings) -> list[dict]:
    """Repeat a training with other batches."""
    return [trained(start, tokenizer, seed, **settings) for seed in range(SEEDS)]


def judge_ranks(judge: BertForPreTraining, tokenizer: WordPieceTokenizer) -> list[int]:
    """Let a cross-encoder sort the ten documents again that BM25 finds."""
    firsts, seconds = zip(*held_out())
    index = bm25s.BM25()
    index.index([text.split() for text in seconds], show_progress=False)
    scores = np.stack([index.get_scores(text.split()) for text in firsts])
    return ranks_of_right(
        chapter.rerank(judge, tokenizer, scores, firsts, seconds), range(QUERIES)
    ).tolist()


def trained_judge(tokenizer: WordPieceTokenizer, seed: int) -> dict:
    """Train the head for the next sentence on near misses: true pairs, and the best wrong ones."""
    torch.manual_seed(seed)
    judge = load_pretrained(BertForPreTraining, SMALL_WORLD).train()
    pairs, rng, begun = training_pairs(), np.random.default_rng(seed), time.perf_counter()
    wrong = hard_negatives(pairs)
    optimizer = torch.optim.AdamW(judge.parameters(), lr=5e-4)
    for step in range(JUDGE_STEPS):
        chosen = rng.choice(len(pairs), size=32, replace=False)
        firsts = [pairs[i][0] for i in chosen]
        batch = tokenizer(2 * firsts, [pairs[i][1] for i in chosen] + [wrong[i] for i in chosen])
        labels = torch.tensor([0] * len(chosen) + [1] * len(chosen))
        optimizer.param_groups[0]["lr"] = 5e-4 * min((step + 1) / 30, 1 - step / JUDGE_STEPS)
        optimizer.zero_grad()
        judge(**batch, next_sentence_label=labels).loss.backward()
        optimizer.step()
    found = tell(f"judge {seed}", judge_ranks(judge.eval(), tokenizer), begun)
    return {"seed": seed, "ranks": found, "seconds": round(time.perf_counter() - begun)}


def judge_rows() -> dict[str, object]:
    """Rerank with the head for the next sentence, as it is and trained on near misses."""
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    stored = load_pretrained(BertForPreTraining, SMALL_WORLD)
    return {
        "as pre-trained": judge_ranks(stored, tokenizer),
        "trained on near misses": [trained_judge(tokenizer, seed) for seed in range(SEEDS)],
    }


def small_world_rows() -> dict[str, object]:
    """Search with the stored model of Chapter 14, before and after."""
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    stored = load_pretrained(BertForPreTraining, SMALL_WORLD).bert
    torch.manual_seed(0)
    untrained = BertModel(stored.config)
    rows: dict[str, Callable] = {
        "words in common (BM25)": word_ranks,
        "best possible": best_ranks,
        "before": lambda: ranks(stored, tokenizer),
        "untrained": lambda: ranks(untrained, tokenizer),
        "after": lambda: over_seeds(stored, tokenizer),
        "after, from random weights": lambda: over_seeds(untrained, tokenizer),
        "after, 500 pairs": lambda: over_seeds(stored, tokenizer, count=500),
        "after, random, 500 pairs": lambda: over_seeds(untrained, tokenizer, count=500),
        "after, hard negatives": lambda: over_seeds(
            stored, tokenizer, negatives=hard_negatives(training_pairs())
        ),
        **{
            f"after, temperature {value:g}": lambda value=value: over_seeds(
                stored, tokenizer, temperature=value
            )
            for value in (0.01, 0.2, 1.0)
        },
        "after, 8 rows": lambda: over_seeds(stored, tokenizer, rows=8),
    }
    found = {}
    for name, compute in rows.items():
        start = time.perf_counter()
        found[name] = compute()
        if isinstance(found[name][0], int):
            tell(name, found[name], start)
        else:
            print(name, flush=True)
    return found


def objective_rows() -> dict[str, list[dict]]:
    """Train with masked words only, and with pairs as well; search before and after."""
    rows = {}
    for objective in OBJECTIVES:
        rows[objective] = []
        for seed in range(SEEDS_OF_OBJECTIVES):
            start = time.perf_counter()
            model, tokenizer = pretrain(objective, seed)
            found = tell(f"{objective} {seed}", ranks(model.eval(), tokenizer), start)
            after = trained(model, tokenizer, seed)
            rows[objective].append({"seed": seed, "before": found, "after": after["ranks"]})
    return rows


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="store what was measured")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    with switch_on():
        content = {
            "command": COMMAND,
            "origin": origin(),
            "small_world": small_world_rows(),
            "judges": judge_rows(),
            "seconds_per_query": seconds_per_query(held_out()),
            "real": real_ranks(),
            "objectives": objective_rows(),
        }
    if record:
        RECORD.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
