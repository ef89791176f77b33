"""The browser of the tests and of what is printed: the system's, else playwright's, else a word."""

import functools
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import browser
import pytest
from playwright.sync_api import sync_playwright


def apart(function):
    """Call a function in a thread: the browser of other tests keeps a loop running in this one."""

    @functools.wraps(function)
    def call(*arguments, **named):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(function, *arguments, **named).result()

    return call


@apart
def where_playwright_keeps_one():
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


@pytest.fixture
def bare_machine(monkeypatch, tmp_path):
    """Hide the browsers of this machine, and give the place where playwright would keep one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "kept"))
    return where_playwright_keeps_one()


@pytest.fixture
def real_browser():
    found = next(filter(None, map(shutil.which, browser.OF_THE_SYSTEM)), None)
    if found is None:
        pytest.skip("the browser of this machine is playwright's own")
    return found


def put(program, text):
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)


@apart
def test_the_one_that_playwright_keeps_is_found(real_browser, bare_machine):
    assert not browser.starts()
    put(bare_machine, f'#!/bin/sh\nexec {real_browser} "$@"\n')
    with browser.chromium() as started:
        page = started.new_page()
        page.set_content("<p>There</p>")
        assert page.inner_text("p") == "There"


@apart
def test_none_is_told_in_one_sentence_that_names_both_ways(bare_machine, monkeypatch):
    asked = []
    monkeypatch.setattr(browser.subprocess, "run", asked.append)  # the network is not asked
    with pytest.raises(SystemExit, match=r"apt-get install chromium; or .*playwright install"):
        browser.main()
    assert asked == [[sys.executable, "-m", "playwright", "install", "chromium"]]
