"""Model and batch on another device than the CPU: nothing mixes, and the numbers are the same."""

from types import SimpleNamespace

import bert
import pytest
import torch
from bert_pairs import SMALL, draw_batch
from family_pairs import MEMBERS, build
from family_pairs import draw_batch as draw_for
from other_device import NAME, MixedDevicesError, other_device
from small_model import make_trainer, ragged_batches
from tasks import ALL, TASKS, cast

from bertbook.corpus import hundred_sentences
from minibert.training.devices import to_device


def test_a_mixture_would_show():
    with other_device() as there:
        for other in (torch.ones(3), torch.nn.Linear(3, 3)(torch.ones(3))):
            with pytest.raises((MixedDevicesError, RuntimeError)):
                torch.ones(3, device=there) + other
        with pytest.raises(MixedDevicesError):
            torch.rand(3, device=there, generator=torch.Generator())


def same_as_on_the_cpu(work, rel=0):
    with other_device() as there:
        found = work(there)
    expected = work(torch.device("cpu"))
    assert found == (pytest.approx(expected, rel=rel, abs=0) if rel else expected)


def test_the_page_trains_and_answers(tmp_path, capsys):
    documents = [hundred_sentences()[n : n + 4] for n in range(0, 100, 4)]
    tokenizer = bert.WordPieceTokenizer(bert.learn_pieces(bert.count_words(documents), 90))
    config = bert.BertConfig(
        vocab_size=len(tokenizer.pieces), hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip

    def work(device):
        torch.manual_seed(0)
        model = bert.BertForPreTraining(config).to(device)
        assert next(model.parameters()).device == device
        bert.train(model, tokenizer, documents, documents, 12, size=4)
        bert.save_pretrained(model, tokenizer, tmp_path / device.type)
        told = [line.rpartition("   ")[0] for line in capsys.readouterr().out.splitlines()]
        return told, bert.fill(model, tokenizer, "the man [MASK] the book")

    same_as_on_the_cpu(work)
    for name in ("model.safetensors", "config.json", "vocab.txt"):
        assert (tmp_path / NAME / name).read_bytes() == (tmp_path / "cpu" / name).read_bytes()


def test_the_trainer_trains_and_evaluates(tmp_path):
    def work(device):
        options = {"max_steps": 6, "save_steps": 3, "eval_steps": 3}
        trainer = make_trainer(tmp_path / device.type, device=device, **options)
        history = trainer.fit(ragged_batches(), ragged_batches(seed=1))
        losses = [record.get("loss", record.get("eval_loss")) for record in history]
        return losses, [each.tolist() for each in trainer.model.parameters()]

    same_as_on_the_cpu(work)


def one_step(model, batch, device):
    """Return the loss of a batch, before and after a step."""
    losses, batch = [], to_device(batch, device)
    optimizer = torch.optim.AdamW(model.to(device).train().parameters(), lr=1e-2)
    for _ in range(2):
        torch.manual_seed(0)
        losses.append(model(**batch).loss)
        optimizer.zero_grad()
        losses[-1].backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return [loss.item() for loss in losses]


@pytest.mark.parametrize("task", [ALL[1], *TASKS[::3]], ids=lambda task: task.name)
def test_a_task_takes_a_step(task):
    """A loss that reads its labels on a CPU only adds up in another order elsewhere."""
    batch = draw_batch(SMALL, 1)
    batch |= cast(task.labels(batch, 1), torch.float64)

    def work(device):
        torch.manual_seed(0)
        return one_step(task.kind(SMALL, **task.task).double(), batch, device)

    same_as_on_the_cpu(work, rel=1e-12)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_of_the_family_takes_a_step(name):
    def work(device):
        torch.manual_seed(0)
        model = build(MEMBERS[name])
        score = torch.nn.Linear(model.config.hidden_size, 3)

        def forward(**rows):
            states = model(**rows).last_hidden_state
            return SimpleNamespace(loss=score(states).square().mean())

        whole = torch.nn.ModuleList([model, score])
        whole.forward = forward
        return one_step(whole, draw_for(MEMBERS[name], model.config), device)

    same_as_on_the_cpu(work)
