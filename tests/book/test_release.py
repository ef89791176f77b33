"""A release: what stops it, and where the landing page links to its files."""

import re

import pytest
import release
from built_book import BOOK

from minibert import __version__

TAG = f"v{__version__}"


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


def test_what_is_said_of_this_version_and_its_files():
    text = (BOOK.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.sub(r", not yet released$", ", today", text, flags=re.MULTILINE)
    assert len(release.notes(dated, TAG).splitlines()) > 5
    assert (BOOK / "index.md").read_text(encoding="utf-8").count(release.DOWNLOADS) == 1
    links = re.findall(rf"/releases/download/{re.escape(TAG)}/([\w.-]+)\)", release.downloads())
    assert links == [file.name for file in release.FILES]
