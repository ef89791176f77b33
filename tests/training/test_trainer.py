"""The trainer: what it tells, how it evaluates, what it refuses, and where it computes."""

import json
import math
import os
import shutil

import pytest
import torch
from small_model import SmallModel, make_trainer, ragged_batches, without_times

from minibert.training import autocast_dtype, choose_device, progress
from minibert.training.history import HistoryFile, LossAverager, count_tokens


def test_evaluation_changes_nothing_and_keeps_nothing_for_gradients():
    class Watching(SmallModel):
        def forward(self, **batch):
            assert torch.is_grad_enabled() == self.training
            return super().forward(**batch)

    batches = ragged_batches()
    plain, watched = make_trainer(), make_trainer(model=Watching(), eval_steps=1)
    plain.fit(batches)
    watched.fit(batches, ragged_batches(seed=1))
    for ours, theirs in zip(plain.model.parameters(), watched.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
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


def test_the_speed_of_a_record_counts_from_the_record_before():
    averager = LossAverager("loss")
    assert averager.flush()["tokens_per_second"] == 0
    for tokens, seconds in ((30, 2.0), (70, 5.0)):
        averager.update({"loss": 1.0}, {"loss": 1}, tokens, seconds)
        assert averager.flush()["tokens_per_second"] == tokens / seconds


def test_a_record_is_the_mean_over_the_labels_since_the_last_one():
    batches = ragged_batches(4)
    each = make_trainer(max_steps=4, logging_steps=1)
    both = make_trainer(max_steps=4, logging_steps=2)
    each.fit(batches)
    both.fit(batches)
    counts = [int((batch["labels"] != -100).sum()) for batch in batches]
    for at, record in enumerate(both.history):
        pair = slice(2 * at, 2 * at + 2)
        losses = [r["word_loss"] for r in each.history[pair]]
        mean = sum(x * n for x, n in zip(losses, counts[pair])) / sum(counts[pair])
        assert record["word_loss"] == pytest.approx(mean, abs=1e-12)


def test_the_learning_rate_of_the_schedule_reaches_the_optimizer():
    trainer, seen = make_trainer(max_steps=6, warmup_steps=2), []
    trainer.optimizer.register_step_pre_hook(
        lambda optimizer, *_: seen.append([group["lr"] for group in optimizer.param_groups])
    )
    trainer.fit(ragged_batches())
    shares = [0, 0.5, 1, 0.75, 0.5, 0.25]
    assert seen == [[pytest.approx(0.02 * share)] * 2 for share in shares]


def known(seed):
    """Batches that tell what they are."""
    batches = type("Known", (list,), {})(ragged_batches())
    batches.identity = {"seed": seed}
    return batches


def test_other_data_are_refused_also_if_they_do_not_say_what_they_are(tmp_path):
    trainer = make_trainer(tmp_path, max_steps=4, save_steps=2)
    trainer.fit(known(1))
    shutil.rmtree(tmp_path / "step-00000004")
    resumed = make_trainer(tmp_path, max_steps=4, save_steps=2)
    assert resumed.resume() == 2
    for each, data, seed in (
        (trainer, known(2), 2), (resumed, known(2), 2), (resumed, ragged_batches(), None),
    ):  # fmt: skip
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


def test_tokens_are_counted_without_padding():
    mask = torch.tensor([[1, 0], [1, 1]])
    assert count_tokens({"input_ids": torch.ones(2, 2), "attention_mask": mask}) == 3
    assert count_tokens({"input_ids": torch.ones(2, 5)}) == 10
    assert count_tokens({"x": torch.ones(4, 5), "scale": torch.tensor(1.0)}) == 4


def test_a_bar_in_a_terminal_tells_the_time_left(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress.progress_bar(10, 0, show=True) as bar:
        bar.set_postfix({"loss": "2.500"}, False)
        for _ in range(5):
            bar.update()
        bar.refresh()
    shown = capsys.readouterr().err
    assert "5/10" in shown and "loss=2.500" in shown and "<" in shown  # elapsed<remaining
    with progress.progress_bar(10, 0, show=False) as bar:
        bar.update()
    assert capsys.readouterr().err == ""


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


def test_lines_of_progress_begin_where_the_run_does(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    make_trainer(tmp_path).fit(ragged_batches())
    shutil.rmtree(tmp_path / "step-00000012")
    again, printed = make_trainer(tmp_path), []
    again.resume()
    again.show_progress = printed.append
    again.fit(ragged_batches())
    assert [line.partition(":")[0] for line in printed] == ["Step 10 of 12", "Step 11 of 12"]


def test_the_device_is_the_best_one_or_the_one_that_was_named(monkeypatch):
    for name in ("MINIBERT_DEVICE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    for found, device in (("", "cpu"), ("mps", "mps"), ("cuda mps", "cuda:0")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda found=found: "cuda" in found)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda found=found: "mps" in found)
        assert choose_device() == torch.device(device)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert choose_device() == torch.device("cuda:3")
    for named in ("cuda:1", "cpu"):
        monkeypatch.setenv("MINIBERT_DEVICE", named)
        assert choose_device() == torch.device(named)
    assert choose_device("cuda") == torch.device("cuda:3")
    assert choose_device("mps") == torch.device("mps")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setenv("MINIBERT_DEVICE", "cuda")
    with pytest.raises(ValueError, match=r"MINIBERT_DEVICE is 'cuda', .* has cpu"):
        choose_device()
    with pytest.raises(ValueError, match=r"the device is 'mps:0', which this .* it has cpu"):
        choose_device("mps:0")


@pytest.mark.parametrize("bf16", [True, False])
def test_half_precision_reaches_the_model_where_it_is_faster_and_wanted(monkeypatch, bf16):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bf16)
    found = [autocast_dtype(torch.device(name)) for name in ("cpu", "mps", "cuda")]
    assert found == [None, None, torch.bfloat16 if bf16 else None]
    seen = []

    class Watching(SmallModel):
        def forward(self, **batch):
            seen.append(torch.is_autocast_enabled("cpu"))
            return super().forward(**batch)

    monkeypatch.setattr("minibert.training.devices.autocast_dtype", lambda device: torch.bfloat16)
    trainer = make_trainer(model=Watching(), max_steps=2, bf16=bf16)
    trainer.fit(ragged_batches())
    trainer.evaluate(ragged_batches()[:1])
    assert seen == [bf16] * 3
    assert all(p.dtype == torch.float32 for p in trainer.model.parameters())
    assert math.isfinite(trainer.history[-1]["loss"])


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
