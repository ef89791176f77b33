"""Chromium: the system's, else the one that playwright keeps; nothing in it calls home.

`python book/_ext/browser.py` has playwright fetch one where there is none.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

OF_THE_SYSTEM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip
MISSING = (
    "Tests of the pages, the PDF and the e-book need Chromium, and none was found that starts. "
    "Install the system's, on Debian or Ubuntu with: sudo apt-get install chromium; "
    "or playwright's, with: python -m playwright install chromium"
)


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Start the browser, and close it in the end."""
    # The sandbox of Chromium refuses to start for root, which is whom containers have.
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = (*FLAGS, *flags, *(["--no-sandbox"] if as_root else []))
    with sync_playwright() as playwright:
        browser = _first_that_starts(playwright, flags)
        yield browser
        browser.close()


def _first_that_starts(playwright: Playwright, flags: Sequence[str]) -> Browser:
    """Start the system's browser, else the one that playwright keeps."""
    for path in (*map(shutil.which, OF_THE_SYSTEM), playwright.chromium.executable_path):
        if path and Path(path).is_file():
            with suppress(Error):
                return playwright.chromium.launch(executable_path=path, args=flags)
    raise SystemExit(MISSING)


def starts() -> bool:
    """Say whether there is a browser that starts: one without its libraries does not."""
    try:
        with chromium():
            return True
    except SystemExit:
        return False


def main() -> None:
    """Fetch a browser if none starts."""
    if starts():
        return
    print("There is no Chromium: playwright fetches one, once.", flush=True)
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"])
    if not starts():
        raise SystemExit(MISSING)


if __name__ == "__main__":
    main()
