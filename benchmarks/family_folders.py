"""Folders of the whole family, both ways: theirs opened by us, and ours by transformers.

``python -m benchmarks.family_folders`` builds each member of transformers with each of its heads,
random weights in 64 bits, saves it, opens the folder with ours and compares all that both return at
the tokens; then saves ours, opens that folder with transformers, and compares again. ``--record``
stores the largest differences in ``records/family_folders.json`` (a minute of one thread). The
differences of DeBERTa and ModernBERT are the library's: it takes a root, or turns its vectors, in
32 bits.
"""

import argparse
import json
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

import bertfamily as family
from bertbook.records import record_path
from minibert.loading import load_pretrained, save_pretrained

from .records import origin

RECORD = record_path("family_folders")
COMMAND = "python -m benchmarks.family_folders --record"
SIZES = {
    "vocab_size": 41,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 17,
    "pad_token_id": 1,
}
FAR = {"relative_attention": True, "position_buckets": 4, "pos_att_type": ["p2c", "c2p"]}
V3 = {"share_att_key": True, "norm_rel_ebd": "layer_norm", "position_biased_input": False}
DISTIL = {"dim": 24, "n_layers": 3, "n_heads": 2, "hidden_dim": 20}
MEMBERS = {
    "RoBERTa": ("Roberta", SIZES),
    "DistilBERT": ("DistilBert", DISTIL | {name: SIZES[name] for name in
                   ("vocab_size", "max_position_embeddings", "pad_token_id")}),
    "ALBERT": ("Albert", SIZES | {"embedding_size": 10}),
    "DeBERTa": ("DebertaV2", SIZES | FAR | V3),
    "ELECTRA": ("Electra", SIZES | {"embedding_size": 10}),
    "ModernBERT": ("ModernBert", SIZES | {"local_attention": 4}),
}  # fmt: skip
HEADS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
         "ForQuestionAnswering", "ForPreTraining")  # fmt: skip
RETURNED = ("last_hidden_state", "logits", "start_logits", "end_logits")
MARKS = dict.fromkeys(("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"), 0)


def heads_of(member: str) -> list[str]:
    """List the heads that a member has here."""
    return [head for head in HEADS if hasattr(family, MEMBERS[member][0] + head)]


def draw_batch() -> dict[str, Tensor]:
    """Draw three rows of different lengths, padded."""
    generator = torch.Generator().manual_seed(0)
    seen = torch.arange(13) < torch.tensor([[13], [9], [4]])
    ids = torch.randint(2, 41, (3, 13), generator=generator)
    return {"input_ids": torch.where(seen, ids, 1), "attention_mask": seen.long()}


@torch.no_grad()
def difference(ours: nn.Module, theirs: nn.Module) -> float:
    """Return the largest difference of two models, at the tokens."""
    batch = draw_batch()
    seen, a, b = batch["attention_mask"].bool(), ours(**batch), theirs(**batch)
    largest = 0.0
    for name in RETURNED:
        one, other = getattr(a, name, None), getattr(b, name, None)
        if (one is None) != (other is None):
            raise ValueError(f"only one of both models returns {name}")
        if one is not None:
            away = (one - other).abs()
            shown = away[seen] if away.shape[:2] == seen.shape else away
            largest = max(largest, shown.max().item())
    return largest


def both_ways(member: str, head: str, folder: Path) -> dict[str, float]:
    """Open their folder with ours, and ours with theirs."""
    import transformers

    name, fields = MEMBERS[member]
    torch.manual_seed(0)
    way = "eager" if name == "DebertaV2" else "sdpa"
    config = getattr(transformers, f"{name}Config")(**fields, **MARKS, attn_implementation=way)
    kind = getattr(transformers, name + head)
    theirs = kind(config).double().eval()
    with torch.no_grad():
        for weight in theirs.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)
    theirs.save_pretrained(folder / "theirs")
    ours = load_pretrained(getattr(family, name + head), folder / "theirs").double().eval()
    opened = difference(ours, theirs)
    save_pretrained(ours, folder / "ours")
    again = kind.from_pretrained(folder / "ours", attn_implementation=way, dtype=torch.float64)
    return {"opened": opened, "saved": difference(ours, again.eval())}


def measure(member: str) -> dict[str, dict[str, float]]:
    """Take all heads of a member both ways."""
    found = {}
    for head in heads_of(member):
        with tempfile.TemporaryDirectory() as folder:
            found[head] = both_ways(member, head, Path(folder))
    return found


def main() -> None:
    """Compare, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"store in {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    members = {}
    for member in MEMBERS:
        members[member] = measure(member)
        print(member, members[member], flush=True)
    if record:
        content = {"command": COMMAND, "origin": origin(COMMAND), "members": members}
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
