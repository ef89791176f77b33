"""Where the heads of an encoder look, over many sentences, and what is lost without them."""

import base64
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bertbook.core.attention_maps import (
    attention_share,
    bootstrap_interval,
    offset_mask,
    token_mask,
)
from bertbook.corpus import service_requests

from .encoders import Encoder, rounded

SHOWN = (
    "Anna lost her key, but Ben found the key.",
    "The bank of the river was steep.",
    "Her modem blinks red again.",
)


@torch.no_grad()
def head_measures(encoder: Encoder, texts: Sequence[str]) -> dict[str, np.ndarray]:
    """Measure every head on every text: arrays of shape (texts, layers, heads)."""
    tokenizer, found = encoder.tokenizer, {}
    for start in range(0, len(texts), 40):
        batch = tokenizer(list(texts[start : start + 40]), padding=True)
        output = encoder.model(**batch, output_attentions=True, output_hidden_states=True)
        ids, mask = batch["input_ids"], batch["attention_mask"]
        special = torch.isin(ids, torch.tensor([tokenizer.cls_token_id, tokenizer.sep_token_id]))
        only = (mask.bool() & ~special)[:, :, None]
        targets = {
            "[CLS]": token_mask(ids, [tokenizer.cls_token_id], mask) & only,
            "[SEP]": token_mask(ids, [tokenizer.sep_token_id], mask) & only,
            "itself": offset_mask(mask, 0) & only,
            "previous": offset_mask(mask, -1) & only,
            "next": offset_mask(mask, 1) & only,
        }
        for name, target in targets.items():
            shares = [attention_share(probs, target) for probs in output.attentions]
            found.setdefault(name, []).append(torch.stack(shares, dim=1).numpy())
        carried = [
            attention_share(carried_shares(layer, states, probs), targets["[CLS]"])
            for layer, states, probs in zip(
                encoder.model.encoder.layer, output.hidden_states, output.attentions
            )
        ]
        found.setdefault("carried from [CLS]", []).append(torch.stack(carried, dim=1).numpy())
    return {name: np.concatenate(parts) for name, parts in found.items()}


def carried_shares(layer, states: Tensor, probs: Tensor) -> Tensor:
    """Weigh each share with the length of what it brings home, and scale rows to 1 again."""
    own = layer.attention.self
    value = own.value(states).unflatten(-1, (-1, own.head_size)).transpose(1, 2)
    mixers = layer.attention.output.dense.weight.unflatten(1, (-1, own.head_size))
    lengths = torch.einsum("bhsd,ohd->bhso", value, mixers).norm(dim=-1)
    carried = probs * lengths[:, :, None, :]
    return carried / carried.sum(dim=-1, keepdim=True)


def heads_of(encoder: Encoder) -> dict:
    """Describe every head by means over requests of customers, with intervals."""
    texts = [request.text for request in service_requests("validation")]
    rng, measured = np.random.default_rng(18), head_measures(encoder, texts)
    report = {"sentences": len(texts), "measures": {}}
    for name, values in measured.items():
        low, high = bootstrap_interval(values, rng=rng)
        report["measures"][name] = {
            "mean": rounded(values.mean(axis=0)),
            "low": rounded(low),
            "high": rounded(high),
        }
    return report


@torch.no_grad()
def maps_of(encoder: Encoder) -> list[dict]:
    """Store the attention of a few sentences, one byte for each share."""
    found = []
    for text in SHOWN:
        batch = encoder.tokenizer([text])
        attentions = encoder.model(**batch, output_attentions=True).attentions
        probs = torch.stack(attentions, dim=1)[0].numpy()
        found.append({
            "tokens": [encoder.tokenizer.pieces[i]
                       for i in batch["input_ids"][0].tolist()],
            "shape": list(probs.shape),
            "shares": base64.b64encode((probs * 255).round().astype(np.uint8)).decode(),
        })  # fmt: skip
    return found
