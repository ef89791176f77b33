"""Run the chapters and store what they print: `python book/_ext/notebooks.py [chapter …]`.

Each chapter runs from top to bottom on a fresh kernel and is stored in its normal form, so that
a second run changes no byte. Nothing is written when a cell fails.
"""

import argparse
import os
import platform
import sys
from pathlib import Path

import costs
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from normal_form import normalize, put_colab_cell_first, tagged_address

BOOK = Path(__file__).resolve().parents[1]
SECONDS_PER_CELL = 1200

# One thread, the processor alone, frozen figures, and our own parts. The tests run the chapters in
# the same environment.
KERNEL_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "MINIBERT_DEVICE": "cpu",
    "PYTHONHASHSEED": "0",
    "BOOK_STORED": "1",
    "TQDM_DISABLE": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}

# Which instructions of an x86 processor compute. Stored is what those of the last ten years share;
# `make portable` compares it with what the oldest ones make of it, and with all that there are.
ARITHMETICS = {
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
    },
    "oldest": {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_CBWR": "COMPATIBLE",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    },
    "newest": {},
}

# Without it every kernel warns that it talks to this process over the loopback interface.
QUIET = ["--IPKernelApp.log_level=ERROR"]

# Processor time is that of the kernel and of the processes it has started. On Linux the figure of
# `resource` would include what this process needed before it forked.
WHAT_IT_COST = """
import os
import sys
print(sum(os.times()[:4]))
if sys.platform == "linux":
    with open("/proc/self/status") as status:
        print(int(status.read().split("VmHWM:")[1].split()[0]) / 1e3)
elif sys.platform == "win32":
    import psutil
    print(psutil.Process().memory_info().peak_wset / 1e6)
else:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


class ChapterError(Exception):
    """A chapter could not be run; the message is a sentence for its author."""


def chapters(book: Path) -> list[Path]:
    """List the chapters in reading order."""
    return sorted((book / "chapters").glob("[0-9][0-9]-*.ipynb"))


def read_chapter(path: Path, book: Path) -> nbformat.NotebookNode:
    """Read a chapter, or say why that is not possible."""
    if path.resolve().parent != (book / "chapters").resolve():
        raise ChapterError(f"{path} is no chapter: chapters are files of book/chapters")
    if not path.is_file():
        names = ", ".join(chapter.name for chapter in chapters(book))
        raise ChapterError(f"{path} does not exist; the chapters are {names}")
    try:
        notebook = nbformat.read(path, as_version=4)
    except (ValueError, nbformat.reader.NotJSONError) as error:
        raise ChapterError(f"{path} is not a notebook: {error}") from error
    if not costs.has_row(notebook):
        raise ChapterError("it has no row `| **Cost** | … |`")
    return notebook


def kernel_environment(machine: str = platform.machine()) -> dict[str, str]:
    """Give the environment of a kernel, in the arithmetic that BOOK_ARITHMETIC names.

    Other processors than x86 have only their own.
    """
    name = os.environ.get("BOOK_ARITHMETIC", "avx2")
    if name not in ARITHMETICS:
        names = ", ".join(ARITHMETICS)
        raise ChapterError(f"BOOK_ARITHMETIC is {name!r}; it must be one of {names}, or not set")
    own = ARITHMETICS[name] if machine.lower() in ("x86_64", "amd64") else {}
    return {**KERNEL_ENVIRONMENT, **own}


def execute(notebook: nbformat.NotebookNode, folder: Path) -> tuple[float, float]:
    """Run every cell on a fresh kernel; return the processor's seconds and the peak megabytes."""
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        extra_arguments=QUIET,
        resources={"metadata": {"path": str(folder)}},
    )
    with client.setup_kernel(env={**os.environ, **kernel_environment()}):
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                execute_cell(client, cell, index)
        return what_it_cost(client)


def execute_cell(client: NotebookClient, cell: nbformat.NotebookNode, index: int) -> None:
    """Run one code cell; say in one sentence how it failed."""
    try:
        client.execute_cell(cell, index)
    except CellExecutionError as error:
        reason = f"stopped with {error.ename}: {error.evalue}"
    except CellTimeoutError:
        reason = f"took more than {SECONDS_PER_CELL} seconds"
    except DeadKernelError:
        reason = "ended the kernel, perhaps for want of memory"
    else:
        return
    number = sum(earlier.cell_type == "code" for earlier in client.nb.cells[: index + 1])
    first_line = cell.source.strip().splitlines()[0]
    raise ChapterError(f"code cell {number}, which begins {first_line!r}, {reason}")


def what_it_cost(client: NotebookClient) -> tuple[float, float]:
    """Ask the kernel for its seconds of processor time, and for its peak memory in megabytes."""
    client.nb.cells.append(nbformat.v4.new_code_cell(WHAT_IT_COST))
    client.execute_cell(client.nb.cells[-1], len(client.nb.cells) - 1)
    seconds, megabytes = "".join(out.text for out in client.nb.cells.pop().outputs).split()
    return float(seconds), float(megabytes)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is either the old one or the new one, never half of it."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="utf-8", newline="\n")
    os.replace(draft, path)


def run_chapter(path: Path, book: Path) -> None:
    """Run one chapter and store it in its normal form, with its cost; no other file changes."""
    notebook = read_chapter(path, book)
    stored_cost = notebook.metadata.get("cost")
    put_colab_cell_first(notebook, tagged_address())
    seconds, megabytes = execute(notebook, path.parent)
    normalize(notebook)
    costs.store(notebook, stored_cost, seconds, megabytes)
    write_whole(path, nbformat.writes(notebook).rstrip("\n") + "\n")
    print(f"{path.name}: {seconds:.0f} s, {megabytes:.0f} MB")


def main(arguments: list[str] | None = None, book: Path = BOOK) -> int:
    """Run the chapters that are named, or all; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description="Run chapters and store what they print.")
    parser.add_argument("chapter", nargs="*", type=Path, help="a notebook; all if none is named")
    failures = 0
    for path in parser.parse_args(arguments).chapter or chapters(book):
        try:
            run_chapter(path, book)
        except ChapterError as error:
            failures += 1
            print(f"{path.name}: {error}. The file is unchanged.", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
