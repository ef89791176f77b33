"""The sources of the book that are not chapters: references, picture, pins, cards, releases."""

import json
import re

import anki
import cards
import cover
import pytest
import release
from built_book import BOOK
from pybtex.database import parse_file

from minibert import __version__

TAG = f"v{__version__}"


def test_references_are_complete():
    for key, entry in parse_file(str(BOOK / "references.bib")).entries.items():
        assert entry.persons["author"] and {"title", "year"} <= {*entry.fields}, key
        assert {"doi", "url", "publisher"} & {*entry.fields}, f"{key}: where can it be found?"


def test_the_picture_of_the_landing_page_is_what_the_package_computes():
    stored = cover.TARGET.read_text(encoding="utf-8")
    assert stored == cover.cover(), "run `python book/_ext/cover.py`"


def test_front_end_files_are_pinned_and_name_no_registry():
    package = json.loads((BOOK / "package.json").read_text(encoding="utf-8"))
    lock_text = (BOOK / "package-lock.json").read_text(encoding="utf-8")
    assert all(re.fullmatch(r"[\d.]+", version) for version in package["dependencies"].values())
    lock = json.loads(lock_text)["packages"]
    assert lock[""]["dependencies"] == package["dependencies"], "run `npm install` in book/"
    assert '"resolved"' not in lock_text, "package-lock.json must not name a registry"
    assert all("integrity" in entry for name, entry in lock.items() if name)


def test_the_page_of_flashcards_and_the_deck_for_anki_have_every_card(tmp_path):
    for chapter in sorted((BOOK / "chapters").glob("[0-9][0-9]-*.ipynb")):
        asked = chapter.read_text(encoding="utf-8").count('"flashcards(')
        assert len(cards.stored_cards(chapter)) == asked >= 1, chapter.name
    fronts, first = [front for _, front, _ in anki.all_cards()], cards.first_cards()
    assert len(fronts) == len({*fronts})
    assert len({*first}) == len(first) == 50 and {*first} <= {*fronts}
    assert sum("learn-first" in note.tags for note in anki.deck().notes) == 50
    paths = [tmp_path / "one.apkg", tmp_path / "two.apkg"]
    for path in paths:
        anki.write_deck(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()  # whenever it is made


@pytest.mark.parametrize(
    ("changes", "tag", "sentence"),
    [
        (f"## {__version__}, 1 May\n", "v9.9.9", "the tag is v9.9.9 and the version"),
        (f"## {__version__}, not yet released\n", TAG, "write the date there"),
    ],
)
def test_a_release_that_would_be_wrong_stops(changes, tag, sentence):
    with pytest.raises(ValueError, match=sentence):
        release.notes(changes, tag)


def test_the_landing_page_links_to_the_files_of_this_release():
    assert (BOOK / "index.md").read_text(encoding="utf-8").count(release.DOWNLOADS) == 1
    links = re.findall(rf"/releases/download/{re.escape(TAG)}/([\w.-]+)\)", release.downloads())
    assert links == [file.name for file in release.FILES]
