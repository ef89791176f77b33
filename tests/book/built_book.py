"""The built book as the tests see it: its pages, and a reader who notes every complaint."""

import os
import re
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

BOOK = Path(__file__).resolve().parents[2] / "book"
HTML = Path(os.environ.get("BOOK_HTML", BOOK / "_build" / "html"))
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
LOOKS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")
COLOR_RULES = ("color-contrast", "link-in-text-block")
ONLY_COLORS = {"runOnly": {"type": "rule", "values": COLOR_RULES}}
NO_COLORS = {"rules": {rule: {"enabled": False} for rule in COLOR_RULES}}
# The contrast is measured once for all that looks alike.
CONFIGURED = {"rules": [{"id": "color-contrast", "selector": ":not([data-alike])"}]}
RUN_AXE = "([rules, options]) => { axe.configure(rules); return axe.run(document, options); }"


def built_pages(folder: str = ".") -> list[str]:
    """Name every built page in a folder of the book; the landing page if there is none."""
    pages = (page.relative_to(HTML) for page in (HTML / folder).rglob("*.html"))
    return sorted(p.as_posix() for p in pages if p.parts[0] != "_static") or ["index.html"]


def assert_fits(page) -> None:
    """Fail with what makes a page scroll sideways."""
    assert page.evaluate("look.wider()") == [], f"at {page.viewport_size['width']} pixels"


def assert_accessible(page, where: str, **options) -> None:
    """Fail with the rules of axe-core that a page breaks, and the elements concerned."""
    from axe_playwright_python.sync_playwright import Axe  # here: most tests do without

    page.evaluate("look.oneWordOfAKind(), look.nameWhatIsAlike()")
    page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], "preload": False, **options}
    found = page.evaluate(RUN_AXE, [CONFIGURED, options])["violations"]
    assert not found, "\n".join(
        f"{where}: {rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    )


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files and say nothing."""

    def log_message(self, *arguments):
        """Keep the output of the tests clean."""


class Reader:
    """Opens pages; fails in the end if one asked outside, missed a file or complained."""

    def __init__(self, browser, site: str, html: Path):
        self.browser, self.site, self.html = browser, site, html
        self.contexts, self.complaints, self.asked = [], [], []

    def open(self, name: str, *, from_disk=False, **settings):
        """Open a page of the book, from the server or from the disk, and wait until it is there."""
        home = self.html.as_uri() + "/" if from_disk else self.site
        return self.open_address(home, name, **settings)

    def open_address(self, home: str, name: str, viewport=DESKTOP, *, motion="reduce", first=""):
        """Open a page, run the script `first` before its own, and note what it asks elsewhere."""
        context = self.browser.new_context(viewport=viewport, reduced_motion=motion)
        note = self.complaints.append
        self.contexts.append(context)
        context.add_init_script(LOOKS + first)
        context.route(re.compile(rf"^(?!data:|blob:|{re.escape(home)})"), self._refuse)
        page = context.new_page()
        page.on("request", lambda request: self.asked.append(_file_of(request.url)))
        page.on("requestfailed", self._note_failed)
        page.on("response", lambda r: note(f"{r.status} for {r.url}") if r.status >= 400 else None)
        page.on("pageerror", lambda error: note(f"script error: {error}"))
        page.on("console", self._note_console)
        page.goto(home + name, wait_until="load")
        return page

    def _refuse(self, route):
        self.complaints.append(f"asks outside the book: {route.request.url}")
        route.abort()

    def _note_failed(self, request):
        # A page that is left or closed gives up what it was still fetching; nobody misses that.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"did not load: {request.url} ({request.failure})")

    def _note_console(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for context in self.contexts:
            context.close()
        assert not self.complaints, "\n".join(dict.fromkeys(self.complaints))


def _file_of(address: str) -> str:
    return urlsplit(address).path.rpartition("/")[2]
