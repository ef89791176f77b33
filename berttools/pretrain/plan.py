"""The plan of a run, kept in its folder: it resumes with the same, or not at all. Chapter 14."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from berttools.cli.options import DEFAULTS, FREE_TO_CHANGE, LEARNING_RATES, OTHER_RATE, PLAN
from minibert.config import BertConfig
from minibert.data import TextDocuments
from minibert.disk import atomic_write, tmp_path
from minibert.loading.config_file import config_from_fields
from minibert.training import checkpoint_folders
from minibert.training.checkpoint import LOCK

from .texts import open_texts, warn_of_cuts

FORMAT = "minibert pretrain 1"

Plan = dict[str, Any]


def begin(options: argparse.Namespace) -> tuple[Plan, TextDocuments]:
    """Plan a new run; raise before anything is written if it could not be completed."""
    require_free(Path(options.out))
    plan: Plan = {**DEFAULTS, **options_given(options)}
    if plan["learning_rate"] is None:
        plan["learning_rate"] = LEARNING_RATES.get(plan["config"], OTHER_RATE)
    plan["model"] = model_sizes(plan["config"], plan["max_length"])
    documents = open_texts(options.files)
    warn_of_cuts(documents)
    return {"format": FORMAT, **plan, **_text(options.files, documents)}, documents


def load_plan(options: argparse.Namespace) -> Plan:
    """Load the plan of a run; raise if an option would make it another one."""
    plan = read_plan(options.out)
    for name, value in options_given(options).items():
        if name in FREE_TO_CHANGE:
            plan[name] = value
        elif name == "config":
            if model_sizes(value, plan["max_length"]) != plan["model"]:
                raise other_run(options.out, name, plan[name], value)
        elif value != plan[name]:
            raise other_run(options.out, name, plan[name], value)
    return plan


def reopen_text(options: argparse.Namespace, plan: Plan) -> tuple[Plan, TextDocuments]:
    """Open the text of a run again; raise if it is another one."""
    files = options.files or plan["files"]
    documents = open_texts(files)
    text = _text(files, documents)
    if text["fingerprint"] != plan["fingerprint"]:
        raise ValueError(
            f"the text ({text['documents']} documents) is not the one that the run in "
            f"{options.out!r} was begun with ({plan['documents']} documents); name the same files "
            "in the same order, or begin another run in another folder"
        )
    return plan | text, documents


def other_run(folder: str, name: str, before: object, now: object) -> ValueError:
    """Return the error for an option that a run does not have."""
    return ValueError(
        f"the run in {folder!r} was begun with --{name.replace('_', '-')} {before}, not {now}; "
        "leave the option out, or begin another run in another folder"
    )


def model_sizes(config: str, max_length: int) -> dict[str, Any]:
    """Look up the sizes of a model by name, or read them from a file."""
    if config in LEARNING_RATES:
        return dataclasses.asdict(getattr(BertConfig, config)(max_position_embeddings=max_length))
    sizes = _read_config(config)
    if sizes.max_position_embeddings < max_length:
        raise ValueError(
            f"--max-length ({max_length}) exceeds max_position_embeddings "
            f"({sizes.max_position_embeddings}) of {config!r}; give --max-length "
            f"{sizes.max_position_embeddings} or less"
        )
    if sizes.type_vocab_size < 2:
        raise ValueError(
            f"type_vocab_size ({sizes.type_vocab_size}) of {config!r} must be 2, since a pair has "
            "two segments"
        )
    return dataclasses.asdict(sizes)


def _read_config(path: str) -> BertConfig:
    if not Path(path).is_file():
        raise FileNotFoundError(
            f"--config {path!r} is neither a file nor one of {', '.join(LEARNING_RATES)}"
        )
    try:
        return config_from_fields(BertConfig, json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path!r} is not the config.json of a BERT: {error}") from error


def read_plan(folder: str | Path, form: str = FORMAT) -> Plan:
    """Read the plan of a run."""
    path = Path(folder) / PLAN
    if not path.is_file():
        raise FileNotFoundError(
            f"{str(folder)!r} holds no run to go on with (no {PLAN}); begin one without --resume"
        )
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        plan = None
    if not isinstance(plan, dict) or plan.get("format") != form:
        raise ValueError(
            f"{str(path)!r} is damaged or of another version (the format must be {form!r}); "
            "begin again in another folder"
        )
    return plan


def write_plan(folder: str | Path, plan: Plan) -> None:
    """Write the plan of a run, whole or not at all."""
    with atomic_write(Path(folder) / PLAN) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def options_given(options: argparse.Namespace, names: Iterable[str] = DEFAULTS) -> dict[str, Any]:
    """Collect the options that were typed."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _text(files: list[str], documents: TextDocuments) -> dict[str, Any]:
    """Describe the text; with full paths, since the next start may be in another folder."""
    paths = [str(Path(file).resolve()) for file in files]
    return {"files": paths, "documents": len(documents), "fingerprint": documents.fingerprint}


def require_free(folder: Path) -> None:
    """Raise if the folder is not empty."""
    if (folder / PLAN).exists():
        newest = [path.name for path in checkpoint_folders(folder)[:1]] or ["no checkpoint yet"]
        raise ValueError(
            f"{str(folder)!r} holds a run already ({newest[0]}); add --resume to go on with it, or "
            "name another folder"
        )
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is a file; name a folder after --out")
    ours = {tmp_path(folder / PLAN).name, LOCK}
    others = sorted({path.name for path in folder.iterdir()} - ours) if folder.exists() else []
    if others:
        raise ValueError(
            f"{str(folder)!r} is not empty (it holds {others[0]!r}); name a new or an empty folder"
        )
