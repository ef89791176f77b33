"""No file names a place that only one machine knows, or how the text came to be written."""

import json
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
LOCK_FILE = re.compile(r"(?:^|[-.])lock(?:\.json|\.ya?ml)?$")


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


def lock_files(root: Path) -> list[str]:
    """Refuse lock files that name the server from which somebody once downloaded."""
    return [
        f"{name_of(path, root)}: holds {key!r}, an address of one download. Remove "
        "these entries; versions and checksums are enough."
        for path in files(root)
        if LOCK_FILE.search(path.name) and path.suffix == ".json"
        for key in sorted(_keys(json.loads(path.read_text(encoding="utf-8"))) & {"resolved"})
    ]


def _keys(value: object) -> set[str]:
    """Collect the keys of nested dictionaries."""
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


@pytest.mark.slow
def test_text_is_clean(this_project):
    this_project.keeps(clean_text)


def test_lock_files_name_no_server(this_project):
    this_project.keeps(lock_files)


HOST, PLACE, WRITER = FORBIDDEN  # each tells why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("pip install -i https://pyp" + "i.org/simple", HOST),
        ("https://registry.np" + "mjs.org/mathjax", HOST),
        ("deb http://deb.debi" + "an.org/debian stable", HOST),
        ("cd /wo" + "rk/main", PLACE),
        ("see /ro" + "ot", PLACE),
        ("see /ho" + "me/ann/book", PLACE),
        ("see C:\\Us" + "ers\\ann", PLACE),
        ("Written with Clau" + "de.", WRITER),
        ("as the AI assis" + "tant said", WRITER),
        ("a sub" + "agent checks it", WRITER),
        ("left for a later ses" + "sion", WRITER),
        ("Co-Authored-B" + "y: X", WRITER),
    ],
)
def test_text_that_is_not_clean(plot, line, why):
    (sentence,) = clean_text(plot.file("notes.md", f"# Notes\n\n{line}\n"))
    assert sentence.startswith("notes.md:3: ")
    assert why in sentence


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


def test_a_lock_file_with_addresses(plot):
    entry = {"packages": [{"mathjax": {"version": "3", "resolved": "an address"}}]}
    assert lock_files(plot.file("package.json", json.dumps(entry))) == []
    (sentence,) = lock_files(plot.file("book/package-lock.json", json.dumps(entry)))
    assert "book/package-lock.json: holds 'resolved', an address of one download" in sentence
