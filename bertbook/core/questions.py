"""Quizzes, fields, bugs to find and flashcards, by name: their texts are data. Chapter 1.

A file in ``bertbook/questions`` holds those of one chapter, so that no answer stands as code above
its question, in whatever program a chapter is opened.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

from .bug_hunt import hunt
from .fields import answer_field
from .html import Html
from .quizzes import Answer, choice, deck

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # only there is it needed

FOLDER = "bertbook/questions"
# What an entry of each kind may have besides its question, and what it must have.
KINDS = {
    "quiz": ({"answers"}, {"answers"}),
    "ask": ({"answer", "why", "tolerance", "mistakes", "labels"}, {"answer", "why"}),
    "which_line": ({"right", "replies", "code"}, {"right", "replies"}),
}
# What each part of a list must have, in one of these forms.
FORMS = {
    "answers": ({"right", "reply"}, {"wrong", "reply"}),
    "mistakes": ({"answer", "reply"},),
    "replies": ({"line", "reply"},),
    "flashcards": ({"front", "back"},),
}


def quiz(name: str) -> Html:
    """Ask one question; choosing an answer shows its reply.

    Args:
        name: The name of a quiz of the book.

    Returns:
        A displayable question.

    Raises:
        ValueError: If there is no such quiz.

    >>> quiz("scores-times-five")
    All scores of a row are multiplied by 5. What happens to its probabilities?
    """
    entry = _entry("quiz", name)
    answers = [
        Answer(each["right" if "right" in each else "wrong"], each["reply"], "right" in each)
        for each in entry["answers"]
    ]
    return choice(entry["question"], *answers)


def ask(name: str) -> Html:
    """Ask for a number, a vector or a word, and reply to what the reader types.

    The answer and the reason can be shown after one try. Nothing is stored or sent.

    Args:
        name: The name of a question of the book that is answered by typing.

    Returns:
        A displayable question.

    Raises:
        ValueError: If there is no such question.

    >>> ask("product-of-64-numbers")
    A key has 64 numbers. What is the typical size of a dot product?
    """
    entry = dict(_entry("ask", name))
    mistakes = [(each["answer"], each["reply"]) for each in entry.pop("mistakes", ())]
    return answer_field(**entry, mistakes=mistakes)


def which_line(name: str, source: Callable | str | None = None) -> Html:
    """Show code and ask for one of its lines; choosing a line shows the reply to it.

    Args:
        name: The name of a bug to find.
        source: A function, or code. A question that brings its own code needs none.

    Returns:
        A displayable question.

    Raises:
        ValueError: If there is no such question or no code, or the line that is asked for is not in
            it.

    >>> which_line("isnext-without-a-gradient")
    Which line leaves every IsNext without a gradient?
    """
    entry = _entry("which_line", name)
    code = entry.get("code") if source is None else source
    if code is None:
        raise ValueError(f"the question {name!r} has no code of its own; pass a function or code")
    replies = {each["line"]: each["reply"] for each in entry["replies"]}
    return hunt(entry["question"], code, entry["right"], replies)


def flashcards(topic: str) -> Html:
    """Lay out the cards of a chapter; a back opens with a click or with Enter.

    Args:
        topic: The topic of the chapter, as its folder in `bertbook.topics` is called.

    Returns:
        Displayable cards.

    Raises:
        ValueError: If there is no such topic.

    >>> flashcards("self_attention")
    7 flashcards
    """
    content = _found("topic", topic, _contents())
    if problem := next(_odd_parts(content), ""):
        raise ValueError(f"{FOLDER}/{topic}.toml {problem}")
    return deck(*((card["front"], card["back"]) for card in content.get("flashcards", ())))


def _entry(kind: str, name: str) -> dict[str, Any]:
    """Find the entry of a question."""
    return _found(kind, name, _entries(kind))


def _found(kind: str, name: str, known: dict[str, Any]) -> Any:
    """Return what has a name, or say which names are near."""
    if not isinstance(name, str) or name not in known:
        near = get_close_matches(str(name), known) or sorted(known)
        others = [each for each in KINDS if each != kind and str(name) in _entries(each)]
        way = f"ask for it by {others[0]}({name!r})" if others else f"it has {', '.join(near)}"
        raise ValueError(f"{FOLDER} has no {kind} {name!r}; {way}")
    return known[name]


@cache
def _entries(kind: str) -> dict[str, dict[str, Any]]:
    """Collect the questions of one kind, and complain about those that nobody could draw."""
    found: dict[str, dict[str, Any]] = {}
    for stem, content in _contents().items():
        for name, entry in content.get(kind, {}).items():
            if problem := next(_problems(kind, entry), ""):
                raise ValueError(f"{FOLDER}/{stem}.toml: the {kind} {name!r} {problem}")
            if name in found:
                raise ValueError(f"{FOLDER}/{stem}.toml: another {kind} is called {name!r}, too")
            found[name] = entry
    return found


def _problems(kind: str, entry: dict[str, Any]) -> Iterator[str]:
    """Say what an entry lacks, or has and must not have."""
    allowed, needed = KINDS[kind]
    if missing := {"question", *needed} - entry.keys():
        yield f"lacks {', '.join(sorted(missing))}"
    if strange := entry.keys() - {"question", *allowed}:
        yield (
            f"has {', '.join(sorted(strange))}; it may have {', '.join(sorted(allowed))} and a "
            "question"
        )
    yield from _odd_parts(entry)


def _odd_parts(entry: dict[str, Any]) -> Iterator[str]:
    """Say which parts of the lists of an entry have other names than they must have."""
    for name, forms in FORMS.items():
        for part in entry.get(name, ()):
            if part.keys() not in forms:
                ways = " or ".join(" and ".join(sorted(form)) for form in forms)
                yield f"has one with {', '.join(part)} among its {name}; each has {ways}"


@cache
def _contents() -> dict[str, dict[str, Any]]:
    """Read all files, by the topic that each is called after."""
    package, _, inside = FOLDER.partition("/")
    found = {}
    for path in sorted((resources.files(package) / inside).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".toml"):
            try:
                content = tomllib.loads(path.read_text("utf-8"))
            except ValueError as error:  # no TOML, or no UTF-8
                raise ValueError(f"{FOLDER}/{path.name} is no TOML: {error}") from error
            if strange := content.keys() - {*KINDS, "flashcards"}:
                kinds = ", ".join(KINDS)
                raise ValueError(f"{FOLDER}/{path.name} has {min(strange)}, which is not {kinds}")
            found[path.name.removesuffix(".toml")] = content
    return found
