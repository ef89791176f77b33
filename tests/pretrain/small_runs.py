"""A small text, a small model, the command in this process, and what to compare two runs by."""

import json
from pathlib import Path

from berttools.__main__ import main
from minibert.training import checkpoint_folders

TIMES = ("seconds", "tokens_per_second")
CONFIG = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
    "max_position_embeddings": 32, "type_vocab_size": 2,
}  # fmt: skip
WISHES = ("--max-steps", "8", "--batch-size", "8", "--save-steps", "2", "--held-out", "0.2")
WISHES += ("--max-length", "24", "--learning-rate", "0.01", "--device", "cpu")


def small_text(documents=12):
    """Documents of four sentences each, no two of them the same."""
    heroes = "anna ben clara david emma felix greta hugo ida jonas karla leo".split()
    doings = "reads a book|sings in the garden|sees the cat|opens the door|eats an apple".split("|")
    told = []
    for number in range(documents):
        hero, other = heroes[number % 12], heroes[(number + 5) % 12]
        does = [doings[(number + place) % 5] for place in range(3)]
        told.append(
            f"{hero.title()} {does[0]}.\nThen {hero} {does[1]}.\n"
            f"{other.title()} {does[2]}.\nThey are happy today.\n"
        )
    return "\n".join(told)


def write_inputs(folder, text=None, **changes):
    """Write a text file and a config.json, and return the arguments that name them."""
    path, config = folder / "text.txt", folder / "sizes.json"
    path.write_text(small_text() if text is None else text, encoding="utf-8")
    config.write_text(json.dumps(CONFIG | changes), encoding="utf-8")
    return [str(path), "--config", str(config), *WISHES]


def pretrain(*arguments):
    return main(["pretrain", *map(str, arguments)])


def history_of(folder):
    lines = (Path(folder) / "history.jsonl").read_text(encoding="utf-8").splitlines()
    records = map(json.loads, lines)
    return [{k: v for k, v in record.items() if k not in TIMES} for record in records]


def end_of(folder):
    """All that must be the same, bit for bit, at the end of two runs."""
    folder = Path(folder)
    names = ("model.safetensors", "vocab.txt", "config.json", "tokenizer_config.json")
    return {
        **{name: (folder / name).read_bytes() for name in names},
        "optimizer": (checkpoint_folders(folder)[0] / "optimizer.safetensors").read_bytes(),
        "history": history_of(folder),
        # A cut in the last cleaning leaves something hidden to clean.
        "left": {path.name.split("-")[0] for path in folder.glob("[!.]*")},
    }
