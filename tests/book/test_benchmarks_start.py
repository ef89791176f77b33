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


def few(module, name, most):
    """Let a function that reads the examples of a split return the first ones."""
    read = getattr(module_of(module), name)
    return {f"{module}.{name}": lambda split: read(split)[:most]}


def tiny_copying():
    runs = {name: each._replace(updates=6) for name, each in module_of("copying").RUNS.items()}
    return {"copying.RUNS": runs, "copying.SEEDS": dict.fromkeys(runs, range(1))}


def tiny_requests():
    rooms = ("looking_inside.heads", "looking_inside.vectors")
    read = module_of(rooms[0]).service_requests
    return {f"{room}.service_requests": lambda part: read(part)[::10] for room in rooms}


def tiny_own_data():
    read = module_of("own_data").read_table

    def read_some(*given, **options):
        table = read(*given, **options)
        rare = [place for place, label in enumerate(table.labels) if label == "Danger"]
        return table.take(sorted({*rare, *range(0, len(table), 5)}))

    return {"own_data.read_table": read_some}


def tiny_english():
    """Keep a part of the chapters, and the runs in a folder of their own."""
    read, most = module_of("english").kjv_parts, (4, 20, 30, 30)

    def some():
        return KjvParts(*(part[::every] for part, every in zip(read(), most)))

    return {
        "english.kjv_parts": some,
        "english.RUNS": (("as it is", 2, 0), ("wide", 2, 0)),
        "english.OPTIONS": ("--vocab-size", "4000", "--held-out", "0"),
        "english.FOLDER": Path(tempfile.mkdtemp()),
    }


def tiny_english_glosses():
    """Take the stored definitions in the place of Debian's file, set as they are set there."""
    file = Path(tempfile.mkdtemp()) / "data.noun"
    lines = [
        f"{n:08d} 06 n 01 {row.word.replace(' ', '_')} 0 000 | {row.gloss}\n"
        for n, row in enumerate(noun_glosses()[:400])
    ]
    file.write_text("".join(lines), encoding="utf-8")
    return {
        "english_glosses.kjv_parts": tiny_english()["english.kjv_parts"],
        "english_glosses.WORDNET": file, "english_glosses.EVERY": 5,
        "english_glosses.FOLDER": Path(tempfile.mkdtemp()),
        "english_glosses.VOCABULARY": 2000,
        "english_glosses.SHORT": 2, "english_glosses.LONG": 3,
    }  # fmt: skip


def tiny_search_runs():
    settings = {
        name: each._replace(options={**each.options, "steps": 3})
        for name, each in module_of("search_runs").SETTINGS.items()
    }
    return {"search_runs.SETTINGS": settings}


def unpacked_english():
    """Save the model of the page with 32 bits a number, as the run has left it."""
    folder, packed = Path(tempfile.mkdtemp()), HERE / "english"
    model = load_from_eight_bits(BertForPreTraining, packed)
    save_pretrained(model, folder, load_tokenizer(packed, do_lower_case=True))
    return folder


def tiny_classify():
    plans = {
        name: plan._replace(epochs=1, learning_rates=plan.learning_rates[:1])
        for name, plan in module_of("classify").PLANS.items()
    }
    return {"classify.PLANS": plans}


def tiny_ladder():
    sizes = {
        name: size._replace(rows=4, batches=2, pool=4, longest=32)
        for name, size in module_of("ladder").SIZES.items()
    }
    return {"ladder.SIZES": sizes}


def tiny_readers():
    return few("tag_and_answer", "passage_questions", 24) | {
        "tag_and_answer.SEEDS": range(1), "tag_and_answer.BLIND_SEEDS": range(1),
    }  # fmt: skip


def tiny_taggers():
    return few("tag_and_answer", "entity_sentences", 40) | {
        "tag_and_answer.SHIFTED_SEEDS": range(1)
    }


def tiny_verse_names():
    names = module_of("verse_names").verse_names()[::4]
    return {"verse_names.verse_names": lambda: names}


# By the name of a record: in which module of benchmarks which constants are how small.
TINY = {
    "classify": lambda: tiny_classify() | {
        "classify.SEEDS": range(1), "label_curve.SIZES": (20, 630), "label_curve.UPDATES": 2,
    },
    "copying": lambda: tiny_copying() | {
        "copying.TELLINGS": 2, "copying.DRAWS": 20, "copying.POINTS": 2,
        "copying.DOCUMENTS": 20_000,
    },
    "dictionary": {"dictionary.ROWS": 200},
    "english": tiny_english,
    "english_glosses": tiny_english_glosses,
    "english_page": lambda: {
        "english_page.TRAINED": unpacked_english(), "english_page.VERSES": 5,
        "english_page.FEW": 2,
    },
    "family_folders": {},
    "glosses": {
        "glosses.LABELS_A_KIND": (2, 5), "glosses.DRAWS": range(2),
        "glosses.OPTIONS": ("--epochs", "1"),
    },
    "head_rivals": {
        "head_rivals.STORIES": 3, "head_rivals.RIDDLES": 5, "head_rivals.TELLINGS": 1,
        "head_rivals.OTHER_WOMEN": ["alice", "julia"],
        "head_rivals.OTHER_MEN": ["robert", "mark"],
        "head_rivals.LAYER": 1,
    },
    "label_origins": {
        "label_origins.SEEDS": range(2), "label_origins.TUNED_SEEDS": range(1),
        "label_curve.UPDATES": 1,
    },
    "ladder": lambda: tiny_ladder() | {
        "ladder_use.SENTENCES": 8,
    },
    "looking_inside": lambda: tiny_requests() | {
        "looking_inside.people.TELLINGS": 2, "looking_inside.patching.TELLINGS": 2,
        "looking_inside.taking_away.RIDDLES": 30, "looking_inside.taking_away.TOLD": 10,
    },
    "museum_matrix": {"museum_matrix.ENCODERS": {"BERT": ("Bert", {})}},
    "one_word": {},
    "order": {"order.UPDATES": 12, "order.FIRST": 3, "order.SEEDS": range(2)},
    "own_data": lambda: tiny_own_data() | {
        "own_data.SEEDS": range(1), "own_data.PENALTIES": (0.3, 3),
        "own_data.EPOCHS": 1, "own_data.RATES": (3e-4,),
    },
    "processes": {},
    "regimes": {"regimes.LAYERS": module_of("gpu_regimes").TOY, "gpu_regimes.TRACES": 1},
    "roofline": {
        "roofline.SIDE": 256, "roofline.LONG": 2_000_000, "roofline.BATCHES": ((1, 8), (2, 16)),
    },
    "search": {"search.QUERIES": 20},
    "search_own": {"search_own.STEPS": 1, "search_own.RATES": (2e-5, 2e-4)},
    "search_runs": lambda: tiny_search_runs() | {
        "search_runs.SEEDS": 1, "search_runs.TRAINING": 600, "search_runs.QUERIES": 20,
        "search.QUERIES": 20,
    },
    "shoot_out": {
        "shoot_out.UPDATES": 40, "shoot_out.SEEDS": range(1), "shoot_out.RATES": (3e-3, 6e-3),
        "shoot_out.DOCUMENTS": 600, "shoot_out.BATCH": 8, "shoot_out.PAIRS": 40,
        "shoot_out.HELD_OUT_DOCUMENTS": 40, "shoot_out.FLOOR_PAIRS": 1100,
        "shoot_out.PAIR_UPDATES": 3,
    },
    "similarities": {},
    "small_world": {
        "small_world.STEPS": 20, "small_world.EVERY": 10, "small_world.SEEDS": 2,
        "small_world.DOCUMENTS": 1500, "small_world.BATCH": 8, "small_world.FLOOR_PAIRS": 60,
        "small_world.HELD_OUT_DOCUMENTS": 100, "small_world.RIDDLES": 10,
        "small_world.multiprocessing": SimpleNamespace(
            get_context=lambda kind: SimpleNamespace(Pool=InTurn)
        ),
    },
    "tag_and_answer": lambda: tiny_readers() | tiny_taggers(),
    "three_back": {"three_back.UPDATES": 5, "three_back.FIRST": 2, "three_back.SEEDS": range(2)},
    "tag_controls": lambda: few("tag_controls", "entity_sentences", 40) | {
        "tag_controls.SEEDS": range(1),
    },
    "toy_bert": {"toy_bert.STEPS": 8, "toy_bert.LOOKS": 2, "toy_bert.LOOK_AT_FOLDS": 4},
    "toy_depth": {
        "toy_depth.DEPTH": 3, "toy_depth.SEEDS": range(2), "toy_depth.UPDATES": 4,
        "toy_depth.BATCH_SIZE": 8, "toy_depth.PATIENT_DEPTH": 4,
        "toy_depth.PATIENT_UPDATES": 4, "toy_depth.PATIENT_WARMUP": 2,
        "toy_depth.PATIENT": {"post-norm": 1, "post-norm, warm-up": 2, "pre-norm": 2},
    },
    "toy_parts": {"toy_parts.UPDATES": 8, "toy_parts.PAIRS": 16, "toy_parts.FIRST": 3,
                  "toy_parts.SEEDS": range(2)},
    "training_runs": {
        "training_runs.SEEDS": range(1), "training_runs.DEPTHS": (2,),
        "training_runs.PEAKS": (0.001,), "training_runs.UPDATES": 30,
        "training_runs.TRIED": (0.0005, 0.01),
    },
    "verse_names": lambda: tiny_verse_names() | {"verse_names.SEEDS": range(1)},
}  # fmt: skip
MORE = {"ladder": ["--rounds", "2"], "processes": ["--rounds", "2"], "roofline": ["--rounds", "2"]}
TASKS = [task for task in tasks() if task.record != "mutants"]  # which tests/test_mutants.py runs


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
            monkeypatch.setattr(module_of(place), constant, value)
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
    before, tiny = stored_files(), TINY[task.record]
    program = shrink(place, tiny() if callable(tiny) else tiny)
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
