"""What Linux itself refuses an answer: to write outside of one folder, in whatever language.

An audit hook sees what Python opens, and not what torch or another library writes by itself. The
kernel sees both; its name for this is Landlock, and Linux has it since version 5.13. Chapter 1.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

CREATE, ADD, RESTRICT = 444, 445, 446  # the calls, by the numbers that all processors share
ASK_VERSION, BENEATH, NO_NEW_PRIVILEGES = 1, 1, 38
WRITE, TRUNCATE = 1 << 1, 1 << 14
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))  # files, folders, links, pipes, devices


class _Rule(ctypes.Structure):
    """What is allowed below an open folder, or in an open file."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("opened", ctypes.c_int32))


def forbid_writing_elsewhere(folder: Path) -> bool:
    """Let this process write into a folder and nowhere else, for good; say whether that worked."""
    if sys.platform != "linux":
        return False
    try:
        kernel = ctypes.CDLL(None, use_errno=True)
    except OSError:
        return False
    version = kernel.syscall(CREATE, None, 0, ASK_VERSION)
    if version < 1:
        return False
    of_files = WRITE | (TRUNCATE if version > 2 else 0)
    watched = ctypes.c_uint64(of_files | REMOVE_AND_MAKE)
    rules = kernel.syscall(CREATE, ctypes.byref(watched), ctypes.sizeof(watched), 0)
    if rules < 0:
        return False
    allowed = ((folder, watched.value), (Path(os.devnull), of_files))
    done = all(_allow(kernel, rules, path, what) for path, what in allowed)
    done = done and not kernel.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done = done and not kernel.syscall(RESTRICT, rules, 0)
    os.close(rules)
    return done


def _allow(kernel: ctypes.CDLL, rules: int, path: Path, what: int) -> bool:
    opened = os.open(path, os.O_RDONLY)
    rule = _Rule(what, opened)
    failed = kernel.syscall(ADD, rules, BENEATH, ctypes.byref(rule), 0)
    os.close(opened)
    return not failed
