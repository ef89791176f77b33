"""What the command lines share; it imports nothing slow. Chapter 14."""

import argparse
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

# In the folder of a pre-training: what was typed when it began, and what came of it, written last.
PLAN, REPORT = "run.json", "report.txt"
# The report names the folder, and in a plain locale Python keeps odd letters of a name as bytes.
ANY_NAME = {"encoding": "utf-8", "errors": "surrogateescape"}

LOOK: dict[str, Any] = {
    "formatter_class": argparse.RawDescriptionHelpFormatter,
    "allow_abbrev": False,
}


def new_parser(command: str, **texts: Any) -> argparse.ArgumentParser:
    """Begin the command line of ``minibert COMMAND``."""
    return argparse.ArgumentParser(prog=f"minibert {command}", **LOOK, **texts)


def add_option(group: Any, name: str, text: str, defaults: Mapping[str, Any], **more: Any) -> None:
    """Add an option; the help shows its default."""
    if defaults.get(name) is not None and "(default" not in text:
        text = f"{text} (default: {defaults[name]})"
    group.add_argument("--" + name.replace("_", "-"), help=text, **more)


def is_finished(folder: str | Path) -> bool:
    """Return whether the run in a folder is finished."""
    return (Path(folder) / REPORT).is_file()


def resume_hint(folder: str | Path) -> str:
    """Return the sentence with the command that resumes a run."""
    if not (Path(folder) / PLAN).exists():
        return "type the same command again"
    return f"go on with: minibert pretrain --out {shlex.quote(str(folder))} --resume"


def folder_name(text: str) -> str:
    """Read a folder's name, an argparse type: an empty one would be the folder one stands in."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; name a folder")
    return text


def whole_number(least: int, most: int = 2**63 - 1) -> Callable[[str], int]:
    """Return an argparse type for whole numbers, whose errors call it by the name of `integer`."""

    def integer(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            bound = f"the least is {least}" if value < least else f"the most is {most}"
            raise argparse.ArgumentTypeError(f"{text}: {bound}")
        return value

    return integer


SEED = whole_number(0, 2**64 - 1)  # PyTorch takes no larger one


def share_type(below: float, zero: bool = True) -> Callable[[str], float]:
    """Return an argparse type for numbers from 0 on."""

    def number(text: str) -> float:
        value = float(text)
        if not 0 <= value < below or (value == 0 and not zero):
            least = "at least" if zero else "above"
            raise argparse.ArgumentTypeError(f"{text} must be {least} 0 and below {below}")
        return value

    return number
