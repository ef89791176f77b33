"""Distill a fine-tuned classifier of requests into two of its six layers, for Chapter 23.

``python -m benchmarks.distilling`` makes the runs of one seed and prints them. ``--record`` makes
three seeds, and stores them in ``records/distilling.json`` (ten minutes of one core). The
teacher is Chapter 16's: all of MiniLM, fine-tuned; it also answers in eight bits. Both students
begin as every third layer of MiniLM as it was published, and learn from the same requests: one from
their labels, the other from what the teacher believes, too. Their learning rate is the one that is
better for the student without a teacher, with a seed of its own and on the validation part. It
needs the extra ``models``. ``--stories`` renews the part about stories only: students of the small
world's model, with five seeds.
"""

import argparse
import json
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from bertbook.corpus import REQUEST_LABELS, sample_documents, small_world
from bertbook.records import record_path
from bertbook.topics.faster.distillation import distillation_loss
from minibert.fast import in_eight_bits
from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from tests.book.definitions import chapter_definitions

from .classify import best_rate, grade, new_model
from .classify_baselines import SPLITS, TASKS, chapter
from .encoder import measure
from .records import minutes, origin
from .weights import SMALL_WORLD, minilm_folder

RECORD, COMMAND = record_path("distilling"), "python -m benchmarks.distilling --record"
SEEDS, CHOICE_SEED, ROUNDS = range(3), 100, 9
STORY_SEEDS = range(5)
KEPT, TEMPERATURE = (0, 3), 2.0
TEACHER_RATE, TEACHER_EPOCHS = 1e-4, 3  # chosen in Chapter 16
RATES, EPOCHS = (3e-4, 1e-3), 8
WAYS = ("labels", "labels and teacher")

task, Rows = TASKS["requests"], dict[str, list[dict]]


class Taught(nn.Module):
    """A student that learns from labels, and from what a teacher believes of the same texts."""

    def __init__(self, student: nn.Module, beliefs: dict[tuple, Tensor]) -> None:
        super().__init__()
        self.student, self.beliefs = student, beliefs

    def forward(self, **batch: Tensor) -> object:
        """Return the student's output; in training, the mean of both losses."""
        output = self.student(**batch)
        if not self.training:
            return output
        texts = zip(batch["input_ids"], batch["attention_mask"].bool(), strict=True)
        told = torch.stack([self.beliefs[tuple(ids[real].tolist())] for ids, real in texts])
        soft = distillation_loss(output.logits, told, temperature=TEMPERATURE)
        return SimpleNamespace(loss=(output.loss + soft) / 2)


def two_layers(seed: int) -> nn.Module:
    """Put a new classifier on every third layer of MiniLM."""
    model = new_model("MiniLM", REQUEST_LABELS, seed)
    layers = model.bert.encoder.layer
    model.bert.encoder.layer = nn.ModuleList(layers[place] for place in KEPT)
    return model


def beliefs_of(teacher: nn.Module, rows: list[dict], tokenizer) -> dict[tuple, Tensor]:
    """Ask the teacher about each text; logarithms of probabilities are as good as its logits."""
    asked = torch.from_numpy(chapter.probabilities(teacher, rows, tokenizer)).log()
    return {tuple(row["input_ids"]): told for row, told in zip(rows, asked, strict=True)}


def learn(model: nn.Module, rows: Rows, tokenizer, seed: int, rate: float, epochs: int) -> dict:
    """Train, and grade; a taught student answers alone."""
    start, wishes = time.process_time(), {"learning_rate": rate, "epochs": epochs}
    trainer = chapter.tune(model, rows, tokenizer, seed=seed, **wishes)
    seconds = time.process_time() - start
    return {
        "seed": seed,
        "learning_rate": rate,
        "updates": trainer.step,
        "validation_loss": round(trainer.best.loss, 4),
        **answers_of(getattr(model, "student", model), rows, tokenizer),
        "processor_seconds": round(seconds, 1),
    }


def answers_of(model: nn.Module, rows: Rows, tokenizer) -> dict:
    """Let a model answer validation and test, and grade it."""
    believed = {s: chapter.probabilities(model, rows[s], tokenizer) for s in SPLITS[1:]}
    return grade(task, {s: believed[s].argmax(axis=1) for s in believed})


def students(seed: int, rows: Rows, tokenizer, rate: float) -> tuple[dict, list]:
    """Fine-tune a teacher and its students; return their runs, and teacher and student."""
    teacher = new_model("MiniLM", REQUEST_LABELS, seed)
    runs = {"teacher": learn(teacher, rows, tokenizer, seed, TEACHER_RATE, TEACHER_EPOCHS)}
    short = answers_of(in_eight_bits(teacher), rows, tokenizer)
    runs["teacher in eight bits"] = {"seed": seed, **short}
    beliefs = beliefs_of(teacher, rows["train"], tokenizer)
    for way in WAYS:
        student = two_layers(seed)
        model = student if way == "labels" else Taught(student, beliefs)
        runs[way] = learn(model, rows, tokenizer, seed, rate, EPOCHS)
    print(json.dumps(runs), flush=True)
    return runs, [teacher, student]


def seconds_of(models: list[nn.Module], rows: list[dict], tokenizer) -> dict[str, list[float]]:
    """Let teacher and student answer all rows in turn."""
    answering = {
        name: lambda model=model: chapter.probabilities(model, rows, tokenizer)
        for name, model in zip(("teacher", "student"), models, strict=True)
    }
    times = measure(answering, 1, ROUNDS, time.process_time)
    return {name: [round(each, 4) for each in found] for name, found in times.items()}


def stories() -> dict[str, Any]:
    """Teach students of stories in both ways, as Chapter 23 types it; return their losses."""
    typed, before = chapter_definitions("23-faster"), minutes()
    told = sample_documents(small_world(), 400, rng=np.random.default_rng(20))
    typed.teach.__globals__.update(
        professor=load_pretrained(BertForPreTraining, SMALL_WORLD),
        tokenizer=load_tokenizer(SMALL_WORLD, do_lower_case=True),
        told=told,
        my=typed,
    )
    others = typed.make_blanks(told[100:], torch.Generator().manual_seed(1))
    found: dict[str, list[float]] = {"true words": [], "teacher": []}
    for seed in STORY_SEEDS:
        for way, losses in found.items():
            student = typed.teach(way == "teacher", seed).eval()
            with torch.no_grad():
                losses.append(round(student(**others).loss.item(), 4))
            print("stories", seed, way, losses[-1], flush=True)
    return {"origin": origin(COMMAND, before), **found}


def record(rows: Rows, tokenizer) -> dict:
    """Choose the rate, then make three seeds."""
    choices = [
        learn(two_layers(CHOICE_SEED), rows, tokenizer, CHOICE_SEED, rate, EPOCHS) for rate in RATES
    ]
    runs: dict[str, list] = {}
    for seed in SEEDS:
        made, models = students(seed, rows, tokenizer, best_rate(choices))
        for name, run in made.items():
            runs.setdefault(name, []).append(run)
    seconds = seconds_of(models, rows["test"], tokenizer)
    return {
        "command": COMMAND,
        "origin": origin(COMMAND),
        "labels": [task.labels.index(example.label) for example in task.examples("test")],
        "choices": choices,
        "runs": runs,
        "parameters": [sum(p.numel() for p in model.parameters()) for model in models],
        "seconds": seconds,
        "stories": stories(),
    }


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="three seeds; store")
    parser.add_argument("--stories", action="store_true", help="renew these only; store")
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    if wanted.stories:
        known = json.loads(RECORD.read_text(encoding="utf-8"))
        RECORD.write_text(json.dumps(known | {"stories": stories()}) + "\n", encoding="utf-8")
        return
    tokenizer = load_tokenizer(minilm_folder(), do_lower_case=True)
    rows = {split: task.rows(tokenizer, split) for split in SPLITS}
    if not wanted.record:
        students(0, rows, tokenizer, RATES[0])
        return
    RECORD.write_text(json.dumps(record(rows, tokenizer)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
