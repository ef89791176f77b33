"""The built book as the tests see it: its pages, and a reader who writes down every complaint."""

import os
import re
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

BOOK = Path(__file__).resolve().parents[2] / "book"
HTML = Path(os.environ.get("BOOK_HTML", BOOK / "_build" / "html"))
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def built_pages(folder: str = ".") -> list[str]:
    """Name every built page in a folder of the book; the landing page if there is none."""
    pages = (page.relative_to(HTML) for page in (HTML / folder).rglob("*.html"))
    return sorted(p.as_posix() for p in pages if p.parts[0] != "_static") or ["index.html"]


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files and say nothing."""

    def log_message(self, *arguments):
        """Keep the output of the tests clean."""


class Reader:
    """Opens pages and writes down everything that a reader's browser would complain about."""

    def __init__(self, browser, site: str, html: Path):
        self.browser, self.site, self.html = browser, site, html
        self.contexts, self.complaints, self.asked = [], [], []

    def open(self, name: str, *, viewport=DESKTOP, from_disk=False, **settings):
        """Open a page of the book, from the server or from the disk, and wait until it is there."""
        home = self.html.as_uri() + "/" if from_disk else self.site
        return self.open_address(home, name, viewport, **settings)

    def open_file(self, file: Path, viewport=DESKTOP):
        """Open a page that a test has written."""
        return self.open_address(file.parent.as_uri() + "/", file.name, viewport)

    def open_address(self, home: str, name: str, viewport, *, motion="reduce", first=""):
        """Open a page, run the script `first` before its own, and note what it asks elsewhere."""
        context = self.browser.new_context(viewport=viewport, reduced_motion=motion)
        self.contexts.append(context)
        context.add_init_script(first)
        context.route(re.compile(rf"^(?!data:|blob:|{re.escape(home)})"), self._refuse)
        page = context.new_page()
        page.on("request", lambda request: self._note_request(request.url, home))
        page.on("requestfailed", self._note_failed)
        page.on("response", self._note_response)
        page.on("pageerror", lambda error: self._note(f"script error: {error}"))
        page.on("console", self._note_console)
        page.goto(home + name, wait_until="load")
        return page

    def _note(self, sentence):
        self.complaints.append(sentence)

    def _refuse(self, route):
        self._note(f"asks outside the book: {route.request.url}")
        route.abort()

    def _note_request(self, url, home):
        self.asked.append(urlsplit(url).path.rpartition("/")[2])
        if not url.startswith(("data:", "blob:", home)):
            self._note(f"asks outside the book: {url}")

    def _note_failed(self, request):
        # A page that is left or closed gives up what it was still fetching; nobody misses that.
        if request.failure != "net::ERR_ABORTED":
            self._note(f"did not load: {request.url} ({request.failure})")

    def _note_response(self, response):
        if response.status >= 400:
            self._note(f"{response.status} for {response.url}")

    def _note_console(self, message):
        if message.type in ("error", "warning"):
            self._note(f"console {message.type}: {message.text}")

    def close(self):
        """Close every page."""
        for context in self.contexts:
            context.close()
