"""Time the toy BERT of Chapter 5: one sentence at a time against batches, to the same loss.

``python -m benchmarks.toy_bert`` prints the table for one seed (two minutes);
``python -m benchmarks.toy_bert --record`` runs five seeds and every repair and stores the result
in ``benchmarks/toy_bert.json``, from which Chapter 5 quotes, and the best model of seed 0 in
``book/data/toy``, with which the pages compute (half an hour). Run it from the root of the
repository. The model and its training are those that the chapter types.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TQDM_DISABLE", "1")

import torch
from safetensors.torch import save_file

from minibert.corpus import hundred_sentences, masked_word_ladder, vocabulary
from minibert.notebook import seed_everything
from tests.book.definitions import chapter_definitions

from .records import origin

RECORD = Path(__file__).with_suffix(".json")
TRAINED = Path(__file__).resolve().parents[1] / "book" / "data" / "toy" / "model.safetensors"
COMMAND = "python -m benchmarks.toy_bert --record"
QUERIES = ("the man eats the [MASK]", "the man read the [MASK]", "the man [MASK] the book")
EPOCHS, STEPS = 500, 200

chapter = chapter_definitions("05-a-toy-bert")
sentences = hundred_sentences()
words = (*vocabulary(sentences)[1:], "[MASK]")
REPAIRS = {  # name: (loss, positions)
    "recipe": (chapter.loss_with_epsilon, 0),
    "stable loss": (chapter.masked_lm_loss, 0),
    "positions": (chapter.masked_lm_loss, 9),
}


class Stopwatch:
    """Collect (processor seconds, exhaustive loss) while a model trains; looking costs nothing.

    Processor seconds leave out the time in which other programs had the processor.
    """

    def __init__(self, model: torch.nn.Module, riddles: tuple, every: int):
        self.model, self.riddles, self.every = model, riddles, every
        self.trace, self.not_counted, self.start = [], 0.0, time.process_time()

    def __call__(self, step: int) -> None:
        """Stop, look, go on."""
        now = time.process_time()
        if step % self.every == 0:
            loss = chapter.exhaustive_loss(self.model, self.riddles)
            self.trace.append((now - self.start - self.not_counted, loss))
        self.not_counted += time.process_time() - now

    def seconds_to(self, loss: float) -> float:
        """Say when the loss was first as low as this; infinite if never."""
        return next((s for s, reached in self.trace if reached <= loss), float("inf"))


def train(seed: int, repair: str, batched: bool) -> tuple[torch.nn.Module, Stopwatch]:
    """Train one model, in batches or one sentence at a time, under a stopwatch."""
    loss, positions = REPAIRS[repair]
    mask_id = words.index("[MASK]")
    encoded = [chapter.look_up(sentence.split(), words) for sentence in sentences]
    riddles = chapter.hide_every_word(encoded, mask_id)
    generator = torch.Generator().manual_seed(seed)
    seed_everything(seed)
    model = chapter.ToyBert(len(words), positions=positions, spread=0.1 if batched else 0.01)
    watch = Stopwatch(model, riddles, every=5 if batched else 10)
    if batched:
        chapter.train_in_batches(model, riddles, STEPS, generator, loss, watch)
    else:
        train_one_by_one(model, encoded, mask_id, generator, loss, watch)
    return model, watch


def train_one_by_one(model, encoded, mask_id, generator, loss: Callable, watch: Stopwatch) -> None:
    """Train as the recipe does; a loss for batches gets a batch of one."""

    def loss_of_one(logits: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        return loss(logits[None], label[None])

    chapter.train_one_by_one(model, encoded, mask_id, EPOCHS, generator, loss_of_one, watch)


def report(seed: int, repair: str, batched: bool) -> tuple[dict, Stopwatch]:
    """Train one model and say what came of it."""
    model, watch = train(seed, repair, batched)
    seconds, loss = watch.trace[-1]
    answers = [chapter.recipe_answers(model, words, query)[0][0] for query in QUERIES]
    run = {
        "seed": seed,
        "repair": repair,
        "batched": batched,
        "seconds": round(seconds, 2),
        "loss": round(loss, 4),
        "first_answers": answers,
    }
    print(
        f"seed {seed}  {'batches' if batched else 'one by one':10}  {repair:11}"
        f"  {seconds:6.1f} s  {loss:.4f} nats  {' · '.join(answers)}",
        flush=True,
    )
    return run, watch


def measure(seeds: range, repairs: list[str]) -> tuple[list[dict], dict[str, list[float]]]:
    """Train everything, interleaved; return the runs and how many times faster batches are."""
    runs, ratios = [], {"recipe": [], "positions": []}
    for seed in seeds:
        slow = {}
        for repair in repairs:
            run, slow[repair] = report(seed, repair, batched=False)
            runs.append(run)
        goal = slow["recipe"].trace[-1][1]
        for repair in ratios:
            run, fast = report(seed, repair, batched=True)
            runs.append(run)
            ratios[repair].append(slow["recipe"].seconds_to(goal) / fast.seconds_to(goal))
    return runs, ratios


def print_ratios(ratios: dict[str, list[float]]) -> None:
    """Print how many times faster batches reach the loss with which one by one ends."""
    print(f"floor {masked_word_ladder(sentences).full:.4f} nats, torch {torch.__version__}")
    print("\nbatches, compared with one by one to the same loss   median [smallest, largest]")
    for repair, values in ratios.items():
        spread = f"[{min(values):.0f}, {max(values):.0f}]"
        print(f"{repair:51}  {statistics.median(values):6.0f} {spread}")


def store(model: torch.nn.Module) -> None:
    """Keep the weights of a model, 16 bits a number, for the pages that compute with it."""
    TRAINED.parent.mkdir(exist_ok=True)
    weights = {name: weight.half().contiguous() for name, weight in model.state_dict().items()}
    save_file(weights, TRAINED, metadata={"format": "pt"})


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="five seeds, every repair; store")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    runs, ratios = measure(range(5 if record else 1), list(REPAIRS) if record else ["recipe"])
    print_ratios(ratios)
    if record:
        rounded = {name: [round(value, 1) for value in values] for name, values in ratios.items()}
        content = {"command": COMMAND, "origin": origin(), "runs": runs, "times_faster": rounded}
        store(train(0, "positions", batched=True)[0])
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
