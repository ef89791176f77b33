"""The training loop, for any model with a loss and any batches. Chapter 13."""

import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .batch_stream import BatchStream, check_batch, require_repeatable
from .checkpoint import (
    Checkpoint,
    checkpoint_folders,
    locked,
    model_tensors,
    optimizer_tensors,
    read_newest,
    restore_model,
    restore_optimizer,
    write_checkpoint,
)
from .config import TrainingConfig, differences
from .devices import choose_device
from .evaluation import BestWeights, evaluate
from .history import HistoryFile, LossAverager, count_tokens
from .loss_terms import ONE_LOSS, Batch, count_labels, require_labels
from .optimizer import make_optimizer
from .processes import Processes
from .progress import progress_bar
from .step import StepResult, training_step

FORMAT = "minibert training 2"


class BertTrainer:
    """Train a model: step, record, evaluate, save, and resume after any interruption.

    The model is any module that takes the entries of a batch as keywords and whose output has a
    loss. `training_step` changes the weights; the trainer keeps the records.

    Args:
        model: Moved to the device and trained in place.
        config: The numbers of the run.
        folder: Where checkpoints and ``history.jsonl`` go; without it nothing is written.
        device: Where to compute; by default `choose_device`.
        terms: For each field of the output that is a loss, the entry of the batch with its labels;
            the whole loss is their sum. For BERT's pre-training ``{"masked_lm_loss": "labels",
            "next_sentence_loss": "next_sentence_label"}``: means over different numbers of labels.
        show_progress: Whether to show a bar, in notebooks and terminals. A function such as
            ``print`` gets a line every minute where there is neither.

    Source: Devlin et al. (2019), appendix A.2.

    >>> from types import SimpleNamespace
    >>> _ = torch.manual_seed(0)
    >>> class Line(nn.Linear):
    ...     def forward(self, x, labels):
    ...         return SimpleNamespace(loss=(super().forward(x) - labels).square().mean())
    >>> batches = [{"x": torch.tensor([[1.0], [2.0]]), "labels": torch.tensor([[3.0], [5.0]])}]
    >>> config = TrainingConfig(max_steps=200, seed=0, learning_rate=0.1, weight_decay=0.0)
    >>> trainer = BertTrainer(Line(1, 1), config, show_progress=False)
    >>> trainer.fit(batches)[-1]["step"], round(trainer.evaluate(batches)["loss"], 3)
    (200, 0.0)
    """

    def __init__(
        self,
        model: nn.Module,
        config: TrainingConfig,
        *,
        folder: str | Path | None = None,
        device: str | torch.device | None = None,
        terms: Mapping[str, str] | None = None,
        show_progress: bool | Callable[[str], None] = True,
    ) -> None:
        device = choose_device() if device is None else torch.device(device)
        self.model, self.config, self.device = model.to(device), config, device
        self.terms = dict(terms or ONE_LOSS)
        self.processes = Processes.init(device)
        self.processes.broadcast(model)
        self.optimizer = make_optimizer(model, config)
        self.optimizer.register_step_pre_hook(self._mark_incomplete)
        self.folder = None if folder is None else Path(folder)
        self.show_progress = show_progress
        self.step = self.epoch = self.batch = 0
        self.best = BestWeights(config.early_stopping_patience)
        self.history: list[dict[str, Any]] = []
        self._file: HistoryFile | None = None
        self._averager = LossAverager(*self.terms)
        self._data: dict[str, Any] | None = None
        self._step_incomplete, self._saved = False, 0

    def fit(
        self, batches: Iterable[Batch], eval_batches: Iterable[Batch] | None = None
    ) -> list[dict[str, Any]]:
        """Train until `max_steps` updates are made, from the present step on.

        With `early_stopping_patience` it may end before, and ``trainer.best.step`` is the update
        whose weights the model has in the end. Only one trainer at a time may do so with a folder.

        Args:
            batches: The batches of an epoch: a list, a DataLoader, or an object with a method
                ``epoch(number, start)``. Each is a dictionary of tensors under the names of the
                model's arguments.
            eval_batches: What to evaluate on; without it there is no evaluation.

        Returns:
            The history. Records of training hold ``step``, ``epoch``, ``loss``, ``learning_rate``,
            ``grad_norm`` and more; those of evaluation, every `eval_steps` updates and at the end,
            ``step`` and ``eval_loss``.
        """
        self._require_sound(batches, eval_batches)
        stream = BatchStream(batches, seed=self.config.seed, epoch=self.epoch, batch=self.batch)
        total, show = self.config.max_steps, self._is_main_process and self.show_progress
        with self._folder_locked(), progress_bar(total, self.step, show=show) as bar:
            if self.folder is not None and self._is_main_process:
                # Written anew, without the records of steps that a crash has lost.
                self._file = HistoryFile(self.folder / "history.jsonl", self.history)
            while True:
                if self._must_save():
                    self.save()
                if self._is_at_end:
                    self.best.restore_best(self.model)
                    return self.history
                self._make_step(stream, bar)
                if eval_batches is not None and self._is_due(self.config.eval_steps):
                    losses = self.evaluate(eval_batches)
                    self._record({f"eval_{name}": loss for name, loss in losses.items()})
                    self._warn_unless_finite(losses["loss"])
                    self.best.record(losses["loss"], self.step, self.model)

    def evaluate(self, batches: Iterable[Batch]) -> dict[str, float]:
        """Return the mean of each loss over all labels of all `batches`, without dropout."""
        return evaluate(
            self.model, batches, terms=self.terms, bf16=self.config.bf16, processes=self.processes
        )

    def save(self) -> Path:
        """Return the folder of a new checkpoint of the run, ``step-…``; the one before is kept."""
        if self.folder is None:
            raise ValueError("the trainer has no folder to save in; make it with folder='…'")
        for name, parameter in self.model.named_parameters():
            if not parameter.isfinite().all():
                raise FloatingPointError(
                    f"{name} is not finite after step {self.step}, so nothing was saved; "
                    f"{self._last_good()}"
                )
        with self._stopping_together():
            if self._is_main_process:
                write_checkpoint(self.folder, self._checkpoint())
        self._saved = self.step
        return self.folder / f"step-{self.step:08}"

    def resume(self) -> int:
        """Return the step of the newest checkpoint, which is restored and from which `fit` goes on.

        A damaged checkpoint is passed over with a warning, and the one before is taken.
        """
        if self.folder is None:
            raise ValueError("the trainer has no folder to go on from; make it with folder='…'")
        checkpoint = read_newest(self.folder)
        state = checkpoint.state
        self._require_same_run(state)
        restore_model(self.model, checkpoint.model)
        restore_optimizer(self.optimizer, self.model, checkpoint.optimizer)
        self.step, self.epoch, self.batch = state["step"], state["epoch"], state["batch"]
        self.history, self._data = list(checkpoint.history), state["data"]
        vars(self._averager).update(state["averager"])
        self.best.restore(state["best"], checkpoint.best)
        self._step_incomplete, self._saved = False, self.step
        return self.step

    @property
    def is_saved(self) -> bool:
        """Return whether there is a checkpoint of the present step."""
        return self._saved == self.step

    @property
    def _is_main_process(self) -> bool:
        return self.processes.rank == 0

    @property
    def _is_at_end(self) -> bool:
        """Whether all updates are made, or the loss has not fallen for too long."""
        return self.step == self.config.max_steps or self.best.is_over

    def _is_due(self, steps: int | None) -> bool:
        """Whether another so many steps have passed, or the run is at its end."""
        return self._is_at_end or (steps is not None and self.step % steps == 0)

    def _must_save(self) -> bool:
        """Whether a checkpoint is due and not there: also one that could not be written before."""
        due = self._is_due(self.config.save_steps) and not self.is_saved
        return due and self.folder is not None

    def _make_step(self, stream: BatchStream, bar: Any) -> None:
        began = time.perf_counter()
        batches = self._take_labeled(stream)
        result = self._train_on(batches)
        self.step, self.epoch, self.batch = self.step + 1, stream.epoch, stream.batch
        tokens, seconds = sum(map(count_tokens, batches)), time.perf_counter() - began
        self._averager.update(result.means, result.labels, tokens, seconds)
        loss = f"{sum(result.means.values()):.3f}"
        bar.set_postfix({"loss": loss, "tokens/s": f"{tokens / seconds:.0f}"}, False)
        bar.update()
        if self._is_due(self.config.logging_steps):
            fields = {"learning_rate": result.learning_rate, "grad_norm": result.grad_norm}
            self._record({"epoch": self.epoch} | self._averager.flush() | fields)
        self._step_incomplete = False

    def _take_labeled(self, stream: BatchStream) -> list[dict[str, Tensor]]:
        """Return the batches of the next step; those without any label make no step."""
        whole = stream.epoch + (stream.batch > 0)  # the first epoch that is read from its beginning
        while stream.epoch <= whole:
            batches = stream.take(self.config.gradient_accumulation_steps)
            counts = (count_labels(batch, self.terms, self.model) for batch in batches)
            if any(count for each in counts for count in each.values()):
                return batches
        raise ValueError(
            f"step {self.step + 1} has no label in its batches, nor has any other batch of epoch "
            f"{whole}, so there is nothing to learn; give at least one"
        )

    def _train_on(self, batches: Sequence[Batch]) -> StepResult:
        """Make one training step; an error for NaN names the checkpoint to return to."""
        model, optimizer = self.model, self.optimizer
        try:
            return training_step(
                model, optimizer, batches, self.step, self.config, self.terms, self.processes
            )
        except FloatingPointError as error:
            raise FloatingPointError(
                f"{error}; {self._last_good()}. Try a lower learning rate or a longer warm-up"
            ) from error

    def _mark_incomplete(self, *_: object) -> None:
        self._step_incomplete = True  # the weights may change before the records do

    def _record(self, fields: Mapping[str, Any]) -> None:
        self.history.append({"step": self.step, **fields})
        if self._file is not None:
            self._file.write()

    def _checkpoint(self) -> Checkpoint:
        state = {
            "format": FORMAT,
            "step": self.step,
            "epoch": self.epoch,
            "batch": self.batch,
            "averager": vars(self._averager),
            "config": dataclasses.asdict(self.config),
            "terms": self.terms,
            "data": self._data,
            "best": self.best.state,
        }
        tensors = model_tensors(self.model), optimizer_tensors(self.optimizer, self.model)
        return Checkpoint(*tensors, state, self.history, self.best.weights)

    @contextmanager
    def _folder_locked(self) -> Iterator[None]:
        """Hold the lock of the folder, if there is one, in the process that writes."""
        with ExitStack() as stack:
            with self._stopping_together():
                if self.folder is not None and self._is_main_process:
                    stack.enter_context(locked(self.folder))
            self._require_own_folder()  # another may have used it until now
            yield

    @contextmanager
    def _stopping_together(self) -> Iterator[None]:
        """Raise in every process if the one that writes has failed in a block."""
        problem = None
        try:
            yield
        except OSError as error:
            problem = error
        failed = {"failed": float(problem is not None)}
        if self.processes.all_reduce(failed, self.device)["failed"]:
            raise problem or OSError("the process that writes to the folder could not")

    def _last_good(self) -> str:
        paths = [] if self.folder is None else checkpoint_folders(self.folder)
        return f"the last good checkpoint is {paths[0].name}" if paths else "there is no checkpoint"

    def _require_sound(
        self, batches: Iterable[Batch], eval_batches: Iterable[Batch] | None
    ) -> None:
        """Raise if training from here would not continue one and the same run."""
        if self._step_incomplete:
            raise RuntimeError(
                f"the update after step {self.step} was interrupted half-way; call resume(), or "
                "make a new model and a new trainer"
            )
        if eval_batches is not None:
            require_repeatable(eval_batches)
            require_labels(map(check_batch, eval_batches), self.terms, self.model)
        elif self.best.patience is not None:
            raise ValueError(
                f"early_stopping_patience ({self.best.patience}) needs something to evaluate on; "
                "give eval_batches, rows that are not trained on"
            )
        self._require_own_folder()
        identity = getattr(batches, "identity", None)
        if self.step and identity != self._data:
            other = "; ".join(differences(self._data or {}, identity or {}))
            raise ValueError(
                f"the data are not those of the first {self.step} steps: {other}. Go on with the "
                "same data"
            )
        self._data = identity

    def _require_own_folder(self) -> None:
        if self.folder is not None and not self.step and checkpoint_folders(self.folder):
            newest = checkpoint_folders(self.folder)[0].name
            raise ValueError(
                f"{str(self.folder)!r} holds a run already ({newest}); call resume() to go on "
                "with it, or name another folder"
            )

    def _require_same_run(self, state: Mapping[str, Any]) -> None:
        if state.get("format") != FORMAT:
            raise ValueError(
                f"the checkpoint has the format {state.get('format')!r}, not {FORMAT!r}; it was "
                "not written by this trainer"
            )
        terms = differences({"terms": state["terms"]}, {"terms": self.terms})
        if other := "; ".join(self.config.differences(state["config"]) + terms):
            raise ValueError(f"the checkpoint belongs to another run: {other}. Keep to what it was")

    def _warn_unless_finite(self, loss: float) -> None:
        if not math.isfinite(loss) and self._is_main_process:
            patience = self.config.early_stopping_patience
            counted = "" if patience is None else f"; it counts as one of {patience} without gain"
            warnings.warn(
                f"the evaluation loss of step {self.step} is {loss}{counted}. Look for numbers "
                "that are not finite in the evaluation data, or give bf16=False",
                stacklevel=3,
            )
