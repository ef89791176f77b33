"""What the tests of the built book share: its pages, a server, a browser, and a strict reader."""

import os
import re
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
HTML = Path(os.environ.get("BOOK_HTML", BOOK / "_build" / "html"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def built_pages(folder: str = ".") -> list[str]:
    """Name every built page in a folder of the book; a page that cannot be missing if there is none."""
    pages = (page.relative_to(HTML) for page in (HTML / folder).rglob("*.html"))
    return sorted(p.as_posix() for p in pages if p.parts[0] != "_static") or ["index.html"]


def pytest_generate_tests(metafunc):
    """Run a test once for every page (`page_name`) or every chapter (`chapter`) of the book."""
    for argument, folder in (("page_name", "."), ("chapter", "chapters")):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, built_pages(folder))


@pytest.fixture(scope="session")
def html() -> Path:
    """The folder of the built book."""
    if not (HTML / "index.html").is_file():
        pytest.fail(f"There is no built book in {HTML}: run `make book` first.", pytrace=False)
    return HTML


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files and say nothing."""

    def log_message(self, *arguments):
        """Keep the output of the tests clean."""


@pytest.fixture(scope="session")
def site(html):
    """The address of a local server for the built book."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(html)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests, with everything that calls home switched off."""
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


class Reader:
    """Opens pages and writes down everything that a reader's browser would complain about."""

    def __init__(self, browser, site: str, html: Path):
        self.browser, self.site, self.html = browser, site, html
        self.contexts, self.complaints = [], []

    def open(self, name: str, *, viewport=DESKTOP, from_disk=False):
        """Open a page of the book, from the server or from the disk, and wait for its formulas."""
        home = self.html.as_uri() + "/" if from_disk else self.site
        context = self.browser.new_context(viewport=viewport, reduced_motion="reduce")
        self.contexts.append(context)
        context.route(re.compile(rf"^(?!data:|blob:|{re.escape(home)})"), self._refuse)
        page = context.new_page()
        page.on("request", lambda request: self._note_request(request.url, home))
        page.on("requestfailed", lambda request: self._note(f"did not load: {request.url}"))
        page.on("response", lambda answer: answer.ok or self._note(f"{answer.status}: {answer.url}"))
        page.on("pageerror", lambda error: self._note(f"script error: {error}"))
        page.on("console", self._note_console)
        page.goto(home + name, wait_until="load")
        page.evaluate("window.MathJax?.startup?.promise")
        return page

    def _note(self, sentence):
        self.complaints.append(sentence)

    def _refuse(self, route):
        self._note(f"asks outside the book: {route.request.url}")
        route.abort()

    def _note_request(self, url, home):
        if not url.startswith(("data:", "blob:", home)):
            self._note(f"asks outside the book: {url}")

    def _note_console(self, message):
        if message.type in ("error", "warning"):
            self._note(f"console {message.type}: {message.text}")

    def close(self):
        """Close every page."""
        for context in self.contexts:
            context.close()


@pytest.fixture
def reader(browser, site, html):
    """A reader; the test fails if a page they opened asks outside, misses a file or complains."""
    person = Reader(browser, site, html)
    yield person
    person.close()
    assert not person.complaints, "\n".join(dict.fromkeys(person.complaints))
