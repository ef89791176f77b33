"""Readers and taggers that learn nothing: how far do capitals, numbers and known names get?"""

import re

from bertbook.topics.tag.tagging import find_entities

WORD = re.compile(r"\w+")
CAPITALS = re.compile(r"[A-Z][\w'’-]+(?: (?:of |von |van |the )?[A-Z][\w'’-]+)*")
NUMBER = re.compile(
    r"\d[\d,.]*\d|\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
DATE = re.compile(r"(?:\d{1,2} )?(?:[A-Z][a-z]+ )?\b1\d{3}\b|\b20\d\d\b")
REASON = re.compile(r"(?:because|since|for fear of) ([^.,;]+)")


def nearest_sentence(asked):
    """Take the sentence that shares most words with the question."""
    sentences = re.split(r"(?<=[.!?]) ", asked.context)
    words = {*WORD.findall(asked.question.lower())}
    return max(sentences, key=lambda sentence: len(words & {*WORD.findall(sentence.lower())}))


def first_name(asked):
    """Answer with the first capitals of the nearest sentence that the question does not name."""
    names = [
        name for name in CAPITALS.findall(nearest_sentence(asked)) if name not in asked.question
    ]
    return max(names, key=len, default="")


def right_kind(asked, kind):
    """Answer with the first thing of the right kind in the nearest sentence."""
    patterns = {"when": DATE, "how many": NUMBER, "why": REASON}
    if kind not in patterns:
        return first_name(asked)
    found = patterns[kind].search(nearest_sentence(asked))
    return found.group(found.lastindex or 0) if found else ""


def surface(sentence, name):
    """Write a name as an uncased model sees it."""
    return " ".join(sentence.words[name.start : name.end]).lower()


def capital_names(sentence, kind):
    """Take each run of capitals for a name of one kind."""
    runs = []
    for place, word in enumerate(sentence.words):
        if word[:1].isupper():
            runs = runs if runs and runs[-1][2] == place else [*runs, (kind, place, place)]
            runs[-1] = (kind, runs[-1][1], place + 1)
    return runs


def known_words(sentence, tag_of):
    """Tag each word as training tagged it most often, and all unknown words with O."""
    return find_entities([tag_of.get(word.lower(), "O") for word in sentence.words])
