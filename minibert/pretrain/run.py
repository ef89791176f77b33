"""The run itself: prepare the folder, train, save the model, report. Chapter 14."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from minibert.config import BertConfig
from minibert.data import PretrainingBatches, TextDocuments
from minibert.data.documents import Documents, sentence_counts
from minibert.disk import written_whole
from minibert.fast import fast_parts
from minibert.losses import IGNORED_LABEL
from minibert.parts import override
from minibert.pretrained import save_pretrained
from minibert.pretraining import BertForPreTraining
from minibert.training import (
    BertTrainer,
    Processes,
    TrainingConfig,
    checkpoint_folders,
    choose_device,
)
from minibert.wordpiece import WordPieceTokenizer

from .options import ANY_NAME, REPORT, is_finished, resume_hint
from .output import say, say_if_possible
from .plan import Plan, begin, load_plan, read_plan, reopen_text, write_plan
from .report import write_report
from .signals import fit_until_signal
from .texts import hold_out, learn_pieces, open_texts

VOCABULARY = "vocab.txt"
TERMS = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
WARMUP, EVALUATIONS = 10, 5  # one part of so many is warm-up; so many evaluations in a run


def pretrain(options: argparse.Namespace) -> int:
    """Pre-train a BERT on text files, or resume its run."""
    device, folder = choose_device(options.device), Path(options.out)
    processes = Processes.join(device)
    documents = on_rank_zero(processes, device, lambda: _prepare(options))
    if is_finished(folder):
        if processes.rank == 0:
            say(f"The run in {str(folder)!r} is finished.")
    else:
        plan = read_plan(folder)
        run = _Run(folder, plan, documents or open_texts(plan["files"]), processes, device)
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
    failed = processes.add_numbers({"failed": float(problem is not None)}, device)["failed"]
    if problem is not None:
        raise problem
    if failed:
        raise SystemExit(1)
    return result


def _prepare(options: argparse.Namespace) -> TextDocuments | None:
    """Prepare the folder of a run, and learn the vocabulary if it is not there yet."""
    folder = Path(options.out)
    if options.resume:
        plan = load_plan(options)
        if is_finished(folder) and not options.files:
            return None  # finished: the text may be gone
        plan, documents = reopen_text(options, plan)
    else:
        plan, documents = begin(options)
    say(f"Text: {len(documents):,} documents with {sum(sentence_counts(documents)):,} sentences.")
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / VOCABULARY).is_file():
        write_plan(folder, plan)
        return documents
    rest, _ = hold_out(documents, plan["held_out"], plan["seed"])
    tokenizer = learn_pieces(rest, plan["vocab_size"], plan["cased"])
    _make_batches(plan, documents, tokenizer)
    # The plan is the first file: from now on the run can be resumed, before it would be refused.
    write_plan(folder, plan)
    tokenizer.save(folder / VOCABULARY)
    return documents


def _make_batches(
    plan: Plan, documents: Documents, tokenizer: WordPieceTokenizer
) -> tuple[PretrainingBatches, PretrainingBatches | None]:
    """Return the batches for training and evaluation; raise if the latter mask no word."""
    sizes = {name: plan[name] for name in ("batch_size", "max_length", "seed")}
    rest, held_out = hold_out(documents, plan["held_out"], plan["seed"])
    batches = PretrainingBatches(rest, tokenizer, **sizes)
    if held_out is None:
        return batches, None
    eval_batches = PretrainingBatches(held_out, tokenizer, **sizes)
    if not any((batch["labels"] != IGNORED_LABEL).any() for batch in eval_batches):
        raise ValueError(
            f"the {len(held_out)} documents held out are so short that no word of them is masked; "
            "give a larger --held-out, or --held-out 0"
        )
    return batches, eval_batches


class _Run:
    """A run whose folder is ready."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        documents: Documents,
        processes: Processes,
        device: torch.device,
    ) -> None:
        self.folder, self.plan, self.processes, self.device = folder, plan, processes, device
        self.tokenizer = WordPieceTokenizer.load(folder / VOCABULARY, not plan["cased"])
        self.batches, self.eval_batches = _make_batches(plan, documents, self.tokenizer)
        config = dataclasses.replace(
            BertConfig(**plan["model"]),
            vocab_size=self.tokenizer.vocab_size,
            pad_token_id=self.tokenizer.pad_token_id,
        )
        torch.manual_seed(plan["seed"])
        with override(**fast_parts()):
            self.model = BertForPreTraining(config)

    def train(self) -> int:
        """Train to the end and return 0, or until a signal and return its number."""
        trainer = self._trainer()
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
        save_pretrained(self.model, self.folder, self.tokenizer)
        with written_whole(self.folder / REPORT) as draft:  # which says that the run is finished
            draft.write_text(report, **ANY_NAME)

    def _trainer(self) -> BertTrainer:
        max_steps = self.plan["max_steps"]
        config = TrainingConfig(
            max_steps=max_steps,
            seed=self.plan["seed"],
            learning_rate=self.plan["learning_rate"],
            warmup_steps=max_steps // WARMUP,
            eval_steps=math.ceil(max_steps / EVALUATIONS),
            save_steps=self.plan["save_steps"],
        )
        return BertTrainer(
            self.model,
            config,
            folder=self.folder,
            device=self.device,
            terms=TERMS,
            show_progress=say_if_possible,
        )

    def _announce(self, trainer: BertTrainer) -> None:
        """Print the sizes of vocabulary, model and training."""
        plan, config = self.plan, self.model.config
        parameters = sum(p.numel() for p in self.model.parameters())
        times = plan["max_steps"] / len(self.batches)
        case = "with capitals" if plan["cased"] else "without capitals"
        self._say(
            f"Vocabulary: {self.tokenizer.vocab_size:,} word pieces {case}.\n"
            f"Model: {plan['config']}, {config.num_hidden_layers} layers of {config.hidden_size} "
            f"numbers, {parameters:,} parameters (vocab_size is that of the vocabulary).\n"
            f"Training: {plan['max_steps']:,} steps of {plan['batch_size']} pairs, "
            f"{times:.1f} times through the text, on {self._where()}."
        )
        if trainer.step:
            self._say(f"Going on after step {trainer.step:,}.")

    def _where(self) -> str:
        count = self.processes.count
        return str(self.device) if count == 1 else f"{count} processes with {self.device.type}"

    def _say(self, text: str) -> None:
        if self.processes.rank == 0:
            say(text)
