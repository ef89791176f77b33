"""The plan of a run, kept in its folder: it resumes with the same, or not at all. Chapter 14."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from berttools.cli.options import PLAN
from minibert.disk import atomic_write, tmp_path
from minibert.training.checkpoint import LOCK

Plan = dict[str, Any]
EMPTY: Mapping[str, Any] = MappingProxyType({})
PRETRAIN, CLASSIFY = "minibert pretrain 1", "minibert classify 3"  # the formats of plans
COMMANDS = tuple(form.rpartition(" ")[0] for form in (PRETRAIN, CLASSIFY))
REPORTS = ("report.txt", "report.md")  # written last


def options_given(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Collect the options that were typed."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def require_free(folder: Path) -> None:
    """Raise if the folder is not empty."""
    if (folder / PLAN).exists():
        if any((folder / name).exists() for name in REPORTS):
            raise ValueError(
                f"{str(folder)!r} holds a run already, a finished one; name another folder"
            )
        raise ValueError(
            f"{str(folder)!r} holds a run already; add --resume to go on with it, or name another "
            "folder"
        )
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is a file; name a folder after --out")
    own = {tmp_path(folder / PLAN).name, LOCK}
    others = sorted({path.name for path in folder.iterdir()} - own) if folder.exists() else []
    if others:
        raise ValueError(
            f"{str(folder)!r} is not empty (it holds {others[0]!r}); name a new or an empty folder"
        )


def write_plan(folder: str | Path, plan: Plan) -> None:
    """Write the plan of a run, whole or not at all."""
    with atomic_write(Path(folder) / PLAN) as draft:
        draft.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")


def read_plan(folder: str | Path, form: str, typed: Mapping[str, Any] = EMPTY) -> Plan:
    """Read the plan of a run; raise if what was typed would make it another one."""
    path, name = Path(folder) / PLAN, repr(str(folder))
    if not path.is_file():
        raise FileNotFoundError(
            f"{name} holds no run to go on with (no {PLAN}); begin one without --resume"
        )
    plan = require_own(folder, form)
    if plan is None or plan.get("format") != form:
        raise ValueError(
            f"{str(path)!r} is damaged or of another version (the format must be {form!r}); "
            "begin again in another folder"
        )
    for option, value in typed.items():
        if value != plan[option]:
            raise ValueError(
                f"the run in {name} was begun with --{option.replace('_', '-')} {plan[option]}, "
                f"not {value}; leave the option out, or begin another run in another folder"
            )
    return plan


def require_own(folder: str | Path, form: str) -> Plan | None:
    """Raise for the run of the other command; return the plan, None for one that is damaged."""
    try:
        plan = json.loads((Path(folder) / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(plan, dict):
        return None
    began, own = (str(name).rpartition(" ")[0] for name in (plan.get("format"), form))
    if began in COMMANDS and began != own:
        raise ValueError(
            f"{str(folder)!r} is a folder of `{began}`, not of `{own}`; name another folder"
        )
    return plan
