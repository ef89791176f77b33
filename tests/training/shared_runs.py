"""The same runs for one process and for several: `torchrun --nproc-per-node 2 shared_runs.py DIR`.

Every process writes what it found to `DIR/rank.json`; checkpoints go to folders in DIR.
"""

import json
import math
import os
import sys
from pathlib import Path

import torch
from small_model import SmallModel, make_trainer, ragged_batches

from minibert.training import checkpoint_folders

OPTIONS = {"max_steps": 12, "save_steps": 4, "learning_rate": 0.01, "warmup_steps": 3}


def run(folder, **changes):
    """Train on ragged batches: one has a single row, and one has all its labels in even rows."""
    batches = ragged_batches(6)
    batches[2] = {name: tensor[:1] for name, tensor in batches[2].items()}
    batches[4]["labels"][1::2] = -100
    # Each process begins with weights of its own; those of process 0 are the ones that count.
    rank = int(os.environ.get("RANK", 0))
    model = SmallModel(seed=rank, dropout=0.0, dtype=torch.float64)
    trainer = make_trainer(folder, model, **OPTIONS | changes)
    if folder is not None and checkpoint_folders(folder):
        trainer.resume()
    trainer.fit(batches, ragged_batches(3, seed=9))
    return trainer


def all_runs(folder):
    """Also without the labels of pairs: their head is never used, and must not decay."""
    unused = make_trainer(None, SmallModel(dropout=0.0), terms={"word_loss": "labels"}, **OPTIONS)
    unused.fit([{k: v for k, v in b.items() if k != "pair_labels"} for b in ragged_batches()])
    return {
        "resumed": run(folder),
        "accumulated": run(None, gradient_accumulation_steps=2),
        "unused": unused,
    }


def dropout_draws():
    """Note a number from the generator of dropout in each of three steps."""
    drawn = []
    model = SmallModel()
    model.register_forward_pre_hook(lambda *_: drawn.append(torch.rand(()).item()))
    make_trainer(None, model, max_steps=3).fit(ragged_batches())
    return drawn


def failures(folder, rank):
    """See that all processes stop when the one that writes cannot, and on a bad number in one."""

    def no_room(_):
        raise OSError(28, "No space left on device")

    def spoil(model, _, output):
        if model.calls == 4 and rank == 0:
            output.word_loss = output.word_loss * math.nan

    messages, model, real = [], SmallModel(dropout=0.0), os.fsync
    model.register_forward_hook(spoil)
    for trainer, sync in (
        (make_trainer(folder / "full", **OPTIONS), no_room),
        (make_trainer(None, model, **OPTIONS), real),
    ):
        os.fsync = sync
        try:
            trainer.fit(ragged_batches())
        except (OSError, FloatingPointError) as error:
            messages.append(str(error))
        os.fsync = real
    return messages


def main(folder):
    trainers = all_runs(folder / "resumed")
    processes = trainers["resumed"].processes
    found = {
        "histories": {name: trainer.history for name, trainer in trainers.items()},
        "weights": {
            name: {n: p.flatten().tolist() for n, p in trainer.model.named_parameters()}
            for name, trainer in trainers.items()
        },
        "processes": [processes.rank, processes.world_size],
        "dropout_draws": dropout_draws(),
        "messages": failures(folder, processes.rank),
    }
    (folder / f"{processes.rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
