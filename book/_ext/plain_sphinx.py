"""Build the book with Sphinx alone: `python book/_ext/plain_sphinx.py [folder]`.

Jupyter Book 1 will not last for ever, and Jupyter Book 2 cannot read this book. Jupyter Book 1 adds
little to Sphinx: it reads `_config.yml`. Here that file is read without it, so that its settings
stay in one place, and so that any version of Sphinx and of its extensions can be tried.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import yaml
from sphinx.cmd.build import main as sphinx_build

BOOK = Path(__file__).resolve().parents[1]
# What Jupyter Book makes of its own settings, beside those that it hands on as they are.
OWN_EXTENSION = "jupyter_book"
FIXED = {
    "html_theme": "sphinx_book_theme",
    "html_sourcelink_suffix": "",
    "numfig": True,
    "use_multitoc_numbering": True,
    "nb_output_stderr": "show",
    "suppress_warnings": ["myst.domains"],
}


def settings(book: Path = BOOK) -> dict[str, object]:
    """Translate `_config.yml` into the names of Sphinx."""
    ours = yaml.safe_load((book / "_config.yml").read_text(encoding="utf-8"))
    own, html = ours["sphinx"]["config"], ours["html"]
    theme = {
        "repository_url": ours["repository"]["url"],
        "repository_branch": ours["repository"]["branch"],
        "path_to_docs": ours["repository"]["path_to_book"],
        "launch_buttons": ours["launch_buttons"],
        **{name: html[name] for name in html if name.startswith("use_")},
    }
    return {
        **FIXED,
        "project": ours["title"],
        "html_title": ours["title"],
        "author": ours["author"],
        "copyright": ours["copyright"],
        "exclude_patterns": [*ours["exclude_patterns"], "_build"],
        "external_toc_exclude_missing": ours["only_build_toc_files"],
        "nb_execution_mode": ours["execute"]["execute_notebooks"],
        "myst_enable_extensions": ours["parse"]["myst_enable_extensions"],
        **own,
        "extensions": [name for name in own["extensions"] if name != OWN_EXTENSION],
        "html_theme_options": {**theme, **own["html_theme_options"]},
        # Sphinx looks for these beside its conf.py, which is not in the folder of the book.
        "external_toc_path": str(book / "_toc.yml"),
        "html_favicon": str(book / html["favicon"]),
        "bibtex_bibfiles": [str(book / name) for name in ours["bibtex_bibfiles"]],
        "html_static_path": [str(book / name) for name in own["html_static_path"]],
        "templates_path": [str(book / name) for name in own["templates_path"]],
    }


def main(arguments: list[str] | None = None) -> int:
    """Write conf.py into the folder of the result, and build from it; a warning is an error."""
    parser = argparse.ArgumentParser(description="Build the book with Sphinx alone.")
    parser.add_argument("folder", nargs="?", type=Path, default=BOOK / "_build" / "plain")
    folder = parser.parse_args(arguments).folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"import sys\nsys.path.insert(0, {str(BOOK / '_ext')!r})"]
    lines += [f"{name} = {value!r}" for name, value in settings().items()]
    (folder / "conf.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sphinx_build(
        ["-b", "html", "-c", str(folder), "-W", "-n", "--keep-going", "-a", "-q",
         "-d", str(folder / "doctrees"), str(BOOK), str(folder / "html")]
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
