"""The first half of the command: from a table to a classifier and its report. Chapter 19."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor

from minibert.disk import remove, written_whole
from minibert.pretrain.options import ANY_NAME, is_finished
from minibert.pretrain.output import say, say_if_possible
from minibert.pretrain.plan import (
    Plan,
    options_given,
    other_run,
    read_plan,
    require_free,
    write_plan,
)
from minibert.pretrain.signals import fit_until_signal
from minibert.pretrained import load_tokenizer
from minibert.training import checkpoint_folders, choose_device

from .calibration import fit_temperature, with_temperature
from .coverage import require_known
from .options import DEFAULTS, REPORT, go_on
from .preparing import Work, prepare
from .report import measure
from .saving import Classifier, save_classifier, write_json
from .thresholds import choose_thresholds
from .tuning import classifier_from, default_encoder, tuning_of
from .weighting import class_weights
from .wording import report_in_words
from .words import best_counted_words

FORMAT = "minibert classify 1"
FACTS = "report.json"
WISHES = ("learning_rate", "epochs", "batch_size", "max_length", "seed")
FILES = ("table", "model")


def train_classifier(options: argparse.Namespace) -> int:
    """Make a classifier, or resume the run; return the exit status."""
    folder, device = Path(options.out), choose_device(options.device)
    plan = _resume(options) if options.resume else _begin(options)
    if is_finished(folder, REPORT):
        say(f"The run in {options.out!r} is finished.")
    else:
        work = prepare(plan)
        work.notes.append(require_known(load_tokenizer(plan["model"]), work.tables))
        folder.mkdir(parents=True, exist_ok=True)
        write_plan(folder, plan)
        if stopped_by := _train(plan, work, folder, device):
            return 128 + stopped_by
    say((folder / REPORT).read_text(**ANY_NAME).removesuffix("\n"))
    return 0


def _begin(options: argparse.Namespace) -> Plan:
    """Plan a new run; raise before anything is written if it cannot begin."""
    require_free(Path(options.out))
    plan = {"format": FORMAT, **DEFAULTS, **options_given(options, [*DEFAULTS, "table"])}
    plan["model"] = plan["model"] or default_encoder()
    plan |= {name: str(Path(plan[name]).resolve()) for name in FILES}
    load_tokenizer(plan["model"])  # is it a model at all?
    return plan


def _resume(options: argparse.Namespace) -> Plan:
    """Load the plan of a run; raise if an option would make it another one."""
    plan, typed = read_plan(options.out, FORMAT), options_given(options, [*DEFAULTS, *FILES])
    typed |= {name: str(Path(typed[name]).resolve()) for name in FILES if name in typed}
    for name, value in typed.items():
        if value != plan[name]:
            raise other_run(options.out, name, plan[name], value)
    return plan


def _train(plan: Plan, work: Work, folder: Path, device: torch.device) -> int:
    """Fine-tune, then measure and save; return the number of the signal that stopped it, or 0."""
    train_rows, validation, test = work.tables.values()
    parts = f"{len(validation):,} to choose with, {len(test):,} to be asked once"
    say("\n".join([*work.notes, f"Parts: {len(train_rows):,} rows to learn from, {parts}."]))
    model, tokenizer = classifier_from(plan["model"], work.classes, seed=plan["seed"])
    plan["max_length"] = min(plan["max_length"], model.config.max_position_embeddings)
    weights = class_weights(work.labels["train"], len(work.classes))
    weights = weights if plan["class_weights"] == "balanced" else torch.ones_like(weights)
    trainer, batches, watched = tuning_of(
        model,
        tokenizer,
        train_rows,
        validation,
        weights=weights,
        folder=folder,
        device=device,
        show_progress=say_if_possible,
        **{name: plan[name] for name in WISHES},
    )
    if checkpoint_folders(folder):
        say(f"Going on after step {trainer.resume():,}.")
    say(
        f"Training: at most {trainer.config.max_steps:,} updates of {batches.batch_size} rows on "
        f"{device}, less if it stops early. Ctrl+C loses nothing."
    )
    if stopped_by := fit_until_signal(trainer, batches, watched, go_on(str(folder))):
        return stopped_by
    columns = {name: plan[name] for name in ("text", "pair")}
    classifier = Classifier(model.eval(), tokenizer, plan["max_length"], columns)
    _finish(plan, work, folder, classifier, weights)
    return 0


def _finish(plan: Plan, work: Work, folder: Path, classifier: Classifier, weights: Tensor) -> None:
    """Choose temperature and thresholds, ask the test part, write all files."""
    choose_with, asked = work.labels["validation"], work.tables["test"]
    logits = classifier.logits(work.tables["validation"])
    classifier = classifier._replace(temperature=fit_temperature(logits, choose_with))
    probs = with_temperature(logits, classifier.temperature)
    chosen = choose_thresholds(probs, choose_with, plan["promise"]).tolist()
    classifier = classifier._replace(thresholds=chosen)
    texts = {name: table.whole_texts for name, table in work.tables.items()}
    words = best_counted_words(
        (texts["train"], texts["validation"]), (work.labels["train"], choose_with), weights
    )
    facts = measure(classifier, work, classifier.logits(asked), words.probabilities(texts["test"]))
    facts |= {"promise": plan["promise"], "notes": work.notes, "table": plan["table"]}
    save_classifier(classifier, folder)
    write_json(folder / FACTS, facts)
    for path in checkpoint_folders(folder):
        remove(path)
    with written_whole(folder / REPORT) as draft:
        draft.write_text(report_in_words(facts, folder), **ANY_NAME)
