"""Train the searcher of Chapter 22 with one thing changed, each change at the best of its rates.

``python -m benchmarks.search_runs`` makes all runs and stores them in ``records/search_runs.json``
(half a minute of one thread each); stopped, it goes on where it was. The first seed tries three
rates, and one beyond them where the best is the first or the last. Which is best is decided on
other stories than those that are searched afterwards, and the other seeds take that rate alone.
Runs of one seed draw their random weights and their batches from it.
"""

import json
import time
from collections.abc import Mapping
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from bertbook.corpus import sample_documents, small_world
from bertbook.records import record_path
from bertbook.topics.search.ranking import reciprocal_ranks
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.pretraining import BertForPreTraining

from .drafts import Draft
from .records import origin
from .search import QUERIES, Pairs, chapter, hard_negatives, held_out, ranks
from .weights import SMALL_WORLD

RECORD = record_path("search_runs")
COMMAND = "python -m benchmarks.search_runs"
LOWER, *RATES, HIGHER = 1.7e-4, 5e-4, 1.5e-3, 4.5e-3, 1.35e-2  # the ends only if need be
SEEDS, DEVELOPMENT, TRAINING = 3, 78, 16_000


class Setting(NamedTuple):
    """What one row has that the run of the chapter has not."""

    random_start: bool = False
    hard: bool = False
    options: Mapping = MappingProxyType({})


SETTINGS = {
    "as in the chapter": Setting(),
    "random start": Setting(random_start=True),
    "8 rows, as many pairs": Setting(options={"rows": 8, "steps": 1200}),
    "hard negatives": Setting(hard=True),
    "temperature 0.2": Setting(options={"temperature": 0.2}),
}


@cache
def development() -> Pairs:
    """Tell the stories by which a rate is chosen; none has a sentence of those searched."""
    searched = set(chain.from_iterable(held_out()))
    told = chapter.tell_stories(2 * QUERIES, DEVELOPMENT)
    return [pair for pair in told if searched.isdisjoint(pair)][:QUERIES]


@cache
def training() -> Pairs:
    """Tell the stories to learn from; they share no sentence with either list."""
    others = {*chain.from_iterable(held_out()), *chain.from_iterable(development())}
    told = sample_documents(small_world(), TRAINING, rng=np.random.default_rng(0))
    return [(first, second) for first, second in told if others.isdisjoint((first, second))]


def begin(setting: Setting, seed: int) -> BertModel:
    """Take the weights of Chapter 14 or random ones, without dropout."""
    torch.manual_seed(seed)
    stored = load_pretrained(BertForPreTraining, SMALL_WORLD).bert
    model = BertModel(stored.config) if setting.random_start else stored
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return model.train()


def examples(setting: Setting) -> tuple[Pairs, list[str] | None]:
    """Give the pairs to learn from, and their hard negatives if the setting asks for them."""
    return training(), _mined() if setting.hard else None


@cache
def _mined() -> list[str]:
    return hard_negatives(training())


def run(setting: Setting, rate: float, seed: int) -> dict:
    """Train once, and search both lists."""
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    model, (pairs, negatives) = begin(setting, seed), examples(setting)
    begun = time.process_time()
    losses = chapter.train_to_search(
        model, tokenizer, pairs, seed=seed, rate=rate, negatives=negatives, **setting.options
    )
    model.eval()
    chosen_by = reciprocal_ranks(np.array(ranks(model, tokenizer, development()))).mean()
    return {
        "seed": seed,
        "rate": rate,
        "development": round(float(chosen_by), 4),
        "ranks": ranks(model, tokenizer),
        "last_loss": round(float(np.mean(losses[-10:])), 4),
        "seconds": round(time.process_time() - begun),
    }


def best_rate(runs: list[dict]) -> float:
    """Choose by the stories that are not searched, and by the first seed alone."""
    return max((r for r in runs if r["seed"] == 0), key=lambda r: r["development"])["rate"]


def rate_to_try(runs: list[dict]) -> float | None:
    """Give a rate that the first seed has not tried: beyond the best, if that is the last one."""
    tried = {r["rate"] for r in runs if r["seed"] == 0}
    for rate in RATES:
        if rate not in tried:
            return rate
    best = best_rate(runs)
    beyond = {min(tried): LOWER, max(tried): HIGHER}.get(best)
    return None if best in (LOWER, HIGHER) else beyond


def lacking(rows: dict[str, list[dict]]) -> tuple[str, float, int] | None:
    """Say what is to be run next: a change after the other, first its rates."""
    for name in SETTINGS:
        runs = rows.get(name, [])
        if rate := rate_to_try(runs):
            return name, rate, 0
        made = {run["seed"] for run in runs}
        for seed in range(SEEDS):
            if seed not in made:
                return name, best_rate(runs), seed
    return None


def store(runs: dict) -> None:
    """Write the record."""
    content = {"command": COMMAND, "origin": origin(COMMAND), "runs": runs}
    with atomic_write(RECORD) as path:
        path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


def main() -> None:
    """Make all runs, and store them."""
    torch.set_num_threads(1)
    draft = Draft(RECORD)
    runs = draft.read({})
    with override(fast_parts()):
        while (next_one := lacking(runs)) is not None:
            name, rate, seed = next_one
            found = run(SETTINGS[name], rate, seed)
            runs.setdefault(name, []).append(found)
            draft.keep(runs)
            mrr = reciprocal_ranks(np.array(found["ranks"])).mean()
            print(
                f"{name:34} seed {seed} rate {rate:g}  development {found['development']:.3f}"
                f"  MRR {mrr:.3f}  {found['seconds']} s",
                flush=True,
            )
    store(runs)
    draft.done()


if __name__ == "__main__":
    main()
