"""``minibert classify train``: from a table to a classifier and its report. Chapter 19."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from berttools.cli.options import ANY_NAME, is_finished
from berttools.cli.output import say, say_if_possible
from berttools.cli.runs import (
    CLASSIFY,
    Plan,
    options_given,
    read_plan,
    require_free,
    write_plan,
)
from berttools.cli.signals import fit_until_signal
from minibert.disk import atomic_write, remove
from minibert.loading import load_tokenizer
from minibert.tasks import BertForSequenceClassification
from minibert.training import checkpoint_folders, choose_device

from .baselines import frozen_encoder
from .command import DEFAULTS, REPORT, go_on
from .comparing import choose_classifier, compare
from .prepare import Work, prepare, require_known
from .report import report_as_markdown
from .saving import Classifier, save_classifier, write_json
from .tuning import classifier_from, default_encoder, tuning_of
from .weighting import weightings

FACTS = "report.json"
TRAINING = ("learning_rate", "epochs", "batch_size", "max_length", "seed")
FILES = ("table", "model")


def train_classifier(options: argparse.Namespace) -> int:
    """Make a classifier, or resume the run; return the exit status."""
    folder, device = Path(options.out), choose_device(options.device)
    plan = _resume(options) if options.resume else _begin(options)
    if is_finished(folder, REPORT):
        say(f"The run in {options.out!r} is finished.")
    else:
        work = prepare(plan)
        work.notes.append(require_known(load_tokenizer(plan["model"]), work.tables, plan["use"]))
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(folder, plan)
        if stopped_by := _train(plan, work, folder, device):
            return 128 + stopped_by
    say((folder / REPORT).read_text(**ANY_NAME).removesuffix("\n"))
    return 0


def _begin(options: argparse.Namespace) -> Plan:
    """Plan a new run; raise before anything is written if it cannot begin."""
    require_free(Path(options.out))
    plan = {"format": CLASSIFY, **DEFAULTS, **options_given(options, [*DEFAULTS, "table"])}
    plan["model"] = plan["model"] or default_encoder()
    plan |= {name: str(Path(plan[name]).resolve()) for name in FILES}
    load_tokenizer(plan["model"])  # is it a model at all?
    return plan


def _resume(options: argparse.Namespace) -> Plan:
    """Load the plan of a run."""
    typed = options_given(options, [*DEFAULTS, *FILES])
    typed |= {name: str(Path(typed[name]).resolve()) for name in FILES if name in typed}
    return read_plan(options.out, CLASSIFY, typed)


def _train(plan: Plan, work: Work, folder: Path, device: torch.device) -> int:
    """Fine-tune, compare and save; return the number of the signal that stopped it, or 0."""
    train_rows, validation, test = map(len, work.tables.values())
    parts = f"{validation:,} to choose with, {test:,} to be asked once"
    say("\n".join([*work.notes, f"Parts: {train_rows:,} rows to learn from, {parts}."]))
    settings = weightings(plan["class_weights"], work.labels["train"], len(work.classes))
    tuned = {}
    for name, weights in settings.items():
        model, tokenizer = classifier_from(plan["model"], work.classes, seed=plan["seed"])
        plan["max_length"] = min(plan["max_length"], model.config.max_position_embeddings)
        columns = {column: plan[column] for column in ("text", "pair")}
        tuned[name] = Classifier(model, tokenizer, plan["max_length"], columns)
        say(f"Fine-tuning, class weights: {name}.")
        if stopped_by := _tune(plan, work, tuned[name], weights, folder / name, device):
            return stopped_by
        model.eval()
    candidates = compare(work, tuned, settings, frozen_encoder(plan["model"]).to(device))
    classifier, facts = choose_classifier(work, candidates, plan["use"], plan["promise"])
    facts |= {"notes": work.notes, "table": plan["table"]}
    save_classifier(classifier, folder)
    write_json(folder / FACTS, facts)
    for name in settings:
        remove(folder / name)  # with its checkpoints
    with atomic_write(folder / REPORT) as draft:
        draft.write_text(report_as_markdown(facts, folder), **ANY_NAME)
    return 0


def _tune(
    plan: Plan,
    work: Work,
    classifier: Classifier,
    weights: Float[Tensor, " classes"],
    place: Path,
    device: torch.device,
) -> int:
    """Fine-tune one model to the end, or until a signal, whose number is returned."""
    model, tokenizer = classifier[:2]
    assert isinstance(model, BertForSequenceClassification) and tokenizer is not None
    trainer, batches, watched = tuning_of(
        model,
        tokenizer,
        work.tables["train"],
        work.tables["validation"],
        weights=weights,
        folder=place,
        device=device,
        show_progress=say_if_possible,
        **{name: plan[name] for name in TRAINING},
    )
    if checkpoint_folders(place):
        say(f"Going on after step {trainer.resume():,}.")
    say(
        f"Training: at most {trainer.config.max_steps:,} updates of {batches.batch_size} rows on "
        f"{device}, less if it stops early. Ctrl+C loses nothing."
    )
    return fit_until_signal(trainer, batches, watched, go_on(str(place.parent)))
