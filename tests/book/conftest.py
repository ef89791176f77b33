"""What the tests of the built book share: the book, a server for it, a browser, and a reader."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from built_book import BOOK, HTML, PHONE, QuietHandler, Reader, built_pages

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def pytest_generate_tests(metafunc):
    """Run a test once for every page (`page_name`) or every chapter (`chapter`) of the book.

    The tests of a module on one page follow one another, so that they can share it.
    """
    for argument, folder in (("page_name", "."), ("chapter", "chapters")):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, built_pages(folder), scope="module")


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
    """Start one Chromium for all tests, with everything that calls home switched off."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail(
            f"The browser tests need Chromium, and none of {', '.join(BROWSERS)} is on the path. "
            "Install it, on Debian or Ubuntu with: sudo apt-get install chromium",
            pytrace=False,
        )
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = [*FLAGS, "--no-sandbox"] if as_root else list(FLAGS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()


@contextmanager
def reading(browser, site, html) -> Iterator[Reader]:
    """Give a reader, and fail if a page has asked outside, missed a file or complained."""
    person = Reader(browser, site, html)
    yield person
    person.close()
    assert not person.complaints, "\n".join(dict.fromkeys(person.complaints))


@pytest.fixture
def reader(browser, site, html):
    """Give a test a reader of its own."""
    with reading(browser, site, html) as person:
        yield person


@pytest.fixture(scope="module")
def page_from_disk(browser, site, html, page_name):
    """Open a page from the disk, once for all tests of a module: loading takes the longest."""
    with reading(browser, site, html) as person:
        yield person.open(page_name, from_disk=True)


@pytest.fixture(scope="module")
def page(browser, site, html):
    """Open the landing page from the disk, once for all tests of a module."""
    with reading(browser, site, html) as person:
        yield person.open("index.html", from_disk=True)


@pytest.fixture(scope="module")
def chapter_page(browser, site, html, chapter):
    """Open a chapter from the server, once for all tests of a module."""
    with reading(browser, site, html) as person:
        yield person.open(chapter)


@pytest.fixture(scope="module")
def chapter_on_a_phone(browser, site, html, chapter):
    """Open a chapter on a phone, once for all tests of a module."""
    with reading(browser, site, html) as person:
        yield person.open(chapter, viewport=PHONE)


@pytest.fixture(scope="module")
def model():
    """Give the small world's model with the weights that the page has: rounded to 16 bits."""
    import torch  # here: most tests of the book do without

    from minibert.pretrained import load_pretrained
    from minibert.pretraining import BertForPreTraining

    model = load_pretrained(BertForPreTraining, BOOK / "data" / "small-world").eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    return model
