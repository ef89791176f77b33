"""The plan of a run, kept in its folder: options, the sizes of the model, the text. Chapter 14."""

from __future__ import annotations

import argparse
import dataclasses
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from berttools.cli.options import PLAN
from minibert.config import BertConfig
from minibert.data import TextDocuments
from minibert.data.documents import fingerprint
from minibert.disk import atomic_write
from minibert.loading.config_file import config_from_fields

from .command import DEFAULTS, LEARNING_RATES, OTHER_RATE
from .texts import open_texts, warn_of_cuts

Plan = dict[str, Any]
FORMAT = "minibert pretrain 1"
FIELDS = {*DEFAULTS, "model", "files", "documents", "fingerprint"}


def begin(options: argparse.Namespace) -> tuple[Plan, TextDocuments]:
    """Plan a new run; raise before anything is written if it could not be completed."""
    plan: Plan = {name: getattr(options, name) for name in DEFAULTS}
    if plan["learning_rate"] is None:
        plan["learning_rate"] = LEARNING_RATES.get(plan["config"], OTHER_RATE)
    plan["model"] = model_sizes(plan["config"], plan["max_length"])
    documents = open_texts(options.files)
    warn_of_cuts(documents)
    paths = [str(Path(file).resolve()) for file in options.files]  # of any folder's next start
    text = {"files": paths, "documents": len(documents), "fingerprint": fingerprint(documents)}
    return {"format": FORMAT, **plan, **text}, documents


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan of a run, whole or not at all."""
    with atomic_write(folder / PLAN) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def read_plan(folder: Path) -> Plan:
    """Read the plan of a run."""
    path, plan = folder / PLAN, None
    if not path.is_file():
        raise FileNotFoundError(
            f"{str(folder)!r} holds no run to go on with (no {PLAN}); begin one without --resume"
        )
    with suppress(ValueError):
        plan = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(plan, dict) or plan.get("format") != FORMAT or FIELDS - plan.keys():
        raise ValueError(
            f"{str(path)!r} is damaged or of another version (the format must be {FORMAT!r}); "
            "begin again in another folder"
        )
    return plan


def reopen_text(folder: Path, plan: Plan) -> TextDocuments:
    """Open the text of a run again; raise if it has changed."""
    documents = open_texts(plan["files"])
    if fingerprint(documents) != plan["fingerprint"]:
        raise ValueError(
            f"the text ({len(documents)} documents) is not the one that the run in "
            f"{str(folder)!r} was begun with ({plan['documents']} documents); put the files back "
            "as they were, or begin another run in another folder"
        )
    return documents


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
