"""The sources of the book that are not chapters: settings, references, picture, pins, cards."""

import json
import re
from pathlib import Path

import anki
import cards
import cover
import jupyter_book
import yaml
from built_book import BOOK
from pybtex.database import parse_file

KNOWN_ELSEWHERE = {"bibtex_bibfiles"}


def unknown_keys(settings: dict, known: dict, path: str = ""):
    """Name every key of `settings` that `known` does not have, however deep.

    Below `sphinx.config` Sphinx itself warns of an unknown key, and a warning stops the build.
    """
    for key, value in settings.items():
        here = f"{path}{key}"
        if key not in known and here not in KNOWN_ELSEWHERE:
            yield here
        elif isinstance(value, dict) and isinstance(known.get(key), dict):
            yield from unknown_keys(value, known[key], here + ".")


def known_settings() -> dict:
    """Read Jupyter Book's own list of every key it knows."""
    path = Path(jupyter_book.__file__).with_name("default_config.yml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_every_setting_is_one_that_jupyter_book_knows():
    settings = yaml.safe_load((BOOK / "_config.yml").read_text(encoding="utf-8"))
    unknown = list(unknown_keys(settings, known_settings()))
    assert not unknown, f"_config.yml: Jupyter Book silently ignores {unknown}"


def test_references_are_complete():
    entries = parse_file(str(BOOK / "references.bib")).entries
    for key, entry in entries.items():
        assert entry.persons["author"], f"{key} has no author"
        assert {"title", "year"} <= set(entry.fields), f"{key} has no title or no year"
        assert {"doi", "url", "publisher"} & set(entry.fields), f"{key}: where can it be found?"
        assert re.search(r"\d{4}", key).group() == entry.fields["year"], (
            f"{key} and its year differ"
        )


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


def test_the_page_of_all_flashcards_takes_those_of_every_chapter():
    for chapter in sorted((BOOK / "chapters").glob("[0-9][0-9]-*.ipynb")):
        asked = chapter.read_text(encoding="utf-8").count('"flashcards(')
        pages = cards.stored_cards(chapter)
        assert len(pages) == asked >= 1, chapter.name
        assert all(page.count("<details>") >= 3 for page in pages), chapter.name


def test_fifty_cards_are_to_be_learned_first_in_the_page_and_in_the_deck():
    fronts, first = [front for _, front, _ in anki.all_cards()], cards.first_cards()
    assert len({*first}) == len(first) == 50
    assert {fronts.count(front) for front in first} == {1}
    page = "<details><summary>Pooler</summary></details><details><summary>Poole</summary></details>"
    assert cards.with_stars(page).count('<details class="mb-first">') == 1
    assert sum("learn-first" in note.tags for note in anki.deck().notes) == 50
