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


def batches_with_few_rows():
    """Ragged batches, one with a single row, and one whose labels all stand in even rows."""
    batches = ragged_batches(6)
    batches[2] = {name: tensor[:1] for name, tensor in batches[2].items()}
    batches[4]["labels"] = batches[4]["labels"].clone()
    batches[4]["labels"][1::2] = -100
    return batches


def run(folder, dtype=torch.float32, **changes):
    # Each process begins with weights of its own; those of process 0 are the ones that count.
    model = SmallModel(seed=int(os.environ.get("RANK", 0)), dropout=0.0, dtype=dtype)
    trainer = make_trainer(folder, model, **OPTIONS | changes)
    if folder is not None and checkpoint_folders(folder):
        trainer.resume()
    trainer.fit(batches_with_few_rows(), ragged_batches(3, seed=9))
    return trainer


def unused_part(folder):
    """Train without the labels of pairs: their head is never used, and must not decay."""
    model = SmallModel(dropout=0.0)
    trainer = make_trainer(folder, model, terms={"word_loss": "labels"}, **OPTIONS)
    trainer.fit([{k: v for k, v in b.items() if k != "pair_labels"} for b in ragged_batches()])
    return trainer


def dropout_draws():
    """Note a number from the generator of dropout in each of three steps."""
    drawn = []
    model = SmallModel()
    model.register_forward_pre_hook(lambda *_: drawn.append(torch.rand(()).item()))
    make_trainer(None, model, max_steps=3).fit(ragged_batches())
    return drawn


def _no_room(_):
    raise OSError(28, "No space left on device")


def main(folder):
    trainers = {
        "resumed": run(folder / "resumed", torch.float64),
        "accumulated": run(None, torch.float64, gradient_accumulation_steps=2),
        "unused": unused_part(None),
    }
    found = {
        name: {
            "history": trainer.history,
            "weights": {n: p.flatten().tolist() for n, p in trainer.model.named_parameters()},
        }
        for name, trainer in trainers.items()
    }
    processes = trainers["resumed"].processes
    found["processes"] = [processes.rank, processes.world_size]
    found["dropout_draws"] = dropout_draws()
    found["messages"] = _failures(folder)
    (folder / f"{processes.rank}.json").write_text(json.dumps(found))


def _failures(folder):
    """See that all processes stop when the one that writes cannot, and on a bad number in one."""
    messages = []
    real, os.fsync = os.fsync, _no_room
    try:
        make_trainer(folder / "full", **OPTIONS).fit(ragged_batches())
    except OSError as error:
        messages.append(str(error))
    finally:
        os.fsync = real
    model = SmallModel(dropout=0.0)
    if int(os.environ.get("RANK", 0)) == 0:
        model.register_forward_hook(_spoil)
    try:
        make_trainer(None, model, **OPTIONS).fit(ragged_batches())
    except FloatingPointError as error:
        messages.append(str(error))
    return messages


def _spoil(model, _, output):
    if model.calls == 4:
        output.word_loss = output.word_loss * math.nan


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
