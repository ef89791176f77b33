"""The run itself: prepare the folder, train, save the model, report. Chapter 14."""

import argparse
import dataclasses
import math
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from berttools.cli.options import ANY_NAME, REPORT, is_finished, resume_hint
from berttools.cli.output import say, say_if_possible
from minibert.config import BertConfig
from minibert.data import PretrainingBatches, TextDocuments
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

from .plan import Plan, new_plan, read_plan, require_same_text, write_plan
from .report import report_of
from .signals import StoppableBatches, fit_until_signal
from .texts import describe_text, hold_out, share_unknown

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
        run = run or _Run(folder, read_plan(folder), processes, device)
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
) -> "_Run | None":
    """Prepare a run, unless it is finished; write once nothing can fail."""
    folder = Path(options.out)
    plan = read_plan(folder) if options.resume else new_plan(options)
    if is_finished(folder):
        return None  # the text may be gone
    with locked(folder):
        run = _Run(folder, plan, processes, device)
        # The plan is the first file: with it the run can be resumed, and is not begun again.
        write_plan(folder, plan)
        run.tokenizer.save(folder / VOCABULARY)
    return run


class _Run:
    """A run that is ready to begin or to go on."""

    def __init__(
        self, folder: Path, plan: Plan, processes: Processes, device: torch.device
    ) -> None:
        self.folder, self.plan, self.processes, self.device = folder, plan, processes, device
        documents = TextDocuments(*plan["files"])
        require_same_text(plan, documents)
        rest, held_out = hold_out(documents, plan["held_out"], plan["seed"])
        if (folder / VOCABULARY).is_file():
            self.tokenizer = WordPieceTokenizer.load(folder / VOCABULARY, not plan["cased"])
        else:
            say(describe_text(documents))
            self.tokenizer = self._learn_pieces(rest, held_out, len(documents))
        sizes = {name: plan[name] for name in ("batch_size", "max_length", "seed")}
        self.batches, self.eval_batches = StoppableBatches(rest, self.tokenizer, **sizes), None
        if held_out is not None:
            self.eval_batches = PretrainingBatches(held_out, self.tokenizer, **sizes)
            if not any((batch["labels"] != IGNORED_LABEL).any() for batch in self.eval_batches):
                raise ValueError("no word held out is masked; give a larger --held-out, or 0")
        config = dataclasses.replace(
            BertConfig(**plan["model"]),
            vocab_size=self.tokenizer.vocab_size,
            pad_token_id=self.tokenizer.pad_token_id,
        )
        torch.manual_seed(plan["seed"])
        with override(fast_parts()):
            self.model = BertForPreTraining(config)

    def _learn_pieces(
        self, rest: Documents, held_out: Documents | None, count: int
    ) -> WordPieceTokenizer:
        """Learn the word pieces, and tell what the text looks like in them."""
        if copies := count - len(rest) - len(held_out or []):
            say(f"{copies:,} documents are left out: copies of others that are held out.")
        with override(fast_parts()):
            sentences, plan = chain.from_iterable(rest), self.plan
            pieces = WordPieceTokenizer.train(sentences, plan["vocab_size"], not plan["cased"])
        parts = {"to learn from": rest, "held out": held_out or []}
        shares = [f"{share_unknown(part, pieces)} {name}" for name, part in parts.items() if part]
        say(f"[UNK], for words that cannot be spelled: {', '.join(shares)}.")
        return pieces

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
        given = {"folder": self.folder, "device": self.device, "terms": TERMS}
        trainer = BertTrainer(self.model, config, show_progress=say_if_possible, **given)
        if checkpoint_folders(self.folder):
            trainer.resume()
        self.history = trainer.history
        if not self.processes.rank:
            self._announce(trainer.step)
        return fit_until_signal(trainer, self.batches, self.eval_batches, resume_hint(self.folder))

    def finish(self) -> None:
        """Save the model as Hugging Face's library does, and write the report last."""
        report = report_of(self.folder, self.history, self.batches, self.eval_batches)
        with locked(self.folder):
            save_pretrained(self.model, self.folder, self.tokenizer)
            with atomic_write(self.folder / REPORT) as draft:  # it says that the run is finished
                draft.write_text(report, **ANY_NAME)

    def _announce(self, step: int) -> None:
        """Print the sizes of vocabulary, model and training."""
        plan, count = self.plan, self.processes.world_size
        parameters = sum(p.numel() for p in self.model.parameters())
        times = plan["max_steps"] / len(self.batches)
        where = self.device if count == 1 else f"{count} processes with {self.device.type}"
        say(
            f"Model: {plan['config']}, {self.tokenizer.vocab_size:,} word pieces, "
            f"{parameters:,} parameters.\n"
            f"Training: {plan['max_steps']:,} steps of {plan['batch_size']} pairs, {times:.1f} "
            f"times through the text, on {where}."
        )
        if step:
            say(f"Going on after step {step:,}.")
