"""What a trained model computes on the way: maps of its heads, swapped heads.

Chapters 8 and 20.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece.encode_batch import Batch

from .attention_maps import attention_share, offset_mask, patch_heads, token_mask

_OFFSETS = {"itself": 0, "the previous token": -1, "the next token": 1}


class Watched:
    """A model of a folder, with the weights that a page has: rounded to 16 bits."""

    def __init__(self, folder: str | Path):
        self.model = load_pretrained(BertForPreTraining, folder)
        for parameter in self.model.parameters():
            parameter.data = parameter.data.half().float()
        self.tokenizer = load_tokenizer(folder, do_lower_case=True)
        self.config = self.model.bert.config

    def row(self, text: str) -> Batch:
        """Turn a sentence, or two with | between them, into a batch of one row."""
        first, *pair = text.split("|")
        return self.tokenizer([first], pair[:1] or None)

    def pieces(self, batch: Batch) -> list[str]:
        """Name the tokens of a row."""
        return [self.tokenizer.pieces[number] for number in batch["input_ids"][0]]

    def place(self, batch: Batch) -> int:
        """Find the first [MASK] of a row."""
        found = (batch["input_ids"][0] == self.tokenizer.mask_token_id).nonzero()
        if not len(found):
            told = " ".join(self.pieces(batch))
            raise ValueError(f"{told!r} has no [MASK]; write it where the model shall answer")
        return int(found[0])

    @torch.no_grad()
    def maps(self, text: str) -> tuple[list[str], Float[Tensor, "layers heads seq seq"]]:
        """Give the tokens of a text and all attention maps."""
        batch = self.row(text)
        output = self.model.bert(**batch, output_attentions=True)
        return self.pieces(batch), torch.cat(output.attentions)

    def shares(self, text: str, layer: int, head: int) -> dict[str, float]:
        """Measure how much of their attention the words spend on five targets."""
        batch = self.row(text)
        ids, real = batch["input_ids"], batch["attention_mask"]
        named = {name: self.tokenizer.vocab[name] for name in ("[CLS]", "[SEP]")}
        words = ~torch.isin(ids, torch.tensor([*named.values()]))[:, :, None]
        targets = {name: token_mask(ids, [number], real) for name, number in named.items()}
        targets |= {name: offset_mask(real, offset) for name, offset in _OFFSETS.items()}
        probs = self.maps(text)[1][layer][None]
        return {
            name: attention_share(probs, target & words)[0, head].item()
            for name, target in targets.items()
        }

    @torch.no_grad()
    def answers(self, text: str) -> dict[str, float]:
        """Give the probability of each piece at [MASK]."""
        batch = self.row(text)
        states = self.model.bert(**batch).last_hidden_state[:, self.place(batch)]
        probs = self.model.cls.predictions(states)[0].softmax(-1)
        return dict(zip(self.tokenizer.pieces, probs.tolist(), strict=True))

    @torch.no_grad()
    def is_next(self, first: str, second: str) -> float:
        """Give the probability that the second sentence follows the first."""
        logits = self.model(**self.row(f"{first}|{second}")).seq_relationship_logits
        return float(logits.softmax(-1)[0, 0])

    def patched(self, story: str, twin: str, heads: Iterable[Sequence[int]]) -> dict[str, float]:
        """Answer in the story with what some heads, counted from 0, found in its twin."""
        heads = [(layer, head) for layer, head in heads]
        with patch_heads(self.model.bert, dict.fromkeys(heads, 0.0)):
            contexts = []  # here, since it raises if there is no such head

        def note(module, inputs, output):
            contexts.append(output[0].unflatten(-1, (-1, self.config.head_size)))

        with ExitStack() as hooks:
            for layer in self.model.bert.encoder.layer:
                attention = layer.get_submodule("attention.self")
                hooks.enter_context(attention.register_forward_hook(note))
            self.answers(twin)
        swapped = {(layer, head): contexts[layer][:, :, head] for layer, head in heads}
        with patch_heads(self.model.bert, swapped):
            return self.answers(story)
