"""No file names a place that only one machine knows, or how the text came to be written."""

import re
from pathlib import Path

import pytest
from book_tree import files, name_of, text_of
from planting import assert_kept, says

# Each pattern is written so that it does not match its own line, and begins with plain letters,
# which are found fast. The text is read in small letters.
FORBIDDEN = {
    "a host of a package registry; name the package, and let the tool find it": [
        *(r"pyp[i]\.org", r"pythonhosted\.or[g]", r"registry\.npm(?:js|mirror)"),
        *(r"npmj[s]\.(?:org|com)", r"download\.pytorc[h]", r"deb\.debia[n]\.org"),
        *(r"security\.debia[n]\.org", r"archive\.ubunt[u]", r"ports\.ubunt[u]"),
        *(r"security\.ubunt[u]", r"conda\.anacond[a]", r"anacond[a]\.org", r"crate[s]\.io"),
        *(r"rubygem[s]\.org", r"proxy\.golan[g]"),
    ],
    "a path of one machine; write it from the root of the project": [
        r"/(?<![\w.~/$}<-]/)(?:work|tmp|root)(?:/|\b(?![\w-]))",
        r"/(?<![\w.~/$}-]/)(?:home|users)/\w+",
        r"c:\\+users\b",
    ],
    "who or what wrote it; write about the thing itself": [
        *(r"claud[e]\b(?<!shannon, claud[e])(?! shannon)", r"anthropi[c]\b", r"copilo[t]\b"),
        *(r"ai[ -]assistan[t]", r"coding[ -]assistan[t]", r"co-authored-b[y]"),
        *(r"sub-?agen[t]s?\b", r"coding agen[t]s?\b", r"ai agen[t]s?\b"),
        *(rf"{which} session[s]?\b" for which in ("this", "previous", "earlier", "later", "next")),
        *(rf"{which} session[s]?\b" for which in ("parallel", "my")),
        *(rf"{which} helper[s]\b" for which in ("the", "by", "our", "other", "parallel")),
    ],
}
PATTERNS = [(why, re.compile(pattern)) for why in FORBIDDEN for pattern in FORBIDDEN[why]]


def clean_text(root: Path) -> list[str]:
    """Read every text file for hosts, paths and words that do not belong there."""
    found = []
    for path in files(root):
        text, name = text_of(path).lower(), name_of(path, root)
        for why, pattern in PATTERNS:
            for match in pattern.finditer(text):
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
