"""The file of what the reader has written: where it is, and what it holds. Chapter 2."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

READER_FILE = Path("my_bert.py")  # beside the notebook; git ignores it


def run_reader_file(path: Path = READER_FILE) -> dict[str, Callable]:
    """Run a reader's file and return what it defines, by name; ValueError if it cannot run."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}; give the one that holds your classes")
    if path.suffix != ".py":
        raise ValueError(f"{path} is no Python file; its name ends in .py")
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module  # where pickle looks for its classes
    try:
        exec(compile(path.read_bytes(), str(path.absolute()), "exec"), vars(module))
    except Exception as error:
        raise ValueError(f"{path} stopped with {type(error).__name__}: {error}") from None
    return {
        name: thing
        for name, thing in vars(module).items()
        if name.startswith(("My", "my_")) and getattr(thing, "__module__", "") == path.stem
    }
