"""No file names a place that only one machine knows, or how the text came to be written."""

import re
from pathlib import Path

import pytest
from book_tree import files, name_of, text_of
from planting import assert_kept, says

# Each pattern is written so that it does not match its own line. The text is read in small letters.
FORBIDDEN = {
    "a host of a package registry; name the package, and let the tool find it": r"pyp[i]\.org|"
    r"pythonhosted\.or[g]|registry\.npm(?:js|mirror)|npmj[s]\.(?:org|com)|download\.pytorc[h]|"
    r"(?:deb|security)\.debia[n]\.org|(?:archive|ports|security)\.ubunt[u]|"
    r"conda\.anacond[a]|anacond[a]\.org|crate[s]\.io|rubygem[s]\.org|proxy\.golan[g]",
    "a path of one machine; write it from the root of the project": r"c:\\+users\b|"
    r"/(?<![\w.~/$}<-]/)(?:work|tmp|root)(?:/|\b(?![\w-]))|/(?<![\w.~/$}-]/)(?:home|users)/\w+",
    "who or what wrote it; write about the thing itself": r"claud[e]\b(?<!shannon, claud[e])"
    r"(?! shannon)|anthropi[c]\b|copilo[t]\b|ai[ -]assistan[t]|coding[ -]assistan[t]|"
    r"co-authored-b[y]|sub-?agen[t]s?\b|(?:coding|ai) agen[t]s?\b|"
    r"(?:this|previous|earlier|later|next|parallel|my) session[s]?\b|"
    r"(?:the|by|our|other|parallel) helper[s]\b",
}


def clean_text(root: Path) -> list[str]:
    """Read every text file for hosts, paths and words that do not belong there."""
    found = []
    for path in files(root):
        text, name = text_of(path).lower(), name_of(path, root)
        for why, pattern in FORBIDDEN.items():
            for match in re.finditer(pattern, text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: {match.group()!r} is {why}.")
    return found


def test_text_is_clean():
    assert_kept(clean_text)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("pip install -i https://pyp" + "i.org/simple", "a host of a package registry"),
        ("cd /wo" + "rk/main", "a path of one machine"),
        ("as the AI assis" + "tant said", "who or what wrote it"),
    ],
)
def test_text_that_is_not_clean(plot, line, why):
    found = clean_text(plot.file("notes.md", f"# Notes\n\n{line}\n"))
    says(found, why)
    assert found[0].startswith("notes.md:3: ")
