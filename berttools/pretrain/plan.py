"""The plan of a pre-training: its options, the sizes of its model, its text. Chapter 14."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

from berttools.cli.runs import PRETRAIN, Plan, options_given, read_plan, require_free
from minibert.config import BertConfig
from minibert.data import TextDocuments
from minibert.data.documents import fingerprint
from minibert.loading.config_file import config_from_fields

from .command import DEFAULTS, LEARNING_RATES, OTHER_RATE
from .texts import open_texts, warn_of_cuts


def begin(options: argparse.Namespace) -> tuple[Plan, TextDocuments]:
    """Plan a new run; raise before anything is written if it could not be completed."""
    require_free(Path(options.out))
    plan: Plan = {**DEFAULTS, **options_given(options, DEFAULTS)}
    if plan["learning_rate"] is None:
        plan["learning_rate"] = LEARNING_RATES.get(plan["config"], OTHER_RATE)
    plan["model"] = model_sizes(plan["config"], plan["max_length"])
    documents = open_texts(options.files)
    warn_of_cuts(documents)
    return {"format": PRETRAIN, **plan, **_text(options.files, documents)}, documents


def load_plan(options: argparse.Namespace) -> Plan:
    """Load the plan of a run; raise if an option would make it another one."""
    plan, typed = read_plan(options.out, PRETRAIN), options_given(options, DEFAULTS)
    sizes = model_sizes(typed["config"], plan["max_length"]) if "config" in typed else None
    if sizes == plan["model"]:
        del typed["config"]  # the same by another path
    return read_plan(options.out, PRETRAIN, typed)


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


def _text(files: list[str], documents: TextDocuments) -> dict[str, Any]:
    """Describe the text; with full paths, since the next start may be in another folder."""
    paths = [str(Path(file).resolve()) for file in files]
    return {"files": paths, "documents": len(documents), "fingerprint": fingerprint(documents)}
