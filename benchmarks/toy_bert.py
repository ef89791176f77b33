"""Race the toy BERT of Chapter 5 to its floor: with positions, in batches, with dropout, or not.

``python -m benchmarks.toy_bert`` prints one seed (five minutes); ``python -m benchmarks.toy_bert
--record`` runs three and stores the result in ``records/toy_bert.json``, which Chapter 5 reads,
and the best model of seed 0 in ``records/toy``, with which the pages compute (a quarter of an
hour). The record also holds the whole of two runs of which the chapter makes the beginning: the
recipe's, and the five in which each sentence is held out once. Run it from the root of the
repository. The model and its training are those that the chapter types.
"""

import argparse
import itertools
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator

from bertbook.records import record_path, trained_folder

os.environ.setdefault("TQDM_DISABLE", "1")

import torch
from safetensors.torch import save_file

from bertbook.core import seed_everything
from bertbook.corpus import hundred_sentences, vocabulary
from minibert.losses import masked_lm_loss
from tests.book.definitions import chapter_definitions

from .records import origin

RECORD = record_path("toy_bert")
TRAINED = trained_folder("toy") / "model.safetensors"
COMMAND = "python -m benchmarks.toy_bert --record"
QUERIES = ("the man eats the [MASK]", "the man read the [MASK]", "the man [MASK] the book")
EPOCHS, STEPS, LOOKS = 500, 200, 50
RECIPE_SEED, FOLDS, LOOK_AT_FOLDS = 42, 5, 20

chapter = chapter_definitions("05-a-toy-bert")
torch.set_default_dtype(torch.float64)
sentences = hundred_sentences()
words = (*vocabulary(sentences)[1:], "[MASK]")
mask_id = words.index("[MASK]")
encoded = [chapter.look_up(sentence.split(), words) for sentence in sentences]
hidden_words = chapter.hide_every_word(encoded, mask_id)


def training(model: torch.nn.Module, seed: int, batched: bool, loss: Callable) -> Iterator:
    """Start one of the two ways to train."""
    generator = torch.Generator().manual_seed(seed)
    if batched:
        return chapter.train_in_batches(model, hidden_words, STEPS, generator, loss)
    return chapter.train_one_by_one(model, encoded, mask_id, EPOCHS, generator)


def race(
    seed: int, positions: int, batched: bool, rate: float, loss: Callable = masked_lm_loss
) -> tuple[torch.nn.Module, dict]:
    """Train one model and look at all hidden words now and then; looking costs no time.

    Processor seconds leave out the time in which other programs had the processor.
    """
    seed_everything(seed)
    spread = 0.1 if batched else 0.01
    model = chapter.ToyBert(len(words), positions=positions, spread=spread, rate=rate)
    every = (STEPS if batched else EPOCHS) // LOOKS
    losses, seconds, total = [chapter.exhaustive_loss(model, hidden_words)], [0.0], 0.0
    start = time.process_time()
    for step, _ in enumerate(training(model, seed, batched, loss), start=1):
        total += time.process_time() - start
        if step % every == 0:
            losses.append(chapter.exhaustive_loss(model, hidden_words))
            seconds.append(total)
        start = time.process_time()
    choice = {"seed": seed, "positions": positions, "batched": batched, "dropout": rate}
    curves = {"seconds": [round(s, 3) for s in seconds], "losses": [round(x, 4) for x in losses]}
    run = {**choice, **curves, "first_answers": [first_answer(model, query) for query in QUERIES]}
    print(*choice.values(), f"{total:.1f} s", run["losses"][-1], *run["first_answers"], flush=True)
    return model, run


def recipe(epochs: int = EPOCHS) -> dict:
    """Train as the recipe does; keep the mean loss of each epoch, and the loss at the end."""
    seed_everything(RECIPE_SEED)
    model = chapter.ToyBert(len(words))
    generator = torch.Generator().manual_seed(RECIPE_SEED)
    told = chapter.train_one_by_one(model, encoded, mask_id, epochs, generator)
    losses = [statistics.mean(of_epoch) for of_epoch in told]
    return {
        "seed": RECIPE_SEED,
        "losses": [round(loss, 4) for loss in losses],
        "all_hidden_words": round(chapter.exhaustive_loss(model, hidden_words), 4),
    }


def fold(number: int) -> dict:
    """Learn without every fifth sentence, and ask about both parts every twenty steps."""
    parts = chapter.without_a_fifth(encoded, mask_id, number)
    seed_everything(0)
    model = chapter.ToyBert(len(words), positions=9, spread=0.1)
    losses = [[chapter.exhaustive_loss(model, part) for part in parts]]
    generator = torch.Generator().manual_seed(0)
    for step, _ in enumerate(chapter.train_in_batches(model, parts[0], STEPS, generator), start=1):
        if step % LOOK_AT_FOLDS == 0:
            losses.append([chapter.exhaustive_loss(model, part) for part in parts])
    return {
        "hidden_words": [len(part[0]) for part in parts],
        "losses": [[round(loss, 4) for loss in both] for both in losses],
        "right": chapter.right_answers(model, parts[1]),
    }


def first_answer(model: torch.nn.Module, query: str) -> str:
    """Ask the model a question in the recipe's way."""
    ((word, _),) = chapter.best_answers(model, words, chapter.look_up(query.split(), words), 1)
    return word


def store(model: torch.nn.Module) -> None:
    """Keep the weights of a model, 16 bits a number, for the pages that compute with it."""
    TRAINED.parent.mkdir(exist_ok=True)
    weights = {name: weight.half().contiguous() for name, weight in model.state_dict().items()}
    save_file(weights, TRAINED, metadata={"format": "pt"})


def main() -> None:
    """Race, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="all seeds; store")
    seeds = range(3 if parser.parse_args().record else 1)
    torch.set_num_threads(1)
    epsilon = [race(seed, 0, True, 0.1, chapter.loss_with_epsilon)[1] for seed in seeds]
    found = [
        race(*choice) for choice in itertools.product(seeds, (0, 9), (True, False), (0.1, 0.0))
    ]
    if len(seeds) > 1:
        store(next(model for model, run in found if run["positions"] and run["batched"]))
        runs = [run for _, run in found]
        ends = [run["losses"][-1] for run in epsilon]
        whole, folds = recipe(EPOCHS), [fold(number) for number in range(FOLDS)]
        content = {
            "command": COMMAND,
            "origin": origin(COMMAND),
            "epsilon": ends,
            "recipe": whole,
            "folds": folds,
            "runs": runs,
        }
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
