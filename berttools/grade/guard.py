"""What an answer on trial may not do: harm files, start or send things, or change its checker.

This stops accidents and pranks, and on Linux the kernel stops what Python does not see. It is no
prison for somebody who knows how to break out of Python; answers of people you do not know belong
in a container. Chapter 1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from .kernel import forbid_writing_elsewhere

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OF_FILES = frozenset(
    {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.truncate"}
    | {"os.link", "os.symlink", "os.utime", "shutil.rmtree", "shutil.move", "shutil.copyfile"}
    | {"os.setxattr", "os.removexattr", "sqlite3.connect"}
)
NEVER = (
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill"),
    *("os.killpg", "subprocess.", "socket.connect", "socket.bind", "ctypes.dlopen", "pty."),
    *("resource.", "signal.pthread_kill"),
)
NOTEBOOK = ".ipynb"  # the solutions, and what others have handed in
OURS = {"bertbook", "minibert", "multiprocessing"}  # with what brings a verdict to us
LIBRARIES = {"builtins", "inspect", "math", "numpy", "torch"}
REPLACED = {"torch.manual_seed"}  # by torch itself, when it trains for the first time
PAGE = "above_"  # begins the name of what stands above an exercise


def forbid_harm(folder: Path) -> None:
    """Refuse for the rest of this process what reaches beyond a folder. Nothing takes it back."""
    forbid_writing_elsewhere(folder)
    home = f"{folder.resolve()}{os.sep}"

    def is_elsewhere(path: Any) -> bool:
        if isinstance(path, int):  # a file that is open already
            return False
        return (
            path != os.devnull
            and not f"{os.path.realpath(os.fsdecode(path))}{os.sep}".startswith(home)
        )

    def refuse(event: str, arguments: tuple) -> None:
        if event == "open":
            path, _, flags = arguments
            # Names of files below an open folder do not say where they are.
            can_harm = flags & WRITES or os.path.isdir(path)
            harms = (can_harm and is_elsewhere(path)) or str(path).endswith(NOTEBOOK)
        elif event in OF_FILES:
            paths = [p for p in arguments if isinstance(p, str | bytes | os.PathLike)]
            harms = isinstance(arguments[0], int) or any(map(is_elsewhere, paths))
        else:
            harms = event.startswith(NEVER)
        if harms:
            raise PermissionError(
                f"an answer may not write, start or send anything, and this one asked for {event}"
            )

    sys.addaudithook(refuse)


def limit_size(megabytes: int) -> None:
    """Let this process ask for so much more memory, and write no larger file; not on Windows."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return
    most = pages * resource.getpagesize() + megabytes * 10**6
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (megabytes * 10**6, megabytes * 10**6))


def state_of_modules() -> dict[str, object]:
    """Note what the names of our modules, and of those that checkers lean on, stand for."""
    return {name: thing for name, thing in _names() if name not in REPLACED}


def _names() -> Iterator[tuple[str, object]]:
    for name, module in [*sys.modules.items()]:
        ours = name.split(".")[0] in OURS or name.startswith(PAGE)
        if isinstance(module, ModuleType) and (ours or name in LIBRARIES):
            yield name, module
            for key, thing in [*vars(module).items()]:
                yield f"{name}.{key}", thing
                if ours and not isinstance(thing, ModuleType):
                    yield from _inside(f"{name}.{key}", thing)


def _inside(name: str, thing: object) -> Iterator[tuple[str, object]]:
    if isinstance(thing, FunctionType):
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            yield f"{name}.{part}", getattr(thing, part)
        return
    for key, part in [*getattr(thing, "__dict__", {}).items()]:
        yield f"{name}.{key}", part
        if isinstance(part, FunctionType):
            yield f"{name}.{key}.__code__", part.__code__
