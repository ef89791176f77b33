"""Train the toy BERT of Chapter 5 in batches: with positions or without, with dropout or without.

``python -m benchmarks.toy_bert`` prints one seed (a minute); ``python -m benchmarks.toy_bert
--record`` runs three and stores the result in ``records/toy_bert.json``, which Chapter 5 reads,
and the best model of seed 0 in ``records/toy``, with which the pages compute (a few minutes). The
record also holds the five trainings in which each sentence is held out once, of which the chapter
makes the first. Run it from the root of the repository. The model and its training are those that
the chapter types.
"""

import argparse
import itertools
import json
import os

from bertbook.records import record_path, trained_folder

os.environ.setdefault("TQDM_DISABLE", "1")

import torch
from safetensors.torch import save_file

from bertbook.core import seed_everything
from bertbook.corpus import hundred_sentences, vocabulary
from tests.book.definitions import chapter_definitions

from .records import origin

RECORD = record_path("toy_bert")
TRAINED = trained_folder("toy") / "model.safetensors"
COMMAND = "python -m benchmarks.toy_bert --record"
STEPS, LOOKS, FOLDS, LOOK_AT_FOLDS = 200, 50, 5, 20

chapter = chapter_definitions("05-a-toy-bert")
torch.set_default_dtype(torch.float64)
sentences = hundred_sentences()
words = (*vocabulary(sentences)[1:], "[MASK]")
mask_id = words.index("[MASK]")
encoded = [chapter.look_up(sentence.split(), words) for sentence in sentences]
hidden_words = chapter.hide_every_word(encoded, mask_id)


def trained(
    seed: int, positions: int, rate: float, learned: tuple, asked: list[tuple], every: int
) -> tuple[torch.nn.Module, list[list[float]]]:
    """Train one model, and ask it about all hidden words of each part every so many steps."""
    seed_everything(seed)
    model = chapter.ToyBert(len(words), positions=positions, spread=0.1, rate=rate)
    generator = torch.Generator().manual_seed(seed)
    losses = [[chapter.exhaustive_loss(model, part) for part in asked]]
    for step, _ in enumerate(chapter.train_in_batches(model, learned, STEPS, generator), start=1):
        if step % every == 0:
            losses.append([chapter.exhaustive_loss(model, part) for part in asked])
    return model, [[round(loss, 4) for loss in found] for found in losses]


def race(seed: int, positions: int, rate: float) -> tuple[torch.nn.Module, dict]:
    """Learn from all hidden words, and ask about them."""
    model, losses = trained(seed, positions, rate, hidden_words, [hidden_words], STEPS // LOOKS)
    run = {"seed": seed, "positions": positions, "dropout": rate, "losses": [x for (x,) in losses]}
    print(seed, positions, rate, run["losses"][-1], flush=True)
    return model, run


def fold(number: int) -> dict:
    """Learn without every fifth sentence, and ask about both parts."""
    parts = chapter.without_a_fifth(encoded, mask_id, number)
    model, losses = trained(0, 9, 0.1, parts[0], parts, LOOK_AT_FOLDS)
    return {
        "hidden_words": [len(part[0]) for part in parts],
        "losses": losses,
        "right": chapter.right_answers(model, parts[1]),
    }


def store(model: torch.nn.Module) -> None:
    """Keep the weights of a model, 16 bits a number, for the pages that compute with it."""
    TRAINED.parent.mkdir(exist_ok=True)
    weights = {name: weight.half().contiguous() for name, weight in model.state_dict().items()}
    save_file(weights, TRAINED, metadata={"format": "pt"})


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="all seeds; store")
    seeds = range(3 if parser.parse_args().record else 1)
    torch.set_num_threads(1)
    found = [race(*choice) for choice in itertools.product(seeds, (0, 9), (0.1, 0.0))]
    if len(seeds) > 1:
        store(next(model for model, run in found if run["positions"]))
        content = {
            "command": COMMAND,
            "origin": origin(COMMAND),
            "folds": [fold(number) for number in range(FOLDS)],
            "runs": [run for _, run in found],
        }
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
