"""Where the heads of an encoder look, over many sentences, and what is lost without them."""

import base64
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bertbook.core.attention_maps import (
    ablate_heads,
    attention_entropy,
    attention_share,
    bootstrap_interval,
    offset_mask,
    token_mask,
)
from bertbook.corpus import service_requests

from .encoders import Encoder, Telling, batches, rounded

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
        asked = mask.bool() & ~special
        only = asked[:, :, None]
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
        spread = [attention_entropy(probs, asked) for probs in output.attentions]
        found.setdefault("entropy", []).append(torch.stack(spread, dim=1).numpy())
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
    report["change"] = rounded(vector_changes(encoder, texts[:60]))
    return report


@torch.no_grad()
def vector_changes(encoder: Encoder, texts: Sequence[str]) -> np.ndarray:
    """For each head, 1 minus the mean cosine of sentence vectors with and without it."""
    batch = encoder.tokenizer(list(texts), padding=True)
    weights = batch["attention_mask"][..., None].float()

    def vectors() -> Tensor:
        states = encoder.model(**batch).last_hidden_state
        return torch.nn.functional.normalize((states * weights).sum(1), dim=1)

    whole, config = vectors(), encoder.model.config
    changes = np.zeros((config.num_hidden_layers, config.num_attention_heads))
    for layer, head in np.ndindex(changes.shape):
        with ablate_heads(encoder.model, [(layer, head)]):
            changes[layer, head] = 1 - (vectors() * whole).sum(1).mean().item()
    return changes


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


def link_targets(rows: Sequence[Telling], seq: int, kind: str) -> Tensor:
    """Mark the pieces to which the grammar links a word: its hero, or where it was told before."""
    targets = torch.zeros(len(rows), seq, seq, dtype=torch.bool)
    for number, row in enumerate(rows):
        for query, (source, word) in enumerate(zip(row.sources, row.words)):
            earlier = [k for k in range(query) if row.sources[k] == source and source[0] != 0]
            if kind == "pronoun":
                earlier = [k for k in range(len(row.words)) if row.sources[k] == (0, 0)]
                if source[0] != 0 or source[1] == 0:
                    continue
            for key in earlier:
                assert kind == "pronoun" or row.words[key] == word
                targets[number, row.pieces[query][0], list(row.pieces[key])] = True
    return targets


def links_of(encoder: Encoder, rows: Sequence[Telling], kind: str) -> dict:
    """Choose the head with the largest share in half of the stories, and measure it in the rest.

    The same is done with a fixed offset: what one gets who always looks so many places away.
    """
    shares, fixed, evenly, stories = [], [], [], []
    offsets = list(range(-30, 31))
    for part, batch in batches(encoder, rows):
        mask = batch["attention_mask"]
        targets = link_targets(part, mask.shape[1], kind)
        asked = targets.any(dim=-1).any(dim=-1)
        with torch.no_grad():
            attentions = encoder.model(**batch, output_attentions=True).attentions
        of_heads = torch.stack([attention_share(probs, targets) for probs in attentions], dim=1)
        even = (mask / mask.sum(dim=1, keepdim=True))[:, None, None].expand(
            -1, 1, mask.shape[1], -1
        )
        spread = attention_share(even, targets)
        by_offset = torch.stack(
            [
                attention_share(offset_mask(mask, o)[:, None].float(), targets)[:, 0]
                for o in offsets
            ],
            dim=1,
        )
        shares.append(of_heads[asked].numpy())
        fixed.append(by_offset[asked].numpy())
        evenly.append(spread[asked, 0].numpy())
        stories += [row.story for row, kept in zip(part, asked) if kept]
    shares, fixed, stories = np.concatenate(shares), np.concatenate(fixed), np.array(stories)
    even = np.concatenate(evenly)[stories % 2 == 1].mean()
    return compare_links(shares, fixed, stories, offsets) | {"even": rounded(even)}


def compare_links(shares, fixed, stories, offsets) -> dict:
    """Average over the tellings of a story, choose on even stories, measure on odd ones."""
    numbers = np.unique(stories)
    by_story = np.stack([shares[stories == n].mean(axis=0) for n in numbers])
    fixed_by_story = np.stack([fixed[stories == n].mean(axis=0) for n in numbers])
    chosen, measured = numbers % 2 == 0, numbers % 2 == 1
    layer, head = np.unravel_index(by_story[chosen].mean(axis=0).argmax(), shares.shape[1:])
    offset = fixed_by_story[chosen].mean(axis=0).argmax()
    low, high = bootstrap_interval(
        by_story[measured][:, layer, head], rng=np.random.default_rng(18)
    )
    return {
        "stories": int(measured.sum()),
        "layer": int(layer),
        "head": int(head),
        "share": rounded(by_story[measured][:, layer, head].mean()),
        "low": rounded(low),
        "high": rounded(high),
        "all_heads": rounded(by_story[measured].mean()),
        "offset": offsets[offset],
        "offset_share_where_chosen": rounded(fixed_by_story[chosen][:, offset].mean()),
        "offset_share": rounded(fixed_by_story[measured][:, offset].mean()),
    }
