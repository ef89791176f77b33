"""Encoders of transformers, small and random, asked for every invariant of Chapter 26.

``python -m benchmarks.museum_matrix`` asks all of them; ``--record`` stores what fails, and the
processor seconds of each question, in ``records/museum_matrix.json`` (two minutes of one
thread). The last row has the sizes of MiniLM: six layers of 384 numbers and 30,522 words.
"""

import argparse
import json
import time
from typing import Any

import torch

from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants
from bertbook.museum.invariants.check import Finding
from bertbook.records import record_path

from .records import origin

RECORD = record_path("museum_matrix")
COMMAND = "python -m benchmarks.museum_matrix --record"
NARROW = {"embedding_size": 6}
FAR = {"max_position_embeddings": 18}  # positions that begin behind the padding id
MINILM = {
    "vocab_size": 30_522,
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "max_position_embeddings": 512,
}
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "BERT": ("Bert", {}),
    "RoBERTa": ("Roberta", FAR),
    "DistilBERT": ("DistilBert", {}),
    "ALBERT": ("Albert", NARROW),
    "ELECTRA": ("Electra", NARROW),
    "DeBERTa v2": ("DebertaV2", {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "ModernBERT": ("ModernBert", {"pad_token_id": 0, "local_attention": 4}),
    "MPNet": ("MPNet", FAR),
    "Longformer": ("Longformer", {"attention_window": 16, "max_position_embeddings": 32}),
    "ESM": ("Esm", {"pad_token_id": 1, "mask_token_id": 5}),
    "ConvBERT": ("ConvBert", {"num_attention_heads": 4, "embedding_size": 8}),
    "MobileBERT": (
        "MobileBert",
        NARROW | {"intra_bottleneck_size": 12, "true_hidden_size": 12},
    ),
    "FNet": ("FNet", {}),
    "Nyströmformer": ("Nystromformer", {"num_landmarks": 4, "segment_means_seq_len": 16}),
    "GPT-2": ("GPT2", {}),
    "MiniLM’s sizes": ("Bert", MINILM),
}
ANSWERS = {True: "holds", False: "fails", None: "not asked"}


def answer(finding: Finding) -> str:
    """Say what was found; an encoder that stops with an error has given no wrong numbers."""
    stops = finding.refused or (finding.holds is False and "Error, " in finding.sentence)
    return "stops" if stops else ANSWERS[finding.holds]


def ask(encoder: str) -> dict[str, Any]:
    """Ask one encoder for every invariant."""
    import transformers

    name, more = ENCODERS[encoder]
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**SIZES | more)
    model = getattr(transformers, f"{name}Model")(config)
    start = time.process_time()
    findings = check_invariants(model)
    seconds = round(time.process_time() - start, 1)
    return {
        "encoder": encoder,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": seconds,
        "answers": {finding.name: answer(finding) for finding in findings},
    }


def main() -> None:
    """Ask, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"store in {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    rows = []
    for encoder in ENCODERS:
        rows.append(ask(encoder))
        broken = [name for name, answer in rows[-1]["answers"].items() if answer == "fails"]
        print(encoder, rows[-1]["seconds"], broken, flush=True)
    if record:
        content = {"command": COMMAND, "origin": origin(COMMAND)}
        head = json.dumps(content, indent=1)[:-2]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        RECORD.write_text(f'{head},\n "encoders": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
