"""Prepare the King James Bible: for the package, and as text files to train with.

``python -m benchmarks.kjv_text FOLDER`` writes the parts into a folder: ``train.txt``,
``tune.txt``, ``chapters.txt`` and ``books.txt``, one verse a line, a blank line between chapters.
With ``--store`` it first stores the text in the package again, with the program ``bible`` of
Debian's packages bible-kjv and bible-kjv-text.
"""

import argparse
import bz2
import subprocess
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from bertbook.corpus.kjv import chapters

STORED = Path(chapters.__file__).with_name("kjv.txt.bz2")


def printed_verses() -> list[str]:
    """Let Debian's program print all verses, each behind its place: ``Ge1:1 In the …``."""
    command = ["bible", "-f", "gen1:1-rev22:21"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def stored_text(printed: Iterable[str]) -> str:
    """Leave out the places, and begin a new document where book and chapter change."""
    pairs = (line.split(" ", 1) for line in printed)
    by_chapter = groupby(pairs, key=lambda pair: pair[0].split(":")[0])
    documents = ("".join(f"{verse.strip()}\n" for _, verse in group) for _, group in by_chapter)
    return "\n".join(documents)


def store() -> None:
    """Store the text in the package, packed."""
    STORED.write_bytes(bz2.compress(stored_text(printed_verses()).encode("ascii")))


def main() -> None:
    """Store the text if that is asked for, and write the parts."""
    parser = argparse.ArgumentParser(description="Write the parts of the King James Bible.")
    parser.add_argument("folder", type=Path, help="folder for the four text files")
    text = "store the text in the package again, from Debian's"
    parser.add_argument("--store", action="store_true", help=text)
    arguments = parser.parse_args()
    if arguments.store:
        store()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, part in chapters.kjv_parts()._asdict().items():
        file = arguments.folder / f"{name}.txt"
        file.write_text(chapters.as_documents(part), encoding="utf-8")
        print(f"{file}: {len(part):,} chapters, {sum(len(c.verses) for c in part):,} verses")


if __name__ == "__main__":
    main()
