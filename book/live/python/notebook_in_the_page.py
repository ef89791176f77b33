"""What a page has of bertbook.core and .reader: drawing with HTML, a `keep` that says a verdict."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

__path__ = [str(Path(__file__).parent / "bertbook" / "core")]  # where its other files are
verdicts = []  # what was said about the cell


def _load(name: str):
    """Load a file of bertbook.core without the folder's other files, which need more."""
    spec = spec_from_file_location(f"bertbook.core.{name}", Path(__path__[0], f"{name}.py"))
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_html = _load("html")
Html, bars, html, matrix = _html.Html, _html.bars, _html.html, _html.matrix
token_row = _html.token_row
arrow_map = _load("arrows").arrow_map


def keep(thing, verdict=None):
    """Say the verdict; the page itself keeps what the reader has written, if it may."""
    verdicts[:] = [verdict] if verdict else []
    return verdict


def running_on(**ours):
    """Let ours play."""
    return SimpleNamespace(**ours)
