"""Every member of the family twice, ours and transformers', with the same random weights."""

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


SIZES = {
    "vocab_size": 41, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 2,
    "intermediate_size": 20, "max_position_embeddings": 17,
}  # fmt: skip
DISTIL = {
    "vocab_size": 41, "dim": 24, "n_layers": 3, "n_heads": 2, "hidden_dim": 20,
    "max_position_embeddings": 17,
}  # fmt: skip
# A head has 12 numbers: in DeBERTa 3 · 12 has a whole root, which the library computes in 32 bits;
# so have 2 · 8 with one kind of distances, and 1 · 9 with none.
FAR = {"relative_attention": True, "position_buckets": 4, "pos_att_type": ["p2c", "c2p"]}
V3 = {"share_att_key": True, "norm_rel_ebd": "layer_norm", "position_biased_input": False}
NARROW = {"embedding_size": 10}
MEMBERS = {
    "roberta": Member("Roberta", SIZES | {"type_vocab_size": 1, "pad_token_id": 1}, 1),
    "roberta, other padding": Member("Roberta", SIZES | {"pad_token_id": 3}, 2),
    "distilbert": Member("DistilBert", DISTIL | {"activation": "relu"}),
    "albert": Member("Albert", SIZES | NARROW, 2),
    "albert, groups": Member(
        "Albert", SIZES | NARROW | {"num_hidden_groups": 2, "inner_group_num": 2}, 2
    ),
    "deberta v2, all apart": Member("DebertaV2", SIZES | FAR | {"type_vocab_size": 2}, 2),
    "deberta v3": Member("DebertaV2", SIZES | FAR | V3),
    "deberta, one way": Member(
        "DebertaV2",
        SIZES | FAR | {"hidden_size": 16, "pos_att_type": ["c2p"], "type_vocab_size": 2},
        2,
    ),
    "deberta, no distances": Member("DebertaV2", SIZES | {"hidden_size": 18}),
    "deberta, no buckets": Member("DebertaV2", SIZES | FAR | {"position_buckets": -1}),
    "electra": Member("Electra", SIZES | NARROW, 2),
    "electra, as wide": Member("Electra", SIZES | {"embedding_size": 24}, 2),
    "modernbert": Member("ModernBert", SIZES | {"local_attention": 4, "pad_token_id": 7}),
    "modernbert, biases": Member(
        "ModernBert",
        SIZES
        | {"local_attention": 6, "pad_token_id": 7, "global_attn_every_n_layers": 2}
        | dict.fromkeys(("norm_bias", "attention_bias", "mlp_bias"), True),
    ),
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
