"""The room of buffers and files: right today, and something else tomorrow. Chapter 26."""

import random

import torch

from minibert.model import BertModel

from .bug import Bug


class _Nanochat837(BertModel):
    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        vectors = output.last_hidden_state
        if getattr(self, "buffer", vectors[:0]).shape != vectors.shape:
            self.buffer = vectors.clone()
        self.buffer.copy_(vectors)
        return output._replace(last_hidden_state=self.buffer)


class _ModernBert141(BertModel):
    def forward(self, input_ids, *given, **named):
        most = 12
        given = [table[:, :most] for table in given]
        named = {name: table[:, :most] for name, table in named.items() if torch.is_tensor(table)}
        return super().forward(input_ids[:, :most], *given, **named)


class _OutsideOfTheState(BertModel):
    def __init__(self, config) -> None:
        super().__init__(config)
        chance = random.Random(torch.rand(1).item())
        self.scale = chance.uniform(1, 2)

    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        return output._replace(last_hidden_state=output.last_hidden_state * self.scale)


LOADING = [
    Bug(_Nanochat837, "one buffer for all batches", "give away a copy", "karpathy/nanochat #837"),
    Bug(_ModernBert141, "long texts cut in silence", "ask the configuration, refuse longer texts",
        "AnswerDotAI/ModernBERT #141"),
    Bug(_OutsideOfTheState, "a number outside of the state", "register_buffer, and it is saved"),
]  # fmt: skip
