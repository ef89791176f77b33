"""Readers and taggers that learn nothing: how far do capitals, numbers and known names get?"""

import re
import string
from collections import Counter

ARTICLES = re.compile(r"\b(a|an|the)\b")
WORD = re.compile(r"\w+")
CAPITALS = re.compile(r"[A-Z][\w'’-]+(?: (?:of |von |van |the )?[A-Z][\w'’-]+)*")
NUMBER = re.compile(
    r"\d[\d,.]*\d|\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
DATE = re.compile(r"(?:\d{1,2} )?(?:[A-Z][a-z]+ )?\b1\d{3}\b|\b20\d\d\b")
REASON = re.compile(r"(?:because|since|for fear of) ([^.,;]+)")


def normalized(text):
    """Leave out what SQuAD's measure leaves out: capitals, punctuation marks and articles."""
    text = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return ARTICLES.sub(" ", text).split()


def f1(told, right):
    told, right = normalized(told), normalized(right)
    shared = sum((Counter(told) & Counter(right)).values())
    return float(told == right) if not told or not right else 2 * shared / len(told + right)


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


def names_in(sentence):
    """List the names of a tagged sentence: kind, first word, word after the last."""
    names = []
    for place, tag in enumerate(sentence.tags):
        if tag[0] == "B":
            names.append([tag[2:], place, place + 1])
        elif tag[0] == "I":
            names[-1][2] = place + 1
    return [tuple(name) for name in names]


def surface(sentence, name):
    """Write a name as an uncased model sees it."""
    return " ".join(sentence.words[name[1] : name[2]]).lower()


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
    tags = [tag_of.get(word.lower(), "O") for word in sentence.words]
    legal, before = [], "O"
    for tag in tags:
        continues = tag[0] != "I" or before[2:] == tag[2:]
        before = tag if continues else f"B-{tag[2:]}"
        legal.append(before)
    return names_in(sentence._replace(tags=tuple(legal)))


def name_f1(told, right):
    """Compare lists of names, sentence by sentence: a name counts if kind and both ends agree."""
    hits = sum(len({*a} & {*b}) for a, b in zip(told, right, strict=True))
    return 2 * hits / (sum(map(len, told)) + sum(map(len, right)))
