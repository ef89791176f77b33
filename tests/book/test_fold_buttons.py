"""Every button that unfolds a part of a cell says what it opens: the code, the result, a figure."""

import re

FOLD = re.compile(
    r'<details class="admonition hide.*?<p class="collapsed[^>]*>(.*?)</p>'
    r'\s*<p class="expanded[^>]*>(.*?)</p>(.*?)</details>',
    re.DOTALL,
)
# What a label can promise, and what then lies in the fold. Nothing else may lie there.
PROMISES = {
    "code": r"\b(code|imports|solution|check|package(’|'|&#x27;)s \w+)$|\bthe code and\b",
    "result": r"\b(result|check|measured|what \w+ (prints|out)|what the code finds|\w+ vectors)$"
    r"|\bthe result and\b",
    "figure": r"\bfigure$",
    "question": r"\bquestion$",
}
LIES_THERE = {
    "code": r'<div class="highlight-i?python3? ',
    "result": r'<div class="output (?!text_html">\s*(<style[^<]*</style>\s*)?<fi(gure|eldset))',
    "figure": r"<figure",
    "question": r"<fieldset",
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
