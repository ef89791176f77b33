"""Of all flashcards fifty are to be learned first, and each of these stands in a chapter once."""

import html

from anki import all_cards, deck
from cards import FIRST_CARDS, first_cards, with_stars


def test_fifty_cards_are_to_be_learned_first_and_each_stands_in_one_chapter():
    fronts = [front for _, front, _ in all_cards()]
    assert len({*first_cards()}) == len(first_cards()) == 50
    assert {front: fronts.count(front) for front in first_cards()} == dict.fromkeys(
        first_cards(), 1
    )


def test_they_have_a_star_in_the_page_and_a_tag_in_the_deck():
    page = "<details><summary>Pooler</summary></details><details><summary>Poole</summary></details>"
    assert with_stars(page).count('<details class="mb-first">') == 1
    tagged = [note.fields[0] for note in deck().notes if "learn-first" in note.tags]
    assert [*map(html.unescape, tagged)] == FIRST_CARDS.read_text(encoding="utf-8").splitlines()
