"""Give the toy of Chapter 5 BERT's parts, one after the other, and see what each of them buys.

``python -m benchmarks.toy_parts`` trains every row once. ``--record`` chooses a learning rate for
each row by seeds of their own, trains with five others, and stores ``records/toy_parts.json``
(twelve minutes of one thread). The model is the encoder of the package, with 32 numbers per token;
what a row has not got yet is played by a part that does nothing. All rows get the same number of
updates.
"""

import argparse
import json
import math
import time
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from bertbook.corpus import masked_word_ladder
from bertbook.records import record_path
from minibert.losses import IGNORED_LABEL
from minibert.masking import ordinary_ids, replace_tokens

from .records import mean_and_sd, origin
from .toy_rows import CLS, MASK, PAD, ROWS, SENTENCES, SEP, WORDS, Row, build

RECORD = record_path("toy_parts")
COMMAND = "python -m benchmarks.toy_parts --record"
UPDATES, BATCH_SIZE, PAIRS, FIRST = 500, 128, 64, 10
RATES = 0.01, 0.02, 0.04  # tried first; more, while the best of them is the first or the last
SEEDS, SEEDS_OF_RATES = range(5), (98, 99)

ENCODED = [[WORDS.index(word) for word in sentence.split()] for sentence in SENTENCES]


def pad(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Put rows of ids into one table, and tell what in it is padding."""
    shape = len(rows), max(map(len, rows))
    input_ids = torch.full(shape, PAD)
    attention_mask = torch.zeros(shape, dtype=torch.long)
    for place, ids in enumerate(rows):
        input_ids[place, : len(ids)] = torch.tensor(ids)
        attention_mask[place, : len(ids)] = 1
    return input_ids, attention_mask  # (rows, seq) both


def riddles() -> dict[str, Tensor]:
    """Ask for every word of every sentence once; nothing is hidden yet."""
    asked = [(ids, place) for ids in ENCODED for place in range(len(ids))]
    input_ids, attention_mask = pad([ids for ids, _ in asked])
    labels = torch.full_like(input_ids, IGNORED_LABEL)
    for number, (ids, place) in enumerate(asked):
        labels[number, place] = ids[place]
    return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


def hide(batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """Put [MASK] in the place of each word that is asked for."""
    hidden = batch["input_ids"].masked_fill(batch["labels"] != IGNORED_LABEL, MASK)
    return batch | {"input_ids": hidden}


def corrupt(batch: dict[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    """Hide 80 % of the words asked for, replace 10 %, and leave 10 % as they are."""
    corrupted = replace_tokens(
        batch["input_ids"],
        batch["labels"] != IGNORED_LABEL,
        words=ordinary_ids(len(WORDS), {MASK, CLS, SEP, PAD}),
        mask_token_id=MASK,
        generator=generator,
    )
    return batch | {"input_ids": corrupted}


def halves(chosen: Iterable[tuple[int, int]]) -> dict[str, Tensor]:
    """Ask whether the second half of one sentence is that of another: 0 if it is the same one."""
    rows, types, labels = [], [], []
    for first, second in chosen:
        cut = len(ENCODED[first]) // 2, len(ENCODED[second]) // 2
        front, back = ENCODED[first][: cut[0]], ENCODED[second][cut[1] :]
        rows.append([CLS, *front, SEP, *back, SEP])
        types.append([0] * (len(front) + 2) + [1] * (len(back) + 1))
        labels.append(int(first != second))
    input_ids, attention_mask = pad(rows)
    return {
        "input_ids": input_ids,
        "attention_mask": attention_mask,
        "token_type_ids": pad(types)[0].clamp(max=1),
        "next_sentence_label": torch.tensor(labels),
    }


def draw_halves(generator: torch.Generator) -> dict[str, Tensor]:
    """Draw a batch of halves; every second pair belongs together."""
    first = torch.randint(len(ENCODED), (PAIRS,), generator=generator)
    step = torch.randint(1, len(ENCODED), (PAIRS,), generator=generator)
    step[::2] = 0
    return halves(zip(first.tolist(), ((first + step) % len(ENCODED)).tolist()))


def train(
    row: Row,
    seed: int,
    rate: float,
    *,
    updates: int = UPDATES,
    warmup: int = 0,
    batch_size: int = BATCH_SIZE,
) -> nn.Module:
    """Train a toy as Chapter 5 does: Adam, with a learning rate that falls to 0 like a cosine."""
    model, asked = build(row, seed).train(), riddles()
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for step in range(updates):
        rises = min(1.0, (step + 1) / (warmup + 1))
        falls = (1 + math.cos(math.pi * step / updates)) / 2
        optimizer.param_groups[0]["lr"] = rate * rises * falls
        chosen = torch.randperm(len(asked["labels"]), generator=generator)[:batch_size]
        batch = {name: tensor[chosen] for name, tensor in asked.items()}
        batch = corrupt(batch, generator) if row.corrupts else hide(batch)
        loss = model(**batch).loss
        if row.pairs:
            loss = loss + model(**draw_halves(generator)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


@torch.no_grad()
def examine(model: nn.Module, row: Row) -> dict[str, float]:
    """Ask all 560 riddles, hidden and in sight; and all 10 000 pairs of halves."""
    asked = riddles()
    found = {"loss": model(**hide(asked)).loss, "in_sight": model(**asked).loss}
    if row.pairs:
        numbers = range(len(ENCODED))
        true = model(**halves((i, i) for i in numbers)).loss
        false = model(**halves((i, j) for i in numbers for j in numbers if i != j)).loss
        found["pairs"] = (true + false) / 2
    return {name: loss.item() for name, loss in found.items()}


def pairs_floor() -> float:
    """Compute the smallest loss on pairs that anybody can reach, by counting."""
    batch = halves((i, j) for i in range(len(ENCODED)) for j in range(len(ENCODED)))
    chances: dict[tuple, list[float]] = {}
    for ids, label in zip(batch["input_ids"].tolist(), batch["next_sentence_label"].tolist()):
        weight = 0.5 / len(ENCODED) / (len(ENCODED) - 1 if label else 1)
        chances.setdefault(tuple(ids), [0.0, 0.0])[label] += weight
    return sum(-p * math.log(p / sum(both)) for both in chances.values() for p in both if p)


def measure(
    row: Row, seeds: Iterable[int], rate: float, updates: int = UPDATES
) -> dict[str, list[float]]:
    """Train a toy with several seeds; one column for each thing that it is asked."""
    found = [examine(train(row, seed, rate, updates=updates), row) for seed in seeds]
    return {name: [round(run[name], 4) for run in found] for name in found[0]}


def try_rates(row: Row) -> dict[float, float]:
    """Return the mean loss at hidden words for rates of which the best is neither end."""
    tried: dict[float, float] = {}
    wanted = [*RATES]
    while wanted:
        for rate in wanted:
            losses = measure(row, SEEDS_OF_RATES, rate, UPDATES)["loss"]
            tried[rate] = round(sum(losses) / len(losses), 4)
        best = min(tried, key=lambda rate: tried[rate])
        further = {min(tried): best / 2, max(tried): best * 2}
        wanted = [further[best]] if best in further else []
    return dict(sorted(tried.items()))


def record_row(row: Row) -> dict[str, Any]:
    """Choose a rate, and train a row with every seed."""
    tried = try_rates(row)
    rate = min(tried, key=lambda one: tried[one])
    start = time.process_time()
    columns = measure(row, SEEDS, rate, UPDATES)
    return {
        "part": row.part,
        "name": row.name,
        "tried": [{"learning_rate": one, "loss": loss} for one, loss in tried.items()],
        "learning_rate": rate,
        "parameters": sum(p.numel() for p in build(row, 0).parameters()),
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
        "after_ten_updates": measure(row, [0], rate, FIRST)["loss"][0],
        "seconds": round(time.process_time() - start, 1),
    }


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"five seeds each; {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    ladder = masked_word_ladder(SENTENCES)
    print(f"floor {ladder.full:.4f} nats, a bag's best {ladder.bag:.4f}")
    rows = []
    for row in ROWS:
        if not record:
            print(f"{row.name:14} {measure(row, [0], RATES[0])}", flush=True)
            continue
        rows.append(record_row(row))
        print(json.dumps(rows[-1]), flush=True)
    if record:
        content = {
            "command": COMMAND,
            "origin": origin(COMMAND),
            "updates": UPDATES,
            "batch_size": BATCH_SIZE,
            "seeds": list(SEEDS),
            "ladder": {name: round(loss, 6) for name, loss in ladder._asdict().items()},
            "pairs_floor": round(pairs_floor(), 6),
            "rows": rows,
        }
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
