"""A small encoder in a folder, a table that it can learn, and the command in this process."""

import csv
import json

import numpy as np
import torch

from berttools.__main__ import main
from minibert.config import BertConfig
from minibert.loading import save_pretrained
from minibert.model import BertModel
from minibert.wordpiece import WordPieceTokenizer

NAMES = ("Billing", "Hardware", "Software")
THINGS = ("bill invoice money sum", "box cable router lamp", "page login link site")
DOINGS = "is wrong|was late again|does nothing|is gone since monday|came twice".split("|")
PROMISE = ("--promise", "0.7")
WISHES = (*PROMISE, "--learning-rate", "0.01", "--epochs", "14", "--use", "fine-tuned")


def letters(rows=240, seed=0):
    """Texts whose class one word tells, all different, with three copies and one contradiction."""
    rng, told = np.random.default_rng(seed), []
    for number in range(rows):
        label = int(rng.integers(3))
        thing = str(rng.choice(THINGS[label].split()))
        extra = " ".join("abcdefghijklmnopqrstuvwxyz"[n] for n in rng.integers(0, 26, 4))
        told.append([f"My {thing} {DOINGS[number % 5]} {extra}", NAMES[label], f"w{number % 60}"])
    return [*told, *told[:2], [told[3][0].upper() + "!", *told[3][1:]], [told[4][0], "Other", "w4"]]


def write_table(path, rows, head=("text", "label", "writer")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def write_encoder(folder, texts=None):
    """Save a BERT of one layer with weights of chance, and its tokenizer."""
    texts = texts or [text for text, *_ in letters()]
    tokenizer = WordPieceTokenizer.train(texts, 300)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=tokenizer.vocab_size, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32, initializer_range=0.2,
    )  # fmt: skip
    save_pretrained(BertModel(config), folder, tokenizer)
    return folder


def classify(*arguments):
    return main(["classify", *map(str, arguments), "--device", "cpu"])


def facts_of(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))
