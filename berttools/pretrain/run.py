"""The run itself: prepare the folder, train, save the model, report. Chapter 14."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from berttools.cli.options import ANY_NAME, REPORT, is_finished, resume_hint
from berttools.cli.output import say, say_if_possible
from minibert.config import BertConfig
from minibert.data import PretrainingBatches
from minibert.data.documents import Documents
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.loading import save_pretrained
from minibert.losses import IGNORED_LABEL
from minibert.parts import override
from minibert.pretraining import BertForPreTraining
from minibert.training import (
    BertTrainer,
    Processes,
    TrainingConfig,
    checkpoint_folders,
    choose_device,
)
from minibert.training.checkpoint import locked
from minibert.wordpiece import WordPieceTokenizer

from .command import require_free
from .plan import Plan, begin, read_plan, reopen_text, write_plan
from .report import write_report
from .signals import fit_until_signal
from .texts import describe_text, examine, hold_out, learn_pieces, open_texts, warn_of_wrapped_lines

VOCABULARY = "vocab.txt"
TERMS = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
WARMUP, EVALUATIONS = 10, 5  # one part of so many is warm-up; so many evaluations in a run


def pretrain(options: argparse.Namespace) -> int:
    """Pre-train a BERT on text files, or resume its run."""
    device, folder = choose_device(options.device), Path(options.out)
    processes = Processes.init(device)
    run = on_rank_zero(processes, device, lambda: _prepare(options, processes, device))
    if is_finished(folder):
        if processes.rank == 0:
            say(f"The run in {str(folder)!r} is finished.")
    else:
        run = run or _reopen(folder, processes, device)
        if stopped_by := run.train():
            return 128 + stopped_by
        on_rank_zero(processes, device, run.finish)
    if processes.rank == 0:
        say((folder / REPORT).read_text(**ANY_NAME).removesuffix("\n"))
    return 0


def on_rank_zero(processes: Processes, device: torch.device, work: Callable[[], Any]) -> Any:
    """Do something in the first process only, while the others wait; all end if it fails."""
    result, problem = None, None
    if processes.rank == 0:
        try:
            result = work()
        except Exception as error:
            problem = error
    failed = processes.all_reduce({"failed": float(problem is not None)}, device)["failed"]
    if problem is not None:
        raise problem
    if failed:
        raise SystemExit(1)
    return result


def _prepare(
    options: argparse.Namespace, processes: Processes, device: torch.device
) -> _Run | None:
    """Prepare a run, and learn its vocabulary if there is none; write once nothing can fail."""
    folder = Path(options.out)
    if options.resume:
        plan = read_plan(folder)
        if is_finished(folder):
            return None  # the text may be gone
        documents = reopen_text(folder, plan)
    else:
        plan, documents = begin(options)
    parts = hold_out(documents, plan["held_out"], plan["seed"])
    say(describe_text(documents))
    with locked(folder):
        if not options.resume:
            require_free(folder)  # another process may have begun since
        is_new = not (folder / VOCABULARY).is_file()
        tokenizer = _learn(plan, documents, *parts) if is_new else _read_vocabulary(folder, plan)
        run = _Run(folder, plan, tokenizer, *parts, processes, device)
        # The plan is the first file: with it the run can be resumed, and is not begun again.
        write_plan(folder, plan)
        if is_new:
            tokenizer.save(folder / VOCABULARY)
    return run


def _learn(
    plan: Plan, documents: Documents, rest: Documents, held_out: Documents | None
) -> WordPieceTokenizer:
    """Learn the vocabulary, and tell what the text looks like in it."""
    if copies := len(documents) - len(rest) - len(held_out or []):
        say(f"{copies:,} documents are left out: copies of others that are held out.")
    warn_of_wrapped_lines(rest)
    tokenizer = learn_pieces(rest, plan["vocab_size"], plan["cased"])
    say(examine(rest, held_out, tokenizer, plan["max_length"]))
    return tokenizer


def _read_vocabulary(folder: Path, plan: Plan) -> WordPieceTokenizer:
    return WordPieceTokenizer.load(folder / VOCABULARY, not plan["cased"])


def _reopen(folder: Path, processes: Processes, device: torch.device) -> _Run:
    """Open the run that the first process has prepared."""
    plan = read_plan(folder)
    parts = hold_out(open_texts(plan["files"]), plan["held_out"], plan["seed"])
    return _Run(folder, plan, _read_vocabulary(folder, plan), *parts, processes, device)


class _Run:
    """A run that is ready to begin or to go on."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        tokenizer: WordPieceTokenizer,
        rest: Documents,
        held_out: Documents | None,
        processes: Processes,
        device: torch.device,
    ) -> None:
        self.folder, self.plan, self.processes, self.device = folder, plan, processes, device
        self.tokenizer = tokenizer
        sizes = {name: plan[name] for name in ("batch_size", "max_length", "seed")}
        self.batches, self.eval_batches = PretrainingBatches(rest, tokenizer, **sizes), None
        if held_out is not None:
            self.eval_batches = PretrainingBatches(held_out, tokenizer, **sizes)
            _require_labels(self.eval_batches)
        config = dataclasses.replace(
            BertConfig(**plan["model"]),
            vocab_size=tokenizer.vocab_size,
            pad_token_id=tokenizer.pad_token_id,
        )
        torch.manual_seed(plan["seed"])
        with override(fast_parts()):
            self.model = BertForPreTraining(config)

    def train(self) -> int:
        """Train to the end and return 0, or until a signal and return its number."""
        plan = self.plan
        config = TrainingConfig(
            max_steps=plan["max_steps"],
            seed=plan["seed"],
            learning_rate=plan["learning_rate"],
            warmup_steps=plan["max_steps"] // WARMUP,
            eval_steps=math.ceil(plan["max_steps"] / EVALUATIONS),
            save_steps=plan["save_steps"],
        )
        trainer = BertTrainer(
            self.model,
            config,
            folder=self.folder,
            device=self.device,
            terms=TERMS,
            show_progress=say_if_possible,
        )
        if checkpoint_folders(self.folder):
            trainer.resume()
        self.history = trainer.history
        self._announce(trainer)
        return fit_until_signal(trainer, self.batches, self.eval_batches, resume_hint(self.folder))

    def finish(self) -> None:
        """Save the model as Hugging Face's library does, and write the report last."""
        report = write_report(
            self.folder, self.model, self.history, self.batches, self.eval_batches
        )
        with locked(self.folder):
            save_pretrained(self.model, self.folder, self.tokenizer)
            with atomic_write(self.folder / REPORT) as draft:  # it says that the run is finished
                draft.write_text(report, **ANY_NAME)

    def _announce(self, trainer: BertTrainer) -> None:
        """Print the sizes of vocabulary, model and training."""
        if self.processes.rank:
            return
        plan, config, count = self.plan, self.model.config, self.processes.world_size
        parameters = sum(p.numel() for p in self.model.parameters())
        times = plan["max_steps"] / len(self.batches)
        case = "with capitals" if plan["cased"] else "without capitals"
        where = self.device if count == 1 else f"{count} processes with {self.device.type}"
        say(
            f"Vocabulary: {self.tokenizer.vocab_size:,} word pieces {case}.\n"
            f"Model: {plan['config']}, {config.num_hidden_layers} layers of {config.hidden_size} "
            f"numbers, {parameters:,} parameters (vocab_size is that of the vocabulary).\n"
            f"Training: {plan['max_steps']:,} steps of {plan['batch_size']} pairs, "
            f"{times:.1f} times through {self.batches.pairs:,} first sentences, on {where}."
        )
        if trainer.step:
            say(f"Going on after step {trainer.step:,}.")


def _require_labels(batches: PretrainingBatches) -> None:
    """Raise for held-out text in which no word is masked."""
    if not any((batch["labels"] != IGNORED_LABEL).any() for batch in batches):
        raise ValueError(
            f"the {len(batches.documents)} documents held out are so short that no word of them is "
            "masked; give a larger --held-out, or --held-out 0"
        )
