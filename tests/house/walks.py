"""Walk through three flows: `python tests/house/walks.py` writes the walks of ARCHITECTURE.md.

A walk is what `sys.setprofile` sees while a flow runs, so its stations are those of the code as it
is now. A station is a function of ours, with the first line of its docstring, in the order of the
first calls: every function on the way of a batch, and in the longer walks the one by which each
file is entered for the first time.
"""

from __future__ import annotations

import ast
import os
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path

import torch
from book_tree import ROOT
from draw_packages import PAGE, placed
from python_code import parse

from berttools.__main__ import main as minibert_command
from minibert.config import BertConfig
from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

WALKED = ("minibert", "berttools")
SENTENCES = ("the lamp is broken", "the bill came late", "the page shows nothing")
SMALL = BertConfig.tiny(vocab_size=100)


def walk(flow: Callable[[], object]) -> list[str]:
    """Run a flow, and list the functions of ours that it calls, in the order of first calls."""
    seen: dict[tuple[str, int], None] = {}

    def look(frame, event: str, _: object) -> None:
        if event == "call":
            seen[frame.f_code.co_filename, frame.f_code.co_firstlineno] = None

    sys.setprofile(look)
    try:
        flow()
    finally:
        sys.setprofile(None)
    ours = tuple(f"{ROOT / name}{os.sep}" for name in WALKED)
    stations = (_stations(file).get(line) for file, line in seen if file.startswith(ours))
    return [station for station in stations if station]


@cache
def _stations(file: str) -> dict[int, str]:
    """Map the first line of every function and method of a file to its station, as written."""
    name = Path(file).relative_to(ROOT).as_posix()
    return {line: f"`{name}` · {rest}" for line, rest in _functions(parse(Path(file)))}


def _functions(tree: ast.Module | ast.ClassDef, inside: str = "") -> Iterator[tuple[int, str]]:
    """Yield first line, name and summary of functions; a constructor has that of its class."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{inside}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            text = ast.get_docstring(node if node.name != "__init__" else tree) or ""
            summary = text.partition("\n\n")[0].replace("\n", " ")
            yield line, f"`{inside}{node.name}`: {summary}"


def entries(stations: list[str]) -> list[str]:
    """Keep the first station of each file."""
    first: dict[str, str] = {}
    for station in stations:
        first.setdefault(station.partition(" · ")[0], station)
    return [*first.values()]


def batch() -> list[str]:
    """Walk from ids to the loss."""
    torch.manual_seed(0)
    model, ids = BertForPreTraining(SMALL), torch.arange(5, 17).reshape(2, 6)
    mask, types = torch.ones_like(ids), torch.zeros_like(ids)
    answers = {"labels": ids, "next_sentence_label": torch.tensor([0, 1])}
    return walk(lambda: model(ids, mask, types, **answers))


def folder(place: Path) -> list[str]:
    """Walk from a folder to a model."""
    save_small(place)
    return entries(walk(lambda: load_pretrained(BertModel, place)))


def table(place: Path) -> list[str]:
    """Walk from a table to a classifier, through the files of the command."""
    save_small(place / "small")
    words = [f"{a} {b}" for a in "abcdefgh" for b in "abcdefgh"]  # no two rows are alike
    rows = [f"{SENTENCES[n % 3]} {each},{n % 3}" for n, each in enumerate(words[:60])]
    (place / "table.csv").write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    options = f"--model {place}/small --out {place}/out --epochs 1 --device cpu"
    arguments = ["classify", "train", f"{place}/table.csv", *options.split()]
    stations = walk(lambda: minibert_command(arguments))
    return entries([station for station in stations if station.startswith("`berttools/")])


def save_small(place: Path) -> None:
    """Save a BERT with weights of chance, and its tokenizer."""
    torch.manual_seed(0)
    tokenizer = WordPieceTokenizer.train(SENTENCES, SMALL.vocab_size)
    config = BertConfig(**{**vars(SMALL), "vocab_size": tokenizer.vocab_size})
    save_pretrained(BertModel(config), place, tokenizer)


def written(page: str) -> str:
    """Walk all three, and put the walks in their places on the page."""
    for package in WALKED:  # what an import calls is no station
        for module in pkgutil.walk_packages([ROOT / package], f"{package}."):
            import_module(module.name)
    with tempfile.TemporaryDirectory() as place:
        one, two = Path(place, "one"), Path(place, "two")
        with redirect_stdout(StringIO()):  # what the command says
            walks = {"batch": batch(), "folder": folder(one), "table": table(two)}
    for name, stations in walks.items():
        lines = (f"{number}. {one}" for number, one in enumerate(stations, start=1))
        page = placed(page, f"walk: {name}", "\n".join(lines))
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"the walks of {PAGE.name} are written")
