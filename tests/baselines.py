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
QUESTION_WORDS = {
    "who": r"\bwho(m|se)?\b|谁",
    "where": r"\bwhere\b|哪里",
    "when": r"\bwhen\b|什么时候",
    "how many": r"\bhow (many|much|long|old|far|high|tall|wide|heavy|often)\b|几|多少",
    "why": r"\bwhy\b|为什么",
    "which": r"\bwhich\b|哪",
    "what": r"\bwhat\b|什么",
}
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


def question_kind(question):
    """Return the kind of a question: the first question word in it."""
    # 什么时候 holds 什么, so that of two kinds at one place the earlier one in the table counts.
    found = [
        (match.start(), rank, kind)
        for rank, (kind, pattern) in enumerate(QUESTION_WORDS.items())
        if (match := re.search(pattern, question, re.IGNORECASE))
    ]
    return min(found)[2] if found else "other"


def right_kind(asked):
    """Answer with the first thing of the right kind in the nearest sentence."""
    kind = question_kind(asked.question)
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
