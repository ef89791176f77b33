"""Every button that unfolds a part of a cell says what it opens: the code, the result, a figure."""

import re

import pytest

FOLD = re.compile(
    r'<details class="admonition hide.*?<p class="collapsed[^>]*>(.*?)</p>'
    r'\s*<p class="expanded[^>]*>(.*?)</p>(.*?)</details>',
    re.DOTALL,
)
# What a label can promise, and what then lies in the fold. Nothing else may lie there.
PROMISES = {
    "code": r"\b(code|imports|solution|check|package(’|'|&#x27;)s \w+)$|\bthe code and\b",
    "result": r"\b(result|check|measured|what \w+ (prints|out)|what the code finds|\w+ vectors)$",
    "figure": r"\bfigure$",
}
LIES_THERE = {
    "code": r'<div class="highlight-i?python3? ',
    "result": r'<div class="output (?!text_html">\s*(<style[^<]*</style>\s*)?<figure)',
    "figure": r"<figure",
}


def false_labels(html: str) -> list[str]:
    """List the buttons that open something else than they say, or close under another name."""
    found = []
    for shown, hidden, content in FOLD.findall(html):
        said = {kind for kind, words in PROMISES.items() if re.search(words, shown)}
        there = {kind for kind, element in LIES_THERE.items() if re.search(element, content)}
        if said != there or hidden != shown.replace("Show", "Hide"):
            found.append(f"{shown!r} / {hidden!r} opens {sorted(there)}")
    return found


def test_buttons_say_what_they_open(html, page_name):
    faults = false_labels((html / page_name).read_text(encoding="utf-8"))
    assert not faults, "\n".join([page_name, *faults])


CODE = '<div class="cell_input"><div class="highlight-ipython3 notranslate"></div></div>'
LISTING = '<div class="cell_output"><div class="highlight-python notranslate"></div></div>'
PRINTED = '<div class="cell_output"><div class="output stream highlight-myst-ansi"></div></div>'
DRAWN = '<div class="cell_output"><div class="output text_html"><figure></figure></div></div>'


def fold(label: str, *parts: str, hidden: str = "") -> str:
    """Write a fold as the build does."""
    names = (("collapsed", label), ("expanded", hidden or label.replace("Show", "Hide")))
    said = "\n".join(f'<p class="{name} admonition-title">{text}</p>' for name, text in names)
    return (
        f'<details class="admonition hide above-input">\n<summary>\n{said}\n</summary>\n'
        f"{''.join(parts)}</details>"
    )


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("Show the code", [CODE]),
        ("Show the code", [CODE, LISTING]),
        ("Show the package&#x27;s class", [CODE, LISTING]),
        ("Show the solution", [CODE]),
        ("Show the result", [PRINTED]),
        ("Show what it prints", [PRINTED]),
        ("Show the figure", [DRAWN]),
        ("Show the code and the result", [CODE, PRINTED]),
        ("Show the code and the figure", [CODE, DRAWN]),
    ],
)
def test_a_true_label_is_welcome(label, parts):
    assert not false_labels(fold(label, *parts))


@pytest.mark.parametrize(
    ("label", "parts", "there"),
    [
        ("Show the code", [PRINTED], ["result"]),
        ("Show the code", [CODE, PRINTED], ["code", "result"]),
        ("Show the result", [CODE], ["code"]),
        ("Show the result", [DRAWN], ["figure"]),
        ("Show the exact saving", [CODE], ["code"]),
        ("Show steps 1 to 3 in code", [PRINTED], ["result"]),
    ],
)
def test_a_false_label_is_found(label, parts, there):
    assert false_labels(fold(label, *parts))[0].endswith(f"opens {there}")


def test_a_button_keeps_its_name_when_it_closes():
    assert false_labels(fold("Show the code", CODE, hidden="Hide it"))
