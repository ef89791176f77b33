"""The Sphinx extension of the live figures: one script for every page, one for each model.

The scripts are made from ``book/live`` and the weights in ``book/data`` when the book is built, in
``book/_vendor/live``, which git ignores. A page loads a model's script only when it is asked to.
"""

import json
from pathlib import Path

from safetensors.numpy import load_file
from sphinx.application import Sphinx

from minibert.corpus import hundred_sentences, vocabulary
from minibert.notebook.live_scripts import model_script, page_script

BOOK = Path(__file__).resolve().parents[1]
LIVE = BOOK / "_vendor" / "live"


def small_world() -> str:
    """Write the trained model of Chapter 14."""
    folder = BOOK / "data" / "small-world"
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tensors = load_file(folder / "model.safetensors")
    return model_script("small-world", tensors, pieces, config)


def toy() -> str:
    """Write the trained model of Chapter 5, whose words are in the order of the recipe."""
    mask, *words = vocabulary(hundred_sentences())
    tensors = load_file(BOOK / "data" / "toy" / "model.safetensors")
    return model_script("toy", tensors, [*words, mask], {}, kind="toy")


def write_scripts(app: Sphinx) -> None:
    """Write all scripts; that of the pages knows the names and sizes of the others."""
    LIVE.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, content in (("small-world", small_world()), ("toy", toy())):
        (LIVE / f"{name}.js").write_text(content, encoding="utf-8")
        files[name] = {"file": f"{name}.js", "bytes": len(content.encode())}
    (LIVE / "minibert.js").write_text(page_script(files), encoding="utf-8")


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx."""
    app.connect("builder-inited", write_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
