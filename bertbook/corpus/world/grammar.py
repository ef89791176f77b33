"""The grammar of a small world, read from a text file that can be read aloud.

A story is two sentences. Each place in them is a word of a table: of the hero's, of one of the
story's own tables, or of a table with a single row, which is how a fixed word is held. Chapter 14.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from minibert.text_files import packed_text

SENSE = re.compile(r"/[a-z]+")
WORD = re.compile(r"[a-z]+(/[a-z]+)?")
NAME = re.compile(r"[A-Z]+")
PART = re.compile(r"\[[^\[\]]*\]|[^\s\[\]]+|[\[\]]")


class Table(NamedTuple):
    """A table of words that are chosen together: a telling takes one row, each equally likely."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Place(NamedTuple):
    """A place of a sentence: the table and the column of the words that can stand there."""

    table: int
    column: int


class Story(NamedTuple):
    """One story: its tables, and two sentences that are made of their words."""

    tables: tuple[Table, ...]
    sentences: tuple[tuple[Place, ...], tuple[Place, ...]]


class World(NamedTuple):
    """A grammar: who the heroes are, and what can be told about them.

    Args:
        heroes: A document draws one row of it.
        stories: A document tells some of them.

    >>> world = small_world()
    >>> len(world.heroes.rows), len(world.stories)
    (8, 54)
    """

    heroes: Table
    stories: tuple[Story, ...]


def small_world() -> World:
    """Return the small world of the book.

    Returns:
        54 stories, told about eight heroes.

    >>> [len(sentence) for sentence in small_world().stories[0].sentences]
    [12, 12]
    """
    return parse_world(packed_text("bertbook/corpus/world/small_world.txt"))


def parse_world(text: str) -> World:
    r"""Read a grammar, such as ``small_world.txt`` beside this file, which says how one is written.

    Args:
        text: The lines of the grammar.

    Returns:
        With at least one story.

    Raises:
        ValueError: When a line makes no sense; the sentence says which, and what to write.

    >>> world = parse_world("document HERO: anna | ben\nHERO [reads | sleeps]\nthe day ends")
    >>> world.heroes.rows, len(world.stories)
    ((('anna',), ('ben',)), 1)
    """
    reader = _Reader()
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        try:
            reader.read(line.partition("#")[0].strip())
        except ValueError as error:
            raise ValueError(f"line {number} of the grammar ({line.strip()!r}): {error}") from None
    return reader.world()


def senses(world: World) -> dict[str, tuple[str, ...]]:
    """List the words that have several senses.

    Args:
        world: The grammar.

    Returns:
        The senses of each ambiguous word, sorted; at least two.

    >>> senses(small_world())["bank"]
    ('money', 'river')
    """
    found = defaultdict(set)
    for tagged in _tagged_words(world):
        word, _, sense = tagged.partition("/")
        found[word].add(sense)
    return {word: tuple(sorted(found[word])) for word in sorted(found) if len(found[word]) > 1}


def world_words(world: World, with_senses: bool = False) -> tuple[str, ...]:
    """List every word of a world once, in alphabetical order.

    Args:
        world: The grammar.
        with_senses: Whether a word counts once for each sense.

    Returns:
        Words, with senses only if asked for.

    >>> world_words(small_world())[:4]
    ('a', 'about', 'above', 'afraid')
    >>> [word for word in world_words(small_world(), with_senses=True) if "bank" in word]
    ['bank/money', 'bank/river']
    """
    tagged = set(_tagged_words(world))
    return tuple(sorted(tagged if with_senses else {*map(untagged, tagged)}))


def untagged(text: str) -> str:
    """Drop the senses of words.

    Args:
        text: A word or a sentence, with senses or without.

    Returns:
        The text as it is told.

    >>> untagged("she sits on the bank/river")
    'she sits on the bank'
    """
    return SENSE.sub("", text)


def _tagged_words(world: World) -> Iterator[str]:
    """Yield each word that some sentence can hold."""
    for story in world.stories:
        for place in {place for sentence in story.sentences for place in sentence}:
            yield from (row[place.column] for row in story.tables[place.table].rows)


class _Reader:
    """Collect tables and stories, line by line."""

    def __init__(self):
        self.heroes = Table((), ((),))  # nobody, until the grammar names somebody
        self.shared: list[Table] = []
        self.stories: list[Story] = []
        self._forget()

    def _forget(self) -> None:
        self.tables: list[Table] = []
        self.lines: list[str] = []

    def read(self, line: str) -> None:
        """Read a line without its comment."""
        if not line:
            self._end_block()
        elif line.startswith("document "):
            self._add_heroes(_table(line.removeprefix("document ")))
        elif ":" in line:
            self.tables.append(_table(line))
        else:
            self._add_sentence(line)

    def _end_block(self) -> None:
        if self.lines:
            raise ValueError("the story above has one sentence; a story has two")
        if self.tables and self.stories:
            raise ValueError("the table above has no story; write two sentences below it")
        self.shared += self.tables
        self.tables = []

    def _add_heroes(self, table: Table) -> None:
        if self.stories:
            raise ValueError("a document's table stands above all stories")
        if self.heroes.names and self.heroes.names != table.names:
            raise ValueError(f"the document's table has the names {' '.join(self.heroes.names)}")
        rows = self.heroes.rows if self.heroes.names else ()
        self.heroes = Table(table.names, rows + table.rows)

    def _add_sentence(self, line: str) -> None:
        self.lines.append(line)
        if len(self.lines) == 2:
            written = set(NAME.findall(" ".join(self.lines)))
            if idle := [t for t in self.tables if not written & {*t.names}]:
                names = " ".join(idle[0].names)
                raise ValueError(f"no sentence of this story names its table {names}; remove it")
            tables = [t for t in [*self.tables, *self.shared] if written & {*t.names}]
            self.stories.append(_story([self.heroes, *tables], self.lines))
            self._forget()

    def world(self) -> World:
        """Return what was read."""
        if not self.stories:
            raise ValueError("the grammar has no story; write two sentences, a line each")
        return World(self.heroes, tuple(self.stories))


def _table(line: str) -> Table:
    """Read ``NAME ONE: a b | c d``."""
    head, _, body = line.partition(":")
    names = tuple(head.split())
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a table; names are capitals, as HERO")
    rows = _rows(body)
    if wrong := [row for row in rows if len(row) != len(names)]:
        raise ValueError(
            f"the row {' '.join(wrong[0])!r} has {len(wrong[0])} words for {len(names)} names"
        )
    return Table(names, rows)


def _rows(body: str) -> tuple[tuple[str, ...], ...]:
    rows = tuple(tuple(row.split()) for row in body.split("|"))
    for word in (word for row in rows for word in row):
        if not WORD.fullmatch(word):
            raise ValueError(f"{word!r} is no word; write it in small letters, as bank/river")
    return rows


def _story(tables: list[Table], lines: list[str]) -> Story:
    """Find the table and column of every place of two sentences."""
    known = {
        name: Place(number, column)
        for number, table in enumerate(tables)
        for column, name in enumerate(table.names)
    }
    if len(known) < sum(len(table.names) for table in tables):
        raise ValueError("two columns have the same name; rename one of them")
    first, second = (
        tuple(_place(part, tables, known) for part in PART.findall(line)) for line in lines
    )
    return Story(tuple(tables), (first, second))


def _place(part: str, tables: list[Table], known: dict[str, Place]) -> Place:
    """Look up a name, or make a table of one column for what is written in place."""
    if NAME.fullmatch(part):
        if part not in known:
            raise ValueError(
                f"no table has a column {part}; write {part}: dog | cat above the story"
            )
        return known[part]
    rows = _rows(part.strip("[]") if len(part) > 1 else part)
    if any(len(row) != 1 for row in rows):
        raise ValueError(f"{part!r} is no choice among words; write [ducks | swans]")
    tables.append(Table((), rows))
    return Place(len(tables) - 1, 0)
