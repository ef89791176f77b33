"""No file names a place that only one machine knows, or how the text came to be written."""

import re
from pathlib import Path

import pytest
from book_tree import files, name_of, text_of

# Each pattern is written so that it does not match its own line.
FORBIDDEN = {
    "a host of a package registry; name the package, and let the tool find it": re.compile(
        r"\bpyp[i]\.org|pythonhosted\.or[g]|registry\.npm(?:js|mirror)|npmj[s]\.(?:org|com)"
        r"|download\.pytorc[h]|(?:deb|security)\.debia[n]\.org|(?:archive|ports|security)\.ubunt[u]"
        r"|conda\.anacond[a]|anacond[a]\.org|crate[s]\.io|rubygem[s]\.org|proxy\.golan[g]",
        re.IGNORECASE,
    ),
    "a path of one machine; write it from the root of the project": re.compile(
        r"(?<![\w.~/$}<-])/(?:work|tmp|root)(?:/|\b(?![\w-]))|(?<![\w.~/$}-])/(?:home|Users)/\w+"
        r"|\b[A-Z]:\\+Users\b"
    ),
    "who or what wrote it; write about the thing itself": re.compile(
        r"(?<!Shannon, )\bclaud[e]\b(?! Shannon)|\banthropi[c]\b|\bcopilo[t]\b"
        r"|\b(?:AI|coding)[ -]assistan[t]"
        r"|\b(?:sub-?|coding |AI )agen[t]s?\b|co-authored-b[y]"
        r"|\b(?:this|previous|earlier|later|next|parallel|my) session[s]?\b"
        r"|\b(?:the|by|our|other|parallel) helper[s]\b",
        re.IGNORECASE,
    ),
}


def clean_text(root: Path) -> list[str]:
    """Read every text file for hosts, paths and words that do not belong there."""
    found = []
    for path in files(root):
        text, name = text_of(path), name_of(path, root)
        for why, pattern in FORBIDDEN.items():
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: {match.group()!r} is {why}.")
    return found


@pytest.mark.slow
def test_text_is_clean(this_project):
    this_project.keeps(clean_text)


HOST, PLACE, WRITER = FORBIDDEN  # each tells why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("pip install -i https://pyp" + "i.org/simple", HOST),
        ("cd /wo" + "rk/main", PLACE),
        ("see C:\\Us" + "ers\\ann", PLACE),
        ("as the AI assis" + "tant said", WRITER),
        ("left for a later ses" + "sion", WRITER),
    ],
)
def test_text_that_is_not_clean(plot, line, why):
    (sentence,) = clean_text(plot.file("notes.md", f"# Notes\n\n{line}\n"))
    assert sentence.startswith("notes.md:3: ") and why in sentence


def test_words_that_are_welcome(plot):
    lines = [
        'scope="session"',
        "A user-agent string, agents of change, a helper function.",
        "https://github.com/someone/work, ~/tmp, $HOME/tmp, a/tmp/b, and/or",
        "docs at pytorch.org and at python.org",
        "</root>, by Shannon, Claude E.",
    ]
    (plot.root / "picture.png").write_bytes(b"\x89PNG\xff /" + b"tmp/x")  # no text
    assert clean_text(plot.file("notes.md", "\n".join(lines))) == []
