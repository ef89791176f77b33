"""The Sphinx extension of the live figures: one script for every page, one for each model.

The scripts are made from ``bertbook/live`` and the weights in ``bertbook/records`` when the book is
built, in ``book/_vendor/live``, which git ignores. A page loads a model's script only when it is
asked to; so it does with BERT's own vocabulary, for Chapter 6, if the extra `models` is installed.
"""

import os
from pathlib import Path

from docutils import nodes
from exercises import archive_script
from safetensors.numpy import load_file
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bertbook.core.any_sentence import any_sentence
from bertbook.core.live_scripts import folder_script, model_script, page_script, vocabulary_script
from bertbook.core.opening import opening
from bertbook.corpus import hundred_sentences, vocabulary
from bertbook.records import record_of, trained_folder

BOOK = Path(__file__).resolve().parents[1]
LIVE = BOOK / "_vendor" / "live"
PYTHON = BOOK / "_vendor" / "lib" / "pyodide" / "python.js"
SMALL_WORLD, ENGLISH = trained_folder("small-world"), trained_folder("english")


def toy() -> str:
    """Write the trained model of Chapter 5, whose words are in the order of the recipe."""
    mask, *words = vocabulary(hundred_sentences())
    tensors = load_file(trained_folder("toy") / "model.safetensors")
    return model_script("toy", tensors, [*words, mask], {}, kind="toy")


def write_scripts(app: Sphinx) -> None:
    """Write all scripts; that of the pages knows the names and sizes of the others."""
    LIVE.mkdir(parents=True, exist_ok=True)
    files = {}
    scripts = {"small-world": folder_script(SMALL_WORLD), "toy": toy()}
    scripts["english"] = folder_script(ENGLISH)
    scripts |= {"bert-uncased": vocabulary_script(), "exercises": archive_script()}
    for name, content in scripts.items():
        if not content:  # the extra that brings it is not installed, and the figure says so
            (LIVE / f"{name}.js").unlink(missing_ok=True)
            continue
        (LIVE / f"{name}.js").write_text(content, encoding="utf-8")
        files[name] = {"file": f"{name}.js", "bytes": len(content.encode())}
    files["python"] = {"file": "../lib/pyodide/python.js", "bytes": PYTHON.stat().st_size}
    (LIVE / "minibert.js").write_text(page_script(files), encoding="utf-8")


class Opening(SphinxDirective):
    """The figure of the landing page, in which the small world's model fills in the blank.

    The argument is the caption; each line holds a question and two sentences, with bars between
    them, and a star on either side of the word that is hidden at first.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the figure as it stands in the page."""
        lines = [line.split("|") for line in self.content if line.strip()]
        questions = [(asked.strip(), one.strip(), two.strip()) for asked, one, two in lines]
        os.environ["BOOK_STORED"] = "1"  # the page loads the script, so no figure brings it along
        figure = opening(questions, SMALL_WORLD, caption=self.arguments[0])
        return [nodes.raw("", figure._repr_html_(), format="html")]


class AnySentence(SphinxDirective):
    """The second figure of the landing page, in which a model of real English fills in blanks.

    The argument is the caption, with the numbers of the record as ``{bert}``, ``{counts}``,
    ``{ahead}``, ``{moved}`` and ``{changed}``; each line holds a sentence with [MASK].
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the figure as it stands in the page."""
        os.environ["BOOK_STORED"] = "1"
        examples = [line for line in self.content if line.strip()]
        caption = _with_record(self.arguments[0])
        figure = any_sentence(examples, ENGLISH, caption=caption)
        return [nodes.raw("", figure._repr_html_(), format="html")]


def _with_record(caption: str) -> str:
    """Put what was measured on chapters that nobody had read into a caption."""
    measured = record_of("english_page")["chapters"]
    whole, packed, counts = (measured[name] for name in ("32 bits", "8 bits", "counts"))
    numbers = {
        "bert": f"{packed['loss']:.2f}",
        "counts": f"{counts['loss']:.2f}",
        "ahead": "BERT" if packed["loss"] < counts["loss"] else "the counts",
        "moved": f"{abs(packed['loss'] - whole['loss']):.4f}",
        "changed": f"{100 * measured['changed']:.1f} %",
    }
    for name, number in numbers.items():
        caption = caption.replace(f"{{{name}}}", number)
    return caption


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx."""
    app.connect("builder-inited", write_scripts)
    app.add_directive("opening", Opening)
    app.add_directive("any-sentence", AnySentence)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
