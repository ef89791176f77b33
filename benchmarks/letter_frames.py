"""Fifteen hundred letters to a town hall: how the data of Chapter 19 were made.

``python -m benchmarks.letter_frames`` prints the table ``letters.csv`` of Chapter 19;
``letter_rules.txt`` holds the frames. Who writes what, when, and how three readers label it is
drawn here, so the share of readers behind each label is known: ``made_letters`` keeps it.
"""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from random import Random

from .request_frames import START, TABLE, fill, options_of, slip

RULES = Path(__file__).with_name("letter_rules.txt")
SEED = 20
LABELS = ("Streets", "Waste", "Parks", "Noise", "Danger")
COLUMNS = ("date", "writer", "text", "label", "second", "third")
MONTHS = (210, 200, 220, 240, 256, 280)  # letters of January to June, before any is sent twice
SHARES = {  # of the five classes, until May and in June
    "until May": (0.34, 0.28, 0.19, 0.175, 0.015),
    "June": (0.22, 0.21, 0.22, 0.335, 0.015),
}
SEASONS = {"": range(6), "winter": range(3), "June": range(5, 6)}
WRITERS, ONCE, WITH_ASIDE, WITH_DETAIL = 250, 0.1, 0.5, 0.6
IN_LOWER_CASE, WITH_TYPO, WRONG_KEY = 0.08, 0.08, 0.02
PETITIONS, SIGNERS, SENT_AGAIN, RETOLD = 3, 8, 30, 40
READS_FROM = date(2026, 5, 1)  # the third reader
FRAME = re.compile(r"(?:\((?P<others>[^)]*)\) )?(?P<text>.+)")


@dataclass(frozen=True)
class Frame:
    """A complaint with gaps, what readers make of it, and when it comes."""

    text: str
    label: str
    readers: tuple[float, ...]  # the share of readers who choose each label
    months: range
    number: int


@dataclass(frozen=True)
class Writer:
    """Somebody who writes letters, always from one street and in one manner."""

    name: str
    street: str
    opening: str
    closing: str
    lower: bool


@dataclass(frozen=True)
class Letter:
    """One letter, and the share of readers who would choose each label."""

    date: date
    writer: str
    text: str
    readers: tuple[float, ...]
    frame: int
    origin: str = "new"
    labels: tuple[str, ...] = field(default=())


def read_rules(rules: str) -> tuple[dict[str, list[str]], list[Frame]]:
    """Read the tables, and the frames with their labels."""
    tables, frames, label, season = {}, [], "", ""
    for line in rules.splitlines():
        if table := TABLE.fullmatch(line):
            tables[table[1]] = options_of(table[2])
        elif line.startswith("== "):
            label, _, season = line.removeprefix("== ").partition(": ")
        elif line and not line.startswith("#"):
            others, text = FRAME.fullmatch(line).group("others", "text")
            frames.append(Frame(text, label, _shares(label, others), SEASONS[season], len(frames)))
    return tables, frames


def _shares(label: str, others: str | None) -> tuple[float, ...]:
    """Compute which share of readers chooses each label; a few hit the wrong key."""
    meant = {name: int(share) / 100 for name, share in (o.split() for o in [others] if o)}
    meant[label] = 1 - sum(meant.values())
    return tuple((1 - WRONG_KEY) * meant.get(name, 0) + WRONG_KEY / 5 for name in LABELS)


def draw(options, weights, rng: Random):
    """Draw one option. Of ``rng`` only ``random()`` is asked, which Python promises to keep."""
    options, weights = list(options), list(weights)
    place = rng.random() * sum(weights)
    for option, weight in zip(options, weights):
        place -= weight
        if place < 0:
            return option
    return options[-1]


def pick(options, rng: Random):
    """Draw one of several that are equally likely."""
    return options[int(rng.random() * len(options))]


class Town:
    """The writers of a town, and what each of them complains about."""

    def __init__(self, rules: str, rng: Random):
        self.rng = rng
        self.tables, self.frames = read_rules(rules)
        self.written: set[str] = set()
        self.writers = [self._writer(number) for number in range(WRITERS)]
        self.owners = [self._owners() for _ in self.frames]
        self.often = [-math.log(1 - rng.random()) for _ in self.frames]
        self.worst = [rng.random() * 6 for _ in self.frames]  # the month when it bothers most

    def _writer(self, number: int) -> Writer:
        tables, rng = self.tables, self.rng
        opening, closing = (pick(tables[name], rng) for name in ("OPENING", "CLOSING"))
        street, lower = pick(tables["STREET"], rng), rng.random() < IN_LOWER_CASE
        return Writer(f"W{number + 1:03}", street, opening, closing, lower)

    def _owners(self) -> list[Writer]:
        return [pick(self.writers, self.rng) for _ in range(1 + int(self.rng.random() * 2))]

    def write(self, month: int) -> Letter:
        """Draw a complaint of a month, its writer, and their words."""
        rng, shares = self.rng, SHARES["June" if month == 5 else "until May"]
        label = draw(LABELS, shares, rng)
        frames = [f for f in self.frames if f.label == label and month in f.months]
        frame = draw(frames, (self._bothers(f, month) for f in frames), rng)
        if rng.random() < ONCE:
            self.writers.append(self._writer(len(self.writers)))
            writer = self.writers[-1]
        else:
            writer = pick(self.owners[frame.number], rng)
        text = self.text_of(frame, writer)
        if text in self.written:
            return self.write(month)
        self.written.add(text)
        return Letter(_day(month, rng), writer.name, text, frame.readers, frame.number)

    def _bothers(self, frame: Frame, month: int) -> float:
        near = len(frame.months) < 6 or abs(month + 0.5 - self.worst[frame.number]) < 1.5
        return self.often[frame.number] * (1 if near else 0.2)

    def text_of(self, frame: Frame, writer: Writer) -> str:
        """Write a letter in the writer's manner."""
        aside = self._perhaps("ASIDE", WITH_ASIDE)
        first = self.rng.random() < 0.5
        parts = [aside if first else "", frame.text, self._perhaps("DETAIL", WITH_DETAIL)]
        parts += [] if first else [aside]
        tables = self.tables | {"PLACE": [writer.street]}
        body = fill(" ".join(parts), tables, self.rng)
        text = " ".join(f"{writer.opening} {body} {writer.closing}".split())
        text = START.sub(lambda start: start[0].upper(), text)
        text = text.lower() if writer.lower else text
        return slip(text, self.rng) if self.rng.random() < WITH_TYPO else text

    def _perhaps(self, table: str, share: float) -> str:
        return pick(self.tables[table], self.rng) if self.rng.random() < share else ""


def _day(month: int, rng: Random) -> date:
    first = date(2026, month + 1, 1)
    days = (date(2026, month + 2, 1) - first).days
    return first + timedelta(days=int(rng.random() * days))


def made_letters(rules: str, rng: Random) -> list[Letter]:
    """Draw all letters, by date, each with the labels of its readers.

    Args:
        rules: As ``letter_rules.txt`` explains them.
        rng: Draws everything.

    Returns:
        With the share of readers behind each label, which the table does not tell.
    """
    town = Town(rules, rng)
    letters = [town.write(month) for month, count in enumerate(MONTHS) for _ in range(count)]
    letters += _copies(letters, town)
    letters.sort(key=lambda letter: letter.date)
    return [_labeled(letter, rng) for letter in letters]


def _copies(letters: list[Letter], town: Town) -> list[Letter]:
    """Send some letters again: signed by many, a week later, or told in other words."""
    rng, found = town.rng, []
    for _ in range(PETITIONS):
        model = pick(letters, rng)
        for _ in range(SIGNERS):
            found.append(replace(_later(model, rng), writer=pick(town.writers, rng).name,
                                 origin="petition"))  # fmt: skip
    found += [replace(_later(pick(letters, rng), rng), origin="again") for _ in range(SENT_AGAIN)]
    for _ in range(RETOLD):
        model = _later(pick(letters, rng), rng)
        found.append(replace(model, text=_retold(model.text, rng), origin="retold"))
    return found


def _later(letter: Letter, rng: Random) -> Letter:
    days = 1 + int(rng.random() * 20)
    return replace(letter, date=min(letter.date + timedelta(days=days), date(2026, 6, 30)))


def _retold(text: str, rng: Random) -> str:
    ways = (
        lambda: text.upper(),
        lambda: text.replace(".", "!!"),
        lambda: f"As I wrote before: {text}",
        lambda: slip(text, rng),
        lambda: text.lower().replace(",", ""),
    )
    return pick(ways, rng)()


def _labeled(letter: Letter, rng: Random) -> Letter:
    """Ask two readers, and from May on a third; none sees what the others chose."""
    readers = 3 if letter.date >= READS_FROM else 2
    return replace(letter, labels=tuple(draw(LABELS, letter.readers, rng) for _ in range(readers)))


def table_of(letters: list[Letter]) -> str:
    """Write the table that a reader gets."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for letter in letters:
        labels = [*letter.labels, ""][:3]
        writer.writerow([letter.date.isoformat(), letter.writer, letter.text, *labels])
    return out.getvalue()


if __name__ == "__main__":
    print(table_of(made_letters(RULES.read_text(encoding="utf-8"), Random(SEED))), end="")
