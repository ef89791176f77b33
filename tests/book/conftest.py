"""What the tests of the built book share: the book, a server for it, a browser, and a reader."""

from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from built_book import DESKTOP, HTML, PHONE, QuietHandler, Reader, built_pages

CELL = (
    '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>A cell</title>"
)
ONE_OF_EACH = ("index", "search", "glossary", "flashcards", "chapters/02-", "api-text")
OPENED = {"page_from_disk", "page_without_script"}


def pytest_generate_tests(metafunc):
    """Run a test once for every page or chapter; a browser opens most in `make thorough` only."""
    if "page_name" in metafunc.fixturenames:
        names = built_pages("chapters" if "chapter_from_disk" in metafunc.fixturenames else ".")
        if OPENED & {*metafunc.fixturenames}:
            thorough = pytest.mark.thorough
            names = [
                n if n.startswith(ONE_OF_EACH) else pytest.param(n, marks=thorough) for n in names
            ]
        metafunc.parametrize("page_name", names, scope="module")


@pytest.fixture(scope="session")
def html() -> Path:
    """Give the folder of the built book."""
    if not (HTML / "index.html").is_file():
        pytest.fail(f"There is no built book in {HTML}: run `make book` first.", pytrace=False)
    return HTML


@pytest.fixture(scope="session")
def site(html):
    """Serve the built book from this machine and give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(html)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    """Start one Chromium for all tests."""
    from browser import chromium  # here: most tests do without playwright

    try:
        with chromium() as started:
            yield started
    except SystemExit as missing:
        pytest.fail(str(missing), pytrace=False)


@pytest.fixture
def reader(browser, site, html):
    """Give a test a reader of its own."""
    with Reader(browser, site, html) as person:
        yield person


@pytest.fixture
def shown(reader, tmp_path, monkeypatch):
    """Open the output of a cell as a page, with the script and the model, as Jupyter shows it."""
    monkeypatch.delenv("BOOK_STORED")

    def open_figure(figure, *given, viewport=DESKTOP, **settings):
        content = figure(*given, caption="Try.", **settings)._repr_html_()
        (tmp_path / "cell.html").write_text(CELL + content, encoding="utf-8")
        return reader.open_address(tmp_path.as_uri() + "/", "cell.html", viewport)

    return open_figure


@pytest.fixture(scope="module")
def phone(browser, tmp_path_factory):
    """Open the HTML of a cell on a phone, with scripts or without."""
    contexts = []

    def open_cell(html, scripts=True):
        file = tmp_path_factory.mktemp("cell") / "cell.html"
        file.write_text(CELL + html, encoding="utf-8")
        contexts.append(browser.new_context(viewport=PHONE, java_script_enabled=scripts))
        page = contexts[-1].new_page()
        page.goto(file.as_uri())
        return page

    yield open_cell
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def page_from_disk(browser, site, html, page_name):
    """Open a page from the disk, once for all tests of a module: loading takes the longest."""
    with Reader(browser, site, html) as person:
        yield person.open(page_name, from_disk=True)


@pytest.fixture
def chapter_from_disk(page_from_disk):
    """Give a page that is a chapter."""
    return page_from_disk


@pytest.fixture
def page_without_script(browser, html, page_name):
    """Open a page from the disk in a browser that runs no script."""
    with browser.new_context(viewport=DESKTOP, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((html / page_name).as_uri())
        yield page


@pytest.fixture(scope="module")
def page(browser, site, html):
    """Open the landing page from the disk, once for all tests of a module."""
    with Reader(browser, site, html) as person:
        yield person.open("index.html", from_disk=True)


@pytest.fixture(scope="module")
def watched():
    """Give the small world's model with the weights that the page has: rounded to 16 bits."""
    from bertbook.core.watching import Watched  # here: most tests of the book do without
    from bertbook.records import trained_folder

    return Watched(trained_folder("small-world"))


@pytest.fixture(scope="module")
def real_tokenizer(minilm):
    """Load the tokenizer of BERT's own vocabulary."""
    from minibert.wordpiece import WordPieceTokenizer

    return WordPieceTokenizer.load(minilm / "vocab.txt")
