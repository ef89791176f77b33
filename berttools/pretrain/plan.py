"""The plan of a run, kept in its folder: options, the sizes of the model, the text. Chapter 14."""

import argparse
import dataclasses
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from berttools.cli.files import require_new_folder
from berttools.cli.options import PLAN
from minibert.config import BertConfig
from minibert.data.documents import Documents, fingerprint
from minibert.disk import atomic_write
from minibert.loading.config_file import config_from_fields
from minibert.text_files import read_text

from .command import DEFAULTS, LEARNING_RATES, OTHER_RATE

Plan = dict[str, Any]
FORMAT = "minibert pretrain 1"


def new_plan(options: argparse.Namespace) -> Plan:
    """Plan a run; raise if its folder or its model will not do."""
    folder = Path(options.out)
    if (folder / PLAN).exists():
        way_out = "add --resume to go on with it, or name another folder"
        raise ValueError(f"{options.out!r} holds a run already; {way_out}")
    require_new_folder(folder)
    plan: Plan = {"format": FORMAT} | {name: getattr(options, name) for name in DEFAULTS}
    if plan["learning_rate"] is None:
        plan["learning_rate"] = LEARNING_RATES.get(plan["config"], OTHER_RATE)
    plan["model"] = model_sizes(plan["config"], plan["max_length"])
    plan["files"] = [str(Path(file).resolve()) for file in options.files]  # for any other folder
    return plan


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan of a run, whole or not at all."""
    with atomic_write(folder / PLAN) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def read_plan(folder: Path) -> Plan:
    """Read the plan of a run."""
    path, plan = folder / PLAN, None
    if not path.is_file():
        raise FileNotFoundError(f"{str(folder)!r} holds no run to go on with; leave out --resume")
    with suppress(ValueError):
        plan = json.loads(read_text(path))
    needed = {*DEFAULTS, "model", "files"}
    if not isinstance(plan, dict) or plan.get("format") != FORMAT or needed - plan.keys():
        raise ValueError(
            f"{str(path)!r} is damaged or of another version; begin again in another folder"
        )
    return plan


def require_same_text(plan: Plan, documents: Documents) -> None:
    """Note the text in a new plan; raise if it is not that of an old one."""
    if plan.setdefault("fingerprint", fingerprint(documents)) != fingerprint(documents):
        raise ValueError(
            "the text is not the one that the run was begun with; put the files back as they were, "
            "or begin another run in another folder"
        )


def model_sizes(config: str, max_length: int) -> dict[str, Any]:
    """Look up the sizes of a model by name, or read them from a file."""
    if config in LEARNING_RATES:
        return dataclasses.asdict(getattr(BertConfig, config)(max_position_embeddings=max_length))
    known = f"--config takes {', '.join(LEARNING_RATES)}, or the path of a file"
    try:
        fields = json.loads(read_text(config, if_missing=known))
        sizes = config_from_fields(BertConfig, fields)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{config!r} is not the config.json of a BERT: {error}") from error
    if sizes.max_position_embeddings < max_length or sizes.type_vocab_size < 2:
        raise ValueError(
            f"{config!r} needs a type_vocab_size of 2, since a pair has two segments, and at least "
            f"{max_length} max_position_embeddings, or a smaller --max-length"
        )
    return dataclasses.asdict(sizes)
