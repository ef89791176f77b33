"""The trainer: what it tells and refuses, where it computes, and when it stops."""

import json
import math
import os
import shutil

import pytest
import torch
from small_model import SmallModel, end_of, equal, make_trainer, ragged_batches, without_times

from minibert.training import autocast_dtype, checkpoint_folders, choose_device, progress
from minibert.training.batch_stream import BatchStream
from minibert.training.checkpoint import DamagedCheckpoint, read_checkpoint
from minibert.training.evaluation import BestWeights
from minibert.training.history import HistoryFile, LossAverager, count_tokens

# Epoch after epoch, from any place on


class Epochs(list):
    """Batches that know their epochs, as PretrainingBatches does, and what they are."""

    def __init__(self, batches, seed=1):
        super().__init__(batches)
        self.asked, self.identity = [], {"seed": seed}

    def epoch(self, number, start=0):
        self.asked.append((number, start))
        for batch in self[start:]:
            yield {"epoch": torch.tensor(number), **batch} if "x" in batch else batch


class Drawing:
    """Data that draw from torch's global generator, order and contents."""

    def __iter__(self):
        for number in torch.randperm(6).tolist():
            yield {"x": torch.cat([torch.tensor([float(number)]), torch.rand(2)])}


def take(batches, count, epoch=0, batch=0):
    stream = BatchStream(batches, seed=5, epoch=epoch, batch=batch)
    taken = [{name: x.tolist() for name, x in each.items()} for each in stream.take(count)]
    return taken, (stream.epoch, stream.batch)


@pytest.mark.parametrize("batches", [Epochs({"x": torch.tensor(n)} for n in range(4)), Drawing()])
def test_epochs_follow_each_other_from_any_place_on(batches):
    whole, end = take(batches, 14)
    for first in (1, 3, 4, 6, 7, 12):
        before, place = take(batches, first)
        torch.rand(3)  # what others draw in between does not matter
        after, last = take(batches, 14 - first, *place)
        assert before + after == whole
        assert last == end
    if isinstance(batches, Epochs):
        batches.asked.clear()
        found = [{"epoch": 7, "x": 3}, {"epoch": 8, "x": 0}]
        assert take(batches, 2, epoch=7, batch=3) == (found, (8, 1))
        assert batches.asked == [(7, 3), (8, 0)]


ONE = torch.ones(1)
NO_BATCHES = [
    ([], ValueError, "epoch 0 holds no batch; give at least one"),
    ([[ONE]], TypeError, "a batch must be a dictionary of tensors, .* not a list"),
    ([{"x": ONE, "words": ["a"]}], TypeError, "'words' in a batch must be a tensor, not a list"),
    ((batch for batch in [{}]), TypeError, "are a generator, which .* only once"),
]


@pytest.mark.usefixtures("unchecked")
def test_what_is_no_batch():
    for batches, error, sentence in NO_BATCHES:
        with pytest.raises(error, match=sentence):
            BatchStream(batches, seed=0).take(1)
    with pytest.raises(TypeError, match="only once"):
        make_trainer().fit(ragged_batches(), eval_batches=iter(ragged_batches()))


def test_a_run_that_goes_on_in_the_middle_of_an_epoch_ends_as_if_it_had_not_stopped(tmp_path):
    class Shuffled:
        def __iter__(self):
            batches = ragged_batches()
            return (batches[n] for n in torch.randperm(len(batches)).tolist())

    options = {"max_steps": 9, "gradient_accumulation_steps": 2, "save_steps": 6}
    make_trainer(tmp_path / "whole", **options).fit(Shuffled())
    shutil.copytree(tmp_path / "whole", tmp_path / "parts")
    shutil.rmtree(tmp_path / "parts" / "step-00000009")
    trainer = make_trainer(tmp_path / "parts", **options)
    assert trainer.resume() == 6 and trainer.batch == 2
    torch.rand(5)
    trainer.fit(Shuffled())
    assert end_of(tmp_path / "parts") == end_of(tmp_path / "whole")


# What it tells


class Watching(SmallModel):
    """Note how the model is called."""

    def forward(self, **batch):
        assert torch.is_grad_enabled() == self.training
        self.autocast = torch.is_autocast_enabled("cpu")
        return super().forward(**batch)


def test_evaluation_changes_nothing_and_keeps_nothing_for_gradients():
    batches = ragged_batches()
    plain, watched = make_trainer(), make_trainer(model=Watching(), eval_steps=1)
    plain.fit(batches)
    watched.fit(batches, ragged_batches(seed=1))
    assert equal(plain, watched)
    assert watched.model.training
    watched.model.eval()
    watched.evaluate(batches)
    assert not watched.model.training


def test_the_history_is_plain_and_complete(tmp_path):
    trainer = make_trainer(tmp_path, max_steps=7, logging_steps=3, eval_steps=4)
    history = trainer.fit(ragged_batches(), ragged_batches(seed=1))
    steps = [("eval_loss" in record, record["step"]) for record in history]
    assert steps == [(False, 3), (True, 4), (False, 6), (False, 7), (True, 7)]
    lines = (tmp_path / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == history
    seven = [*ragged_batches(), *ragged_batches()[:2]]
    assert history[-2]["tokens"] == sum(batch["input_ids"].numel() for batch in seven)
    assert history[-2]["epoch"] == 1
    assert history[0]["learning_rate"] == pytest.approx(0.02 * 2 / 3)  # third of a warm-up of 3
    found = trainer.evaluate(ragged_batches(seed=1))
    assert history[-1]["eval_loss"] == found["loss"]
    assert list(found) == ["loss", "word_loss", "pair_loss"]
    single = make_trainer(terms={"word_loss": "labels"})
    assert list(single.evaluate(ragged_batches())) == ["loss"]
    assert trainer.fit(ragged_batches()) == history  # it has nothing to do


def test_a_record_is_the_mean_over_the_labels_since_the_last_one_and_so_is_its_speed():
    each, both = (make_trainer(max_steps=4, logging_steps=steps) for steps in (1, 2))
    single = each.fit(ragged_batches(4))
    counts = [int((batch["labels"] != -100).sum()) for batch in ragged_batches(4)]
    for at, record in zip((0, 2), both.fit(ragged_batches(4)), strict=True):
        total = sum(single[n]["word_loss"] * counts[n] for n in (at, at + 1))
        assert record["word_loss"] == pytest.approx(total / sum(counts[at : at + 2]), abs=1e-12)
    averager = LossAverager("loss")
    assert averager.flush()["tokens_per_second"] == 0
    for tokens, seconds in ((30, 2.0), (70, 5.0)):
        averager.update({"loss": 1.0}, {"loss": 1}, tokens, seconds)
        assert averager.flush()["tokens_per_second"] == tokens / seconds


def test_tokens_are_counted_without_padding():
    mask = torch.tensor([[1, 0], [1, 1]])
    assert count_tokens({"input_ids": torch.ones(2, 2), "attention_mask": mask}) == 3
    assert count_tokens({"input_ids": torch.ones(2, 5)}) == 10
    assert count_tokens({"x": torch.ones(4, 5), "scale": torch.tensor(1.0)}) == 4


def test_without_a_terminal_it_says_how_long_it_takes_and_that_it_is_alive(monkeypatch):
    """Steps of two seconds, the first of them with the libraries to load: 99 take 198 seconds."""
    now, printed = [1000.0], []
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with progress.progress_bar(110, 10, show=printed.append) as lines:
        for step in range(11, 111):
            now[0] += 30 if step == 11 else 2
            lines.set_postfix({"loss": f"{step / 10:.3f}"}, False)
            lines.update()
    assert printed == [
        "Step 14 of 110: loss 1.400, about 3 minutes left.",
        "Step 44 of 110: loss 4.400, about 2 minutes left.",
        "Step 74 of 110: loss 7.400, about 70 seconds left.",
        "Step 104 of 110: loss 10.400, about 10 seconds left.",
    ]
    assert progress.time_in_words(5400) == "about 1.5 hours"


# What it refuses


def test_other_data_are_refused_also_if_they_do_not_say_what_they_are(tmp_path):
    trainer = make_trainer(tmp_path, max_steps=4, save_steps=2)
    trainer.fit(Epochs(ragged_batches()))
    shutil.rmtree(tmp_path / "step-00000004")
    resumed = make_trainer(tmp_path, max_steps=4, save_steps=2)
    assert resumed.resume() == 2
    other = Epochs(ragged_batches(), seed=2)
    for each, data, seed in ((trainer, other, 2), (resumed, other, 2), (resumed, [*other], None)):
        words = f"not those of the first {each.step} steps: seed was 1 and is {seed}"
        with pytest.raises(ValueError, match=words):
            each.fit(data)


def interrupt(*_):
    raise KeyboardInterrupt


def test_a_step_that_was_interrupted_before_the_update_is_made_again_and_half_an_update_not():
    trainer = make_trainer()
    hook = trainer.model.pairs.register_forward_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(ragged_batches())
    hook.remove()
    trainer.model.calls.zero_()
    history = without_times(trainer.fit(ragged_batches()))
    assert history == without_times(make_trainer().fit(ragged_batches()))
    trainer = make_trainer()
    trainer.optimizer.register_step_post_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(ragged_batches())
    with pytest.raises(RuntimeError, match="the update after step 0 was interrupted half-way"):
        trainer.fit(ragged_batches())


# Where it computes


def test_the_device_is_the_best_one_or_the_one_that_was_named(monkeypatch):
    for has, environment, name, device in (
        ("", {}, None, "cpu"),
        ("mps", {}, None, "mps"),
        ("cuda mps", {}, None, "cuda:0"),
        ("cuda mps", {"LOCAL_RANK": "3"}, None, "cuda:3"),
        ("cuda mps", {"LOCAL_RANK": "3", "MINIBERT_DEVICE": "cuda:1"}, None, "cuda:1"),
        ("cuda mps", {"LOCAL_RANK": "3", "MINIBERT_DEVICE": "cpu"}, "cuda", "cuda:3"),
        ("cuda mps", {"MINIBERT_DEVICE": "cpu"}, "mps", "mps"),
        ("", {"MINIBERT_DEVICE": "cuda"}, None, r"MINIBERT_DEVICE is 'cuda', .* has cpu"),
        ("", {}, "mps:0", r"the device is 'mps:0', which this .* it has cpu"),
    ):
        for variable, default in (("MINIBERT_DEVICE", ""), ("LOCAL_RANK", "0")):
            monkeypatch.setenv(variable, environment.get(variable, default))
        monkeypatch.setattr(torch.cuda, "is_available", lambda has=has: "cuda" in has)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda has=has: "mps" in has)
        if " " in device:
            with pytest.raises(ValueError, match=device):
                choose_device(name)
        else:
            assert choose_device(name) == torch.device(device)


@pytest.mark.parametrize("bf16", [True, False])
def test_half_precision_reaches_the_model_where_it_is_faster_and_wanted(monkeypatch, bf16):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bf16)
    found = [autocast_dtype(torch.device(name)) for name in ("cpu", "mps", "cuda")]
    assert found == [None, None, torch.bfloat16 if bf16 else None]
    monkeypatch.setattr("minibert.training.devices.autocast_dtype", lambda device: torch.bfloat16)
    trainer = make_trainer(model=Watching(), max_steps=2, bf16=bf16)
    trainer.fit(ragged_batches())
    assert trainer.model.autocast == bf16
    trainer.model.autocast = None
    trainer.evaluate(ragged_batches()[:1])
    assert trainer.model.autocast == bf16
    assert all(p.dtype == torch.float32 for p in trainer.model.parameters())
    assert math.isfinite(trainer.history[-1]["loss"])


# Early stopping: when a run ends, which weights stay, and that an interrupted run ends alike

EVALUATED = {"eval_steps": 2, "max_steps": 40, "warmup_steps": 3, "logging_steps": 40}
PATIENT = EVALUATED | {"early_stopping_patience": 3}


def learn(trainer):
    """Learn by heart what does not help on the other batches, until that is seen."""
    trainer.fit(ragged_batches(), ragged_batches(seed=1))
    return trainer


def losses_of(trainer):
    return {r["step"]: r["eval_loss"] for r in trainer.history if "eval_loss" in r}


def weights_of(trainer):
    return {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one | other)


def test_a_run_ends_when_the_loss_has_not_fallen_and_the_best_weights_are_put_back():
    trainer, seen = make_trainer(**PATIENT), []

    class Watched(list):
        def __iter__(self):
            seen.append(weights_of(trainer))  # twice before the first update
            return super().__iter__()

    trainer.fit(ragged_batches(), Watched(ragged_batches(seed=1)))
    losses = losses_of(trainer)
    best = min(losses, key=losses.get)
    assert 2 < best < trainer.step < 40
    assert trainer.step == best + 3 * 2  # three evaluations, two updates apart
    assert (trainer.best.step, trainer.best.loss) == (best, losses[best])
    assert max(losses) == trainer.step
    assert same(weights_of(trainer), seen[best // 2 + 1])
    assert trainer.model.decoder.weight is trainer.model.embedding.weight


def test_at_the_end_of_all_updates_the_best_weights_are_put_back_too_but_not_without_patience():
    patient = learn(make_trainer(**PATIENT | {"early_stopping_patience": 20}))
    plain = learn(make_trainer(**EVALUATED))
    losses = losses_of(plain)
    assert plain.step == patient.step == 40 > patient.best.step
    assert losses_of(patient) == losses
    assert patient.evaluate(ragged_batches(seed=1))["loss"] == losses[patient.best.step]
    assert (plain.best.step, plain.best.loss, plain.best.weights) == (0, math.inf, {})
    assert plain.evaluate(ragged_batches(seed=1))["loss"] == losses[40] > min(losses.values())


def test_an_equal_loss_is_not_lower_and_one_that_is_no_number_neither():
    best, model = BestWeights(patience=3), SmallModel()
    for step, loss in enumerate([0.5, 0.5, math.nan], start=1):
        best.record(loss, step, model)
    assert (best.step, best.loss, best.waited, best.is_over) == (1, 0.5, 2, False)
    best.record(0.4, 4, model)
    assert (best.step, best.waited) == (4, 0)
    best.restore(BestWeights(patience=3).state, {})  # of a run before its first evaluation
    assert (best.loss, best.step, best.waited, best.weights) == (math.inf, 0, 0, {})


@pytest.mark.parametrize("patience", [None, 2])
def test_an_evaluation_that_measures_nothing_is_told(patience):
    trainer = make_trainer(**EVALUATED | {"early_stopping_patience": patience, "max_steps": 8})

    def spoil(model, _, output):
        if not model.training:
            output.word_loss = output.word_loss * math.nan

    trainer.model.register_forward_hook(spoil)
    with pytest.warns(UserWarning, match=r"evaluation loss of step [2468] is nan") as caught:
        trainer.fit(ragged_batches(), ragged_batches(1, seed=1))
    assert trainer.step == len(caught) * 2 == (8 if patience is None else 4)
    counted = ["it counts as one of 2 without gain" in str(one.message) for one in caught]
    assert counted == [patience is not None] * len(caught)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that was never interrupted, its end and its weights."""
    folder = tmp_path_factory.mktemp("whole")
    trainer = learn(make_trainer(folder, **PATIENT, save_steps=1))
    return end_of(folder), weights_of(trainer), trainer


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_run_that_goes_on_ends_bit_for_bit_alike(whole, tmp_path, interrupted):
    """Also where it had ended: its last weights are in the checkpoint, and its best ones come."""
    end, weights, uncut = whole
    folder = shutil.copytree(uncut.folder, tmp_path / "run")
    if interrupted:
        shutil.rmtree(checkpoint_folders(folder)[0])
    trainer = make_trainer(folder, **PATIENT, save_steps=1)
    assert trainer.resume() == uncut.step - interrupted > uncut.best.step
    assert not same(weights_of(trainer), weights)
    assert same(weights_of(learn(trainer)), weights)
    assert trainer.step == uncut.step
    assert same(read_checkpoint(checkpoint_folders(folder)[0]).best, uncut.best.weights)
    assert end_of(folder) == end


def test_damaged_best_weights_are_refused_and_when_it_evaluates_is_kept(whole, tmp_path):
    folder = shutil.copytree(whole[2].folder, tmp_path / "run")
    with pytest.raises(ValueError, match="another run: eval_steps was 2 and is 4"):
        make_trainer(folder, **PATIENT | {"eval_steps": 4}).resume()
    learn(make_trainer(tmp_path / "plain", max_steps=4, eval_steps=2))
    assert make_trainer(tmp_path / "plain", max_steps=4, eval_steps=4).resume() == 4
    with pytest.raises(ValueError, match=r"early_stopping_patience \(3\) needs something to eval"):
        make_trainer(**PATIENT).fit(ragged_batches())
    file = checkpoint_folders(folder)[0] / "best.safetensors"
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(DamagedCheckpoint, match=r"best\.safetensors"):
        read_checkpoint(file.parent)


def test_a_history_that_cannot_be_written_catches_up(tmp_path):
    records = [{"step": 1}]
    tmp_path /= "runs"  # which is made, too
    file = HistoryFile(tmp_path / "a" / "history.jsonl", records)
    records.append({"step": 2})
    os.rename(tmp_path / "a", tmp_path / "b")
    (tmp_path / "a").write_text("in the way")
    with pytest.warns(UserWarning, match=r"history\.jsonl' lacks records for now"):
        file.write()
    (tmp_path / "a").unlink()
    records.append({"step": 3})
    file.write()
    records.append({"step": 4})
    file.write()
    steps = [json.loads(line)["step"] for line in file.path.read_text().splitlines()]
    assert steps == [1, 2, 3, 4]
