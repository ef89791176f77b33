"""Where nothing can be folded, a fold becomes a link to its text at the end of the chapter.

`answers_behind` takes what belongs to a question; here are the other folds: an aside, a table of
how something is known, a class of the package.
"""

from __future__ import annotations

from html import escape

from answers_behind import made
from bs4 import Tag

FOLD = (
    "details:not(.hide, .borrowed), .tag_hide-cell > details.hide, "
    ".tag_one-line > details.hide:has(.highlight-python)"  # what show_source shows
)
LINK = '<p class="answer-note" id="look-fold-{n}"><a href="#fold-{n}">{name} →</a></p>'
TEXT = '<div class="answer" id="fold-{n}"><p><strong>{name}</strong> {back}</p></div>'
BACK = '<a class="back" href="#{place}" title="back to where it was asked">↩</a>'


def folds_behind(article: Tag) -> None:
    """Move the text of each fold behind the page, and leave a link; another one leads back."""
    section = made('<section class="answers"><h2>More answers and asides</h2></section>')
    for n, fold in enumerate([each for each in article.select(FOLD) if _is_own(each)], 1):
        name = escape(_name(fold))
        box = made(TEXT.format(n=n, name=name, back=BACK.format(place=f"look-fold-{n}")))
        fold.insert_before(made(LINK.format(n=n, name=name)))
        box.extend([*fold.contents])
        fold.decompose()
        section.append(box)
    if section.select(".answer"):
        article.append(section)


def _is_own(fold: Tag) -> bool:
    """Say whether a fold is the page's: not a question's and not inside of another fold."""
    return not fold.find_parent(["details", "fieldset"]) and not fold.find_parent(class_="mb-cards")


def _name(fold: Tag) -> str:
    """Take the words on a fold; those for the open fold go."""
    assert fold.summary is not None
    for words in fold.summary.select(".expanded, svg"):
        words.decompose()
    name = fold.summary.get_text(" ", strip=True).removeprefix("Show ")
    fold.summary.decompose()
    return name[:1].upper() + name[1:]


def links_back(article: Tag) -> None:
    """Let each answer of `answers_behind` lead back to its question."""
    for link in article.select(".answer-note a.answer-link"):
        answer = article.find(id=str(link["href"])[1:])
        place = f"look-{str(link['href'])[1:]}"
        assert link.parent and answer and answer.p
        link.parent["id"] = place
        link.append(" →")
        answer.p.append(" ")
        answer.p.append(made(BACK.format(place=place)))
