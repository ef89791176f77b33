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


CODE = '<div class="cell_input"><div class="highlight-ipython3 notranslate"></div></div>'
DRAWN = '<div class="cell_output"><div class="output text_html"><figure></figure></div></div>'
ASKED = DRAWN.replace("figure", "fieldset")
FOLD_OF_THE_BUILD = """<details class="admonition hide above-input">
<summary>
<p class="collapsed admonition-title">{}</p>
<p class="expanded admonition-title">{}</p>
</summary>
{}</details>"""


@pytest.mark.parametrize(
    ("label", "content", "opens"),
    [
        ("Show the code and the figure", CODE + DRAWN, ""),
        ("Show the result and the figure", DRAWN, "['figure']"),
        ("Show the question", DRAWN, "['figure']"),
        ("Show the result", ASKED, "['question']"),
    ],
)
def test_a_false_label_is_found(label, content, opens):
    found = false_labels(FOLD_OF_THE_BUILD.format(label, label.replace("Show", "Hide"), content))
    assert len(found) == bool(opens)
    assert opens in "".join(found)
    assert false_labels(FOLD_OF_THE_BUILD.format(label, "Hide it", content))  # another name
