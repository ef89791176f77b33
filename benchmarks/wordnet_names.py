"""Which names of the Bible are persons, and which are places: as WordNet has it (Chapter 17).

``python -m benchmarks.wordnet_names /usr/share/wordnet/data.noun`` prints the table ``names.csv``
of the package: names that WordNet lists as one person or as one place, and that stand in the King
James Bible. The file is in Debian's package ``wordnet-base``.
"""

import argparse
import csv
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from bertbook.corpus.datasets.verse_names import verses

FILES = {"18": "person", "15": "location"}  # WordNet's lexicographer files of nouns
FEWEST = 3  # places of a name in the Bible


def single_things(lines: Iterable[str]) -> dict[str, set[str]]:
    """Read in WordNet's file of nouns of which kinds the one thing is that a name stands for.

    A name that is listed as a person and as a place, in whatever sense, is left out.
    """
    single, any_sense = defaultdict(set), defaultdict(set)
    for line in lines:
        if not line.startswith("  "):  # that is how the license is set
            head = line.split(" | ", 1)[0].split()
            count = int(head[3], 16)
            words = [
                word for word in head[4 : 4 + 2 * count : 2] if re.fullmatch("[A-Z]\\w+", word)
            ]
            for word in words:
                any_sense[word].add(FILES.get(head[1]))
                if "@i" in head:  # an instance: one thing, not a kind of things
                    single[word].add(FILES.get(head[1]))
    both = {*FILES.values()}
    return {word: kinds & both for word, kinds in single.items() if not both <= any_sense[word]}


def names_of(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Keep names of the Bible that are no common words there, as many persons as places."""
    words = Counter(word for _, verse in verses() for word in verse)
    by_kind = {kind: [] for kind in FILES.values()}
    for name, kinds in sorted(single_things(lines).items()):
        if len(kinds) == 1 and words[name] >= FEWEST and name.lower() not in words:
            by_kind[kinds.pop()].append(name)
    rng, fewer = random.Random(17), min(map(len, by_kind.values()))
    drawn = {kind: rng.sample(names, fewer) for kind, names in by_kind.items()}
    return sorted((name, kind) for kind, names in drawn.items() for name in names)


def main() -> None:
    """Print the names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wordnet", type=Path, metavar="FILE", help="WordNet's file of nouns")
    with parser.parse_args().wordnet.open(encoding="utf-8") as lines:
        rows = names_of(lines)
    csv.writer(sys.stdout, lineterminator="\n").writerows([("name", "kind"), *rows])


if __name__ == "__main__":
    main()
