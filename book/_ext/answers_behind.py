"""What a page folds away or says only after a click stands at the end of a chapter in print."""

from __future__ import annotations

from html import escape

from bs4 import BeautifulSoup, Tag

QUESTIONS = (
    "fieldset.mb-quiz, fieldset.mb-ask, .mb-cards, .cell.tag_solution, "
    "details.hide, details:not([class])"
)
LOOK = '<p class="answer-note"><a class="answer-link" href="#answer-{n}">Answer {n}</a></p>'
ANSWER = (
    '<div class="answer" id="answer-{n}"><p class="answer-name"><strong>Answer {n}</strong></p>'
    "</div>"
)
ONLY_AN_ANSWER = {"The answer", "Show the answer"}  # names of folds that ask nothing themselves
NAME = '<p class="fold-name"><strong>{name}</strong></p>'
ROOM = (
    '<div class="room" role="img" aria-label="room for your code">'
    "<div></div><div></div><div></div></div>"
)
BLANK = '<span class="blank" role="img" aria-label="room for your answer"></span>'


def answers_behind(article: Tag) -> None:
    """Move the answers of a page behind it, and leave where each is to be found."""
    section = made('<section class="answers"><h2>Answers</h2></section>')
    found = [each for each in article.select(QUESTIONS) if not _inside_another(each)]
    for element in found:
        name = _name_of(element)
        for answer in _answers(element):
            n = len(section.select(".answer")) + 1
            box = made(ANSWER.format(n=n))
            for piece in answer:
                box.append(piece)
            section.append(box)
            element.insert_after(made(LOOK.format(n=n)))
            if name:
                element.insert_before(made(NAME.format(name=escape(name))))
        if element.name == "details" or "tag_solution" in element.get_attribute_list("class"):
            element.decompose()
    if section.select(".answer"):
        article.append(section)


def made(html: str) -> Tag:
    """Make an element."""
    return BeautifulSoup(html, "html.parser").contents[0]  # pyright: ignore[reportReturnType]


def _inside_another(element: Tag) -> bool:
    """Say whether an element goes with the fold or the solution around it."""
    around = element.find_parent(class_=["tag_solution", "mb-cards"])
    return (around or element.find_parent(["details", "fieldset"])) is not None


def _name_of(fold: Tag) -> str:
    """Give the name of a fold that is an aside: without it nobody knows what the answer answers."""
    if fold.name != "details" or fold.get("class") or fold.summary is None:
        return ""
    name = fold.summary.get_text(" ", strip=True)
    return "" if name in ONLY_AN_ANSWER else name


def leave_room(article: Tag) -> None:
    """Put lines to write on below each exercise: the cell before a solution."""
    for solution in article.select(".cell.tag_solution"):
        exercise = solution.find_previous_sibling(class_="cell")
        if exercise:
            exercise.append(made(ROOM))


def _answers(element: Tag) -> list[list[Tag]]:
    """Take the answer out of a question or a fold; code that only draws has none."""
    names = element.get_attribute_list("class")
    if "mb-quiz" in names:
        return [_of_quiz(element)]
    if "mb-ask" in names:
        return [_of_field(element)]
    if "mb-cards" in names:
        return [_of_cards(element)]
    if "tag_solution" in names:
        code = [fold.extract() for fold in element.select(".highlight")]
        return [code] if code else []
    if "hide" in names:
        outputs = [output.extract() for output in element.select(".cell_output")]
        return [outputs] if outputs else []
    if element.name == "details":
        return [
            [each.extract() for each in element.find_all(recursive=False) if each.name != "summary"]
        ]
    return []


def _of_quiz(quiz: Tag) -> list[Tag]:
    """Leave circles to tick; take the right answer with its reply."""
    answer = made("<p></p>")
    for option in quiz.select(".mb-option:has(p.mb-right)"):
        for text in option.select("label"):
            words = escape(text.get_text(" ", strip=True))
            if text.select("code"):
                answer.append(made(f"<strong><code>{words}</code>:</strong>"))
            else:
                colon = "" if words.endswith((".", "?", "!", ":")) else ":"
                answer.append(made(f"<strong>{words}{colon}</strong>"))
        for reply in option.select("p.mb-right"):
            answer.append(reply.get_text(" ", strip=True).replace("Right.", " ", 1))
    for told in quiz.select(".mb-option > div"):
        told.decompose()
    for circle in quiz.select("input"):
        circle.replace_with("○ ")
    return [answer]


def _of_field(field: Tag) -> list[Tag]:
    """Leave a blank to fill with a pencil; take what the fold says."""
    for box in field.select(".mb-try"):
        del box["hidden"]
    for blank in field.select("input"):
        blank.replace_with(made(BLANK))
    told = [text.extract() for text in field.select("details > p")]
    for rest in field.select("details, .mb-reply"):
        rest.decompose()
    return told


def _of_cards(cards: Tag) -> list[Tag]:
    """Leave the fronts; take the backs in their order."""
    backs = made("<ol></ol>")
    for card in cards.select("details"):
        back = made("<li></li>")
        back.append(card.p.get_text() if card.p else "")
        backs.append(back)
        front = made("<p></p>")
        front.append(card.summary.get_text() if card.summary else "")
        card.replace_with(front)
    return [backs]
