"""A small model with two losses, ragged batches for it, and what to compare two runs by."""

from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional

from minibert.training import BertTrainer, TrainingConfig, checkpoint_folders
from minibert.training.checkpoint import read_checkpoint

TERMS = {"word_loss": "labels", "pair_loss": "pair_labels"}
VOCAB = 11


class SmallModel(nn.Module):
    """Embed, normalize, drop out, and score with the tied embedding and with a pair head."""

    def __init__(self, seed=0, hidden=8, dropout=0.1, dtype=torch.float32):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.embedding = nn.Embedding(VOCAB, hidden)
        self.dense = nn.Linear(hidden, hidden)
        self.LayerNorm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(dropout)
        self.decoder = nn.Linear(hidden, VOCAB)
        self.decoder.weight = self.embedding.weight
        self.pairs = nn.Linear(hidden, 2)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        for parameter in self.parameters():
            parameter.data = torch.randn(parameter.shape, generator=generator).mul(0.5)
        self.to(dtype)

    def forward(self, input_ids, attention_mask=None, labels=None, pair_labels=None):
        if self.training:
            self.calls += 1
        x = self.dropout(self.LayerNorm(self.dense(self.embedding(input_ids)).tanh()))
        output = SimpleNamespace(word_loss=None, pair_loss=None, loss=None)
        if labels is not None:
            assert (labels != -100).any(), "a mean over no label"
            output.word_loss = functional.cross_entropy(self.decoder(x).mT, labels)
        if pair_labels is not None:
            output.pair_loss = functional.cross_entropy(self.pairs(x[:, 0]), pair_labels)
        losses = [loss for loss in (output.word_loss, output.pair_loss) if loss is not None]
        output.loss = sum(losses) if losses else None
        return output


def ragged_batches(count=5, rows=4, seed=0):
    """Batches of different lengths, with very different numbers of labels."""
    generator = torch.Generator().manual_seed(seed)
    batches = []
    for number in range(count):
        shape = (rows - number % 2, 3 + 2 * number)
        ids = torch.randint(VOCAB, shape, generator=generator)
        asked = torch.rand(shape, generator=generator) < (0.1, 0.9)[number % 2]
        asked[0, 0] = True
        batches.append({
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "labels": torch.where(asked, ids.roll(1), -100),
            "pair_labels": torch.randint(2, shape[:1], generator=generator),
        })  # fmt: skip
    return batches


def make_trainer(folder=None, model=None, terms=TERMS, device="cpu", **changes):
    options = {
        "max_steps": 12, "seed": 3, "learning_rate": 0.02, "logging_steps": 2, "save_steps": 4,
    } | changes  # fmt: skip
    config = TrainingConfig(**{"warmup_steps": min(3, options["max_steps"])} | options)
    more = {"folder": folder, "device": device, "terms": terms, "show_progress": False}
    return BertTrainer(model or SmallModel(), config, **more)


def equal(one, other):
    """Whether two trainers have the same weights, bit for bit."""
    pairs = zip(one.model.parameters(), other.model.parameters(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def without_times(records):
    times = ("seconds", "tokens_per_second")
    return [{k: v for k, v in record.items() if k not in times} for record in records]


def end_of(folder):
    """All that must be the same, bit for bit, at the end of two runs."""
    path = checkpoint_folders(folder)[0]
    checkpoint = read_checkpoint(path)
    state = dict(checkpoint.state)
    averager = state.pop("averager")
    return {
        "model": (path / "model.safetensors").read_bytes(),
        "optimizer": (path / "optimizer.safetensors").read_bytes(),
        "state": state | {k: averager[k] for k in ("sums", "labels", "tokens", "tokens_before")},
        "history": without_times(checkpoint.history),
    }
