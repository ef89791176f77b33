"""What the pages say about all chapters is put together when they are built."""

import re

from built_book import HTML, built_pages


def test_the_landing_page_says_how_long_chapters_take():
    text = re.sub(r"<[^>]+>", "", (HTML / "index.html").read_text(encoding="utf-8"))
    (span,) = re.findall(r"Each takes (\d+) to (\d+) minutes to read with its code", text)
    assert 5 <= int(span[0]) < int(span[1]) <= 90


def test_the_costs_of_all_chapters_are_listed():
    page = (HTML / "statistics.html").read_text(encoding="utf-8")
    for chapter in built_pages("chapters"):
        assert f'href="{chapter}"' in page
    assert re.search(r"<p>all</p></td>\s*<td><p>\d+</p>", page)
