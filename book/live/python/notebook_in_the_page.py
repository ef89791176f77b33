"""What a page has of bertbook.show and .reader: drawing with HTML, a `keep` that says a verdict."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

verdicts = []  # what was said about the cell


def _load(name: str):
    """Load a file of bertbook.show without the folder's other files, which need more."""
    path = Path(__file__).parent / "bertbook" / "show" / f"{name}.py"
    spec = spec_from_file_location(f"bertbook.show.{name}", path)
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
