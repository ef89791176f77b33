"""Every member of the family twice, ours and transformers', with the same random weights."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from bert_pairs import SMALL, scatter_weights
from torch import Tensor, nn
from transformers.models.modernbert import modeling_modernbert

import bertfamily as family
from minibert import pretraining, tasks


class Member(NamedTuple):
    """A name, and sizes that all differ, under Hugging Face's names."""

    name: str
    fields: dict[str, Any]
    segments: int = 0


# A head has 12 numbers: in DeBERTa 3 · 12 has a whole root, which the library computes in 32 bits;
# so have 2 · 8 with one kind of distances, and 1 · 9 with none.
LISTED = json.loads(Path(__file__).with_name("members.json").read_text("utf-8"))
SIZES, DISTIL, DIFFERENT = LISTED.values()
MEMBERS = {
    member: Member(name, (DISTIL if name == "DistilBert" else SIZES) | fields, segments)
    for member, (name, fields, segments) in DIFFERENT.items()
}


def draw_batch(member: Member, config: Any, rows: int = 4) -> dict[str, Tensor]:
    """Draw rows of different lengths, padded."""
    generator, seq = torch.Generator().manual_seed(0), 13
    lengths = torch.tensor([seq, 9, 2, 5])[:rows, None]
    seen = torch.arange(seq) < lengths
    ids = torch.randint(config.pad_token_id + 1, 41, (rows, seq), generator=generator)
    ids = torch.where(seen, ids, config.pad_token_id)
    batch = {"input_ids": ids, "attention_mask": seen.long()}
    if member.segments > 1:
        batch["token_type_ids"] = ((torch.arange(seq) >= lengths // 2) & seen).long()
    return batch


def draw_labels(head: str, batch: dict[str, Tensor], count: int = 2) -> dict[str, Tensor]:
    """Draw labels, none at padding; the third question has no answer."""
    rows, seq = batch["input_ids"].shape
    generator = torch.Generator().manual_seed(5)
    if head == "ForQuestionAnswering":
        starts = torch.tensor([1, 3, 40, 1])[:rows]
        return {"start_positions": starts, "end_positions": starts + 1}
    if head == "ForSequenceClassification":
        return {"labels": torch.randint(count, (rows,), generator=generator)}
    most = {"ForMaskedLM": 41, "ForTokenClassification": count, "ForPreTraining": 2}[head]
    labels = torch.randint(most, (rows, seq), generator=generator)
    return {"labels": labels.masked_fill(batch["attention_mask"] == 0, -100)}


def build_pair(member: Member, head: str = "Model") -> tuple[nn.Module, nn.Module]:
    """Build transformers' model, and ours of its weights, strictly."""
    theirs = build_theirs(member, torch.float64, head)
    ours = build(member, head).double().eval()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.fill_(torch.nan)  # a forgotten one would show
    ours.load_state_dict(theirs.state_dict(), strict=True)
    return ours, theirs


def way_of(member: Member) -> str:
    """Name the attention that the library has for a member, one that bears rows of padding."""
    return "eager" if member.name == "DebertaV2" else "sdpa"


def build_theirs(
    member: Member, dtype: torch.dtype, head: str = "Model", **changes: Any
) -> nn.Module:
    """Build transformers' model with scattered weights."""
    config_class = getattr(transformers, f"{member.name}Config")
    config = config_class(**member.fields | changes, attn_implementation=way_of(member))
    theirs = getattr(transformers, member.name + head)(config)
    scatter_weights(theirs, seed=0)
    return theirs.to(dtype).eval()


def build(member: Member, head: str = "Model", **changes: Any) -> nn.Module:
    """Build our model by Hugging Face's names of the sizes."""
    config = getattr(family, f"{member.name}Config")(**member.fields | changes)
    return getattr(family, member.name + head)(config)


def build_with_head(name: str, head: str) -> nn.Module:
    """Build a model of ours with a head and scattered weights: of ``"bert"``, or of a member."""
    torch.manual_seed(0)
    if name == "bert":
        module = tasks if hasattr(tasks, f"Bert{head}") else pretraining
        model = getattr(module, f"Bert{head}")(SMALL)
    else:
        model = build(MEMBERS[name], head)
    scatter_weights(model, seed=0)
    return model.eval()


def compute_in_64_bits(monkeypatch) -> None:
    """Let ModernBERT's library, which turns vectors in 32 bits, turn them in 64."""

    def turn(q, k, cos, sin, unsqueeze_dim=1):
        half = modeling_modernbert.rotate_half
        cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
        return q * cos + half(q) * sin, k * cos + half(k) * sin

    def angles(self, x, position_ids, layer_type):
        slowness = getattr(self, f"{layer_type}_inv_freq").float()
        half = position_ids[..., None].to(x) * slowness
        both = torch.cat([half, half], dim=-1)
        return both.cos(), both.sin()

    monkeypatch.setattr(modeling_modernbert, "apply_rotary_pos_emb", turn)
    monkeypatch.setattr(modeling_modernbert.ModernBertRotaryEmbedding, "forward", angles)
