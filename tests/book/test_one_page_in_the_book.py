"""BERT on one page in the book: whole, with a link from each part to its chapter."""

import html
import re

import pytest
from built_book import HTML
from one_page import CODE, PAGE, parts


@pytest.fixture(scope="module")
def body():
    return (HTML / f"{PAGE}.html").read_text(encoding="utf-8")


def test_the_code_is_shown_whole(body):
    listing = re.search(r'<div class="one-page.*?<pre>(.*?)</pre>', body, re.DOTALL)[1]
    shown = html.unescape(re.sub(r"<[^>]+>", "", listing))
    assert shown == CODE.read_text(encoding="utf-8")


def test_each_part_is_linked_to_its_chapter_and_reached_from_the_table(body):
    for number, names in parts(CODE.read_text(encoding="utf-8")).items():
        for name in names:
            assert f'href="#the-{name}"' in body, name
            assert body.count(f'id="the-{name}"') == 1, name
            place = body.index(f'id="the-{name}"')
            chapter = re.search(r'# <a href="([^"]+)" title="[^"]+">(\d+)</a>', body[place:])
            assert int(chapter[2]) == number, name
            assert (HTML / chapter[1]).is_file()
