"""Every command that has made a record still makes one of its form, with tiny constants."""

import importlib
import json
import re
import shlex
import shutil
import sys
import tempfile
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from effort import THOROUGH, WEEKLY
from safetensors.torch import load_file, save_file

from benchmarks.__main__ import tasks
from benchmarks.records import origins
from bertbook.core.eight_bits import load_from_eight_bits
from bertbook.core.questions import tomllib
from bertbook.corpus import KjvParts, noun_glosses
from bertbook.records import HERE, record_of
from minibert.loading import load_tokenizer, save_pretrained
from minibert.pretraining import BertForPreTraining

QUICK = {"one_word", "order", "similarities"}  # the others run in `make thorough`
TRAINS = ("small_world", "english_page")  # they store a model
LONG = {  # also with tiny constants: they run every week
    "classify", "english", "ladder", "looking_inside", "own_data",
    "tag_and_answer", "training_runs",
}  # fmt: skip
TINY = tomllib.loads(Path(__file__).with_name("tiny.toml").read_text(encoding="utf-8"))
MORE = dict.fromkeys(("ladder", "processes", "roofline"), ("--rounds", "2"))
TASKS = [task for task in tasks() if task.record != "mutants"]  # which tests/test_mutants.py runs


def module_of(name):
    return importlib.import_module(f"benchmarks.{name}")


class InTurn:
    """A pool of processes that is none: a new process would not know the tiny constants."""

    def __init__(self, *args, **options):
        self.map = lambda function, values, chunksize: [*map(function, values)]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def some_of(place, name, kept):
    """Let a function that reads the examples of a split return some of them."""
    read = getattr(module_of(place), name)
    return {f"{place}.{name}": lambda split: read(split)[kept]}


def replaced(place, table, **changes):
    """Change each entry of a table of a module."""
    entries = getattr(module_of(place), table).items()
    return {f"{place}.{table}": {name: each._replace(**changes) for name, each in entries}}


def some_letters():
    read = module_of("own_data").read_table

    def read_some(*given, **options):
        table = read(*given, **options)
        rare = [place for place, label in enumerate(table.labels) if label == "Danger"]
        return table.take(sorted({*rare, *range(0, len(table), 5)}))

    return {"read_table": read_some}


def some_chapters():
    """Keep a part of the chapters, and the runs in a folder of their own."""
    read, most = module_of("english").kjv_parts, (4, 20, 30, 30)

    def some():
        return KjvParts(*(part[::every] for part, every in zip(read(), most)))

    return {"kjv_parts": some, "FOLDER": Path(tempfile.mkdtemp())}


def some_glosses():
    """Take the stored definitions in the place of Debian's file, set as they are set there."""
    file = Path(tempfile.mkdtemp()) / "data.noun"
    lines = [
        f"{n:08d} 06 n 01 {row.word.replace(' ', '_')} 0 000 | {row.gloss}\n"
        for n, row in enumerate(noun_glosses()[:400])
    ]
    file.write_text("".join(lines), encoding="utf-8")
    return some_chapters() | {"WORDNET": file}


def unpacked_english():
    """Save the model of the page with 32 bits a number, as the run has left it."""
    folder, packed = Path(tempfile.mkdtemp()), HERE / "english"
    model = load_from_eight_bits(BertForPreTraining, packed)
    save_pretrained(model, folder, load_tokenizer(packed, do_lower_case=True))
    return {"TRAINED": folder}


def short_plans():
    plans = module_of("classify").PLANS.items()
    return {
        "PLANS": {n: p._replace(epochs=1, learning_rates=p.learning_rates[:1]) for n, p in plans}
    }


def short_searches():
    settings = module_of("search_runs").SETTINGS.items()
    return {"SETTINGS": {n: s._replace(options={**s.options, "steps": 3}) for n, s in settings}}


def some_names():
    names = module_of("verse_names").verse_names()[::4]
    return {"verse_names": lambda: names}


ONE_PROCESS = SimpleNamespace(get_context=lambda kind: SimpleNamespace(Pool=InTurn))
# What is no constant of tiny.toml: tables of settings, functions that read, folders.
MADE = {
    "classify": short_plans,
    "copying": lambda: (
        replaced("copying", "RUNS", updates=6)
        | {"SEEDS": dict.fromkeys(module_of("copying").RUNS, range(1))}
    ),
    "english": some_chapters,
    "english_glosses": some_glosses,
    "english_page": unpacked_english,
    "ladder": lambda: replaced("ladder", "SIZES", rows=4, batches=2, pool=4, longest=32),
    "looking_inside": lambda: (
        some_of("looking_inside.heads", "service_requests", slice(None, None, 10))
        | some_of("looking_inside.vectors", "service_requests", slice(None, None, 10))
    ),
    "own_data": some_letters,
    "regimes": lambda: {"LAYERS": module_of("gpu_regimes").TOY},
    "search_runs": short_searches,
    "small_world": lambda: {"multiprocessing": ONE_PROCESS},
    "tag_and_answer": lambda: (
        some_of("tag_and_answer", "passage_questions", slice(24))
        | some_of("tag_and_answer", "entity_sentences", slice(40))
    ),
    "tag_controls": lambda: some_of("tag_controls", "entity_sentences", slice(40)),
    "verse_names": some_names,
}


@pytest.fixture(scope="session")
def two_layers(minilm, tmp_path_factory):
    """Copy MiniLM without its upper layers, which would take most of the time."""
    folder = tmp_path_factory.mktemp("minilm") / "model"
    shutil.copytree(minilm, folder)
    weights = load_file(folder / "model.safetensors")
    kept = {name: weights[name] for name in weights if not re.search(r"layer\.[2-9]", name)}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text("utf-8")) | {"num_hidden_layers": 2}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


@pytest.fixture
def shrink(monkeypatch, tmp_path, two_layers):
    """Make constants small, and let whatever stores something do so in another folder."""
    before = torch.get_num_threads(), torch.get_default_dtype()

    def change(name, values):
        for target, value in values.items():
            place, _, constant = target.rpartition(".")
            monkeypatch.setattr(module_of(place or name), constant, value)
        forget()
        program = module_of(name)
        monkeypatch.setattr(torch.nn.Module, "compile", lambda module, **options: None)  # minutes
        for module in benchmarks():
            for folder in {"minilm_folder", "default_encoder"} & {*vars(module)}:
                monkeypatch.setattr(module, folder, lambda: two_layers)
        torch.set_default_dtype(torch.float64 if name == "toy_bert" else torch.float32)
        for constant, value in vars(program).copy().items():
            ours = isinstance(value, Path) and HERE in value.parents
            if ours and (value.suffix or name in TRAINS):  # others read the folder of a model
                monkeypatch.setattr(program, constant, tmp_path / value.name)
        return program

    yield change
    forget()
    torch.set_num_threads(before[0])
    torch.set_default_dtype(before[1])


def forget():
    """Empty what benchmarks remember between calls: it was made with other constants."""
    for module in benchmarks():
        for value in [*vars(module).values()]:
            getattr(value, "cache_clear", int)()


def benchmarks():
    return [module for name, module in [*sys.modules.items()] if name.startswith("benchmarks.")]


def form(node, place=""):
    """List the keys of a record, with all rows of a list as one; numbers in names are left out."""
    if isinstance(node, dict):
        named = {f"{place}/{re.sub(r'[0-9.,]+', '#', key)}": value for key, value in node.items()}
        return {*named}.union(*(form(value, name) for name, value in named.items()))
    return set().union(*(form(row, place) for row in node)) if isinstance(node, list) else set()


def stored_files():
    """Tell when each record and each trained model was written last."""
    return {path: path.stat().st_mtime_ns for path in HERE.rglob("*") if path.suffix != ".pyc"}


def effort(task):
    """Leave all but the quickest to `make thorough`, and the longest to the weekly job."""
    marks = WEEKLY if task.record in LONG else () if task.record in QUICK else THOROUGH
    return pytest.param(task, id=task.command, marks=marks)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.filterwarnings("default")  # as where the command runs alone
@pytest.mark.parametrize("task", [*map(effort, TASKS)])
def test_a_command_makes_its_record(task, shrink, monkeypatch, tmp_path):
    _, _, place, *arguments = shlex.split(task.command)
    place = place.removeprefix("benchmarks.")
    place += ".__main__" if hasattr(module_of(place), "__path__") else ""
    before = stored_files()
    program = shrink(place, TINY[task.record] | MADE.get(task.record, dict)())
    more = MORE.get(task.record, [])
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments, *more])
    shutil.copy(HERE / f"{task.record}.json", tmp_path)  # a whole record is made again, too
    program.main()
    made = json.loads((tmp_path / f"{task.record}.json").read_text(encoding="utf-8"))
    stored = record_of(task.record)
    assert form(made) ^ form(stored) == set(), "keys that only one of both has"
    days = {each["day"] for each in origins(made) if each["command"] == task.command}
    assert days == {date.today().isoformat()}, "a part is not made again"
    assert stored_files() == before
    assert not [*tmp_path.glob(".*")], "a draft is left"
