"""Let the family learn a corner of the small world: the same updates, then the same time.

``python -m benchmarks.shoot_out`` trains every member for a few updates. ``--record`` chooses a
learning rate for each with a seed of its own, trains with five seeds, and stores all runs in
``records/shoot_out.json`` (half an hour of one thread); stopped, it goes on where it was. The
corner is the first six stories of Chapter 14's grammar, with its vocabulary. All members see the
same batches in the same order, in one thread, built of plain parts.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import nn

from bertbook.corpus import (
    MaskingNoise,
    Oracle,
    World,
    corrupted_floors,
    hidden_once_floors,
    sample_documents,
    sample_pairs,
    small_world,
    world_ladder,
)
from bertbook.records import record_path
from minibert.data import PretrainingBatches
from minibert.loading import load_tokenizer
from minibert.model import initialize_weights
from minibert.training import TrainingConfig, evaluate, make_optimizer, training_step

from .drafts import Draft
from .records import origin
from .shoot_out_apart import APART, time_of_both
from .shoot_out_ideas import IDEAS
from .shoot_out_members import FEW, HIDDEN, MEMBERS, SPREAD, VOCABULARY, Member, encode
from .weights import SMALL_WORLD

RECORD = record_path("shoot_out")
COMMAND = "python -m benchmarks.shoot_out --record"
UPDATES, SEEDS, SEED_OF_RATES = 400, range(5), 99
RATES = (3e-3, 6e-3, 12e-3)
STORIES, DOCUMENTS, BATCH, LONGEST = 6, 24_000, 32, 40
HELD_OUT, HELD_OUT_DOCUMENTS, FLOOR_PAIRS = 1_000_001, 2000, 5000
PAIRS, PAIR_UPDATES, PAIR_RATE, PAIR_SEED = 500, 96, 1e-3, 500_000
ALONE = APART | IDEAS
EVERYBODY = MEMBERS | FEW | ALONE
NEAR = 0.1  # members whose updates take BERT's time but for a tenth get no runs of equal time

Run = dict[str, Any]


def corner() -> World:
    """Return the small world with its first stories only."""
    world = small_world()
    return world._replace(stories=world.stories[:STORIES])


@cache
def batches(
    seed: int,
    masking: float,
    documents: int,
    epochs: int = 1,
) -> list[dict]:
    """Make batches of the corner, the same ones for all members; masks are new in each epoch."""
    made = PretrainingBatches(
        sample_documents(corner(), documents, rng=np.random.default_rng(seed)),
        load_tokenizer(SMALL_WORLD, do_lower_case=True),
        batch_size=BATCH,
        seed=seed,
        max_length=LONGEST,
        mlm_probability=masking,
    )
    return list(chain.from_iterable(made.epoch(number) for number in range(epochs)))


def plan(updates: int, seed: int, rate: float) -> TrainingConfig:
    """Plan a training as in Chapter 14: a tenth of warm-up, then down to 0 on a straight line."""
    return TrainingConfig(
        max_steps=updates,
        seed=seed,
        learning_rate=rate,
        warmup_steps=updates // 10,
        adam_beta2=0.98,
    )


def train(
    member: Member, seed: int, rate: float, updates: int, rate_of_teacher: float
) -> tuple[nn.Module, float]:
    """Train a member; return it, and the processor seconds of its updates."""
    told = teacher(seed, rate_of_teacher) if member.taught else None
    torch.manual_seed(seed)
    model = member.build(told)
    config = plan(updates, seed, rate)
    optimizer, seconds = make_optimizer(model, config), 0.0
    made = batches(seed, member.masking, member.documents or DOCUMENTS, member.epochs)
    for step in range(updates):
        batch, start = made[step % len(made)], time.process_time()
        training_step(model, optimizer, [batch], step, config, {"loss": "labels"})
        seconds += time.process_time() - start
    return model.eval(), seconds


@cache
def teacher(seed: int, rate: float) -> nn.Module:
    """Train the RoBERTa of the same seed, for the same number of updates."""
    return train(MEMBERS["RoBERTa"], seed, rate, UPDATES, rate)[0]


def examine(member: Member, model: nn.Module) -> dict[str, float]:
    """Ask for the hidden words of stories that are told anew, the same for all who read alike."""
    torch.manual_seed(HELD_OUT)  # ELECTRA draws words
    asked = batches(HELD_OUT, 0.15, HELD_OUT_DOCUMENTS)
    return {member.asked: round(evaluate(model, asked)["loss"], 4)}


def judge_pairs(encoder: nn.Module) -> float:
    """Fine-tune on 500 labeled pairs to say whether the second sentence follows the first."""
    torch.manual_seed(PAIR_SEED)
    head = nn.Linear(HIDDEN, 2)
    initialize_weights(head, SPREAD)
    both = nn.ModuleList([encoder, head]).train()
    config = plan(PAIR_UPDATES, PAIR_SEED, PAIR_RATE)
    optimizer = make_optimizer(both, config)
    given = intact(PAIR_SEED, PAIRS)
    for step in range(PAIR_UPDATES):
        batch = given[step % len(given)]
        scores = head(encode(encoder, batch)[:, 0])  # (batch, 2), from [CLS]
        optimizer.param_groups[0]["lr"] = optimizer.param_groups[1]["lr"] = config.learning_rate_at(
            step
        )
        optimizer.zero_grad()
        nn.functional.cross_entropy(scores, batch["next_sentence_label"]).backward()
        optimizer.step()
    both.eval()
    right = [
        head(encode(encoder, batch)[:, 0]).argmax(-1) == batch["next_sentence_label"]
        for batch in intact(HELD_OUT, HELD_OUT_DOCUMENTS)
    ]
    return torch.cat(right).float().mean().item()


@cache
def intact(seed: int, documents: int) -> list[dict]:
    """Make batches of pairs with no word hidden."""
    made = batches(seed, 0.15, documents)
    return [
        batch
        | {"input_ids": torch.where(batch["labels"] >= 0, batch["labels"], batch["input_ids"])}
        for batch in made
    ]


def make_run(
    name: str, part: str, seed: int, rate: float, updates: int, rate_of_teacher: float = RATES[1]
) -> Run:
    """Train and examine."""
    member = EVERYBODY[name]
    model, seconds = train(member, seed, rate, updates, rate_of_teacher)
    size = sum(parameter.numel() for parameter in model.encoder.parameters())
    run = {"member": name, "part": part, "seed": seed, "learning_rate": rate, "updates": updates}
    run |= {"seconds": round(seconds, 2), "parameters": size, **examine(member, model)}
    if part in ("updates", "time", "apart"):
        run["accuracy"] = round(judge_pairs(model.encoder), 4)
    return run


def best_rate(runs: list[Run], name: str) -> float:
    """Return the learning rate that did best with the seed that is for choosing."""
    tried = [run for run in runs if (run["member"], run["part"]) == (name, "rates")]
    return min(tried, key=lambda run: run[EVERYBODY[name].asked])["learning_rate"]


def equal_time(runs: list[Run], name: str) -> int:
    """Return how many updates take the seconds that BERT's took, by medians over the seeds."""
    seconds = {
        who: statistics.median(
            run["seconds"] for run in runs if (run["member"], run["part"]) == (who, "updates")
        )
        for who in ("BERT", name)
    }
    return round(UPDATES * seconds["BERT"] / seconds[name] / 10) * 10


def shoot_out(runs: list[Run], keep: Callable[[dict], None]) -> None:
    """Make all runs that are missing: rates, equal updates, equal time, one change at a time."""
    done = {(run["member"], run["part"], run["seed"], run["learning_rate"]) for run in runs}

    def make(name: str, part: str, seed: int, rate: float, updates: int = UPDATES) -> None:
        if (name, part, seed, rate) not in done:
            of_teacher = RATES[1] if seed == SEED_OF_RATES else best_rate(runs, "RoBERTa")
            runs.append(make_run(name, part, seed, rate, updates, of_teacher))
            print(json.dumps(runs[-1]), flush=True)
            keep({"runs": runs})

    for rate in RATES:
        for name in MEMBERS | ALONE:
            make(name, "rates", SEED_OF_RATES, rate)
    for seed in SEEDS:
        for name in MEMBERS:
            make(name, "updates", seed, best_rate(runs, name))
    for seed in SEEDS:
        for name in MEMBERS:
            updates = equal_time(runs, name)
            if abs(updates / UPDATES - 1) > NEAR:
                make(name, "time", seed, best_rate(runs, name), updates)
        for name in FEW:
            make(name, "few stories", seed, best_rate(runs, "RoBERTa"))
        for name in ALONE:
            make(name, "apart", seed, best_rate(runs, name))
        alone = "DistilBERT, alone"
        make(alone, "time of both", seed, best_rate(runs, alone), time_of_both(runs, UPDATES))


@cache
def limits() -> dict[str, Any]:
    """Compute the ladder and the floors of the corner."""
    rng, world = np.random.default_rng(HELD_OUT + 1), corner()
    pairs = sample_pairs(world, FLOOR_PAIRS, rng=rng)
    noise = MaskingNoise(random_words=VOCABULARY - 5)
    floors = corrupted_floors(Oracle(world), pairs, noise, rng=rng)
    ladder = world_ladder(world, VOCABULARY)._asdict()
    intact_pairs = hidden_once_floors(Oracle(world), pairs[:1000])
    found = {
        "ladder": ladder,
        "floor": floors.masked_word._asdict(),
        "ceiling": intact_pairs.accuracy._asdict(),
    }
    return {
        name: {part: round(value, 4) for part, value in values.items()}
        for name, values in found.items()
    }


def store(runs: list[Run]) -> None:
    """Write the record."""
    content = {"command": COMMAND, "origin": origin(COMMAND), "updates": UPDATES, **limits()}
    lines = ",\n".join(json.dumps(run) for run in runs)
    head = json.dumps(content, indent=1)[:-2]
    RECORD.write_text(f'{head},\n "runs": [\n{lines}\n]}}\n', encoding="utf-8")


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="make all runs; store")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    if record:
        draft = Draft(RECORD)
        runs = draft.read({"runs": []})["runs"]
        shoot_out(runs, draft.keep)
        store(runs)
        draft.done()
        return
    for name in MEMBERS:
        print(json.dumps(make_run(name, "updates", 0, RATES[1], 20)), flush=True)


if __name__ == "__main__":
    main()
