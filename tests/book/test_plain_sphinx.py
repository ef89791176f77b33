"""The way out of Jupyter Book 1: the same settings for Sphinx alone."""

from pathlib import Path

import plain_sphinx
from jupyter_book.config import get_final_config

# What Jupyter Book sets and the book does not use, so that Sphinx needs no word of it.
OWN = {
    *("comments_config", "html_baseurl", "html_logo", "latex_engine", "pygments_style"),
    *("myst_url_schemes", "nb_execution_allow_errors", "nb_execution_cache_path"),
    *("nb_execution_excludepatterns", "nb_execution_in_temp", "nb_execution_timeout"),
    *("use_jupyterbook_latex", "external_toc_path"),
}
OWN_OPTIONS = {"analytics", "announcement", "extra_footer", "home_page_in_toc", "search_bar_text"}


def test_the_settings_are_those_that_jupyter_book_makes():
    book = plain_sphinx.BOOK
    theirs, _ = get_final_config(
        user_yaml=book / "_config.yml", sourcedir=book, cli_config={"latex_individualpages": False}
    )
    ours = plain_sphinx.settings()
    assert theirs.keys() - ours.keys() <= OWN
    for name in theirs.keys() & ours.keys() - {"html_theme_options", "extensions"}:
        assert relative(ours[name]) == relative(theirs[name]), name
    options = ours["html_theme_options"]
    assert theirs["html_theme_options"].keys() - options.keys() <= OWN_OPTIONS
    for name in options.keys() - {"launch_buttons"}:
        assert options[name] == theirs["html_theme_options"][name], name
    buttons = theirs["html_theme_options"]["launch_buttons"]
    assert options["launch_buttons"] == {name: buttons[name] for name in options["launch_buttons"]}
    left_out = {"jupyter_book", "sphinx_jupyterbook_latex"}
    assert set(theirs["extensions"]) - left_out == set(ours["extensions"])


def relative(value: object) -> object:
    """Write paths from the folder of the book, a list without order, and settings as text."""
    if isinstance(value, dict):
        return repr(sorted(value.items()))
    if isinstance(value, list):
        added = {"**.ipynb_checkpoints", ".DS_Store", "Thumbs.db"}
        return frozenset(relative(each) for each in value) - added
    book = str(plain_sphinx.BOOK)
    return Path(value).relative_to(book).as_posix() if str(value).startswith(book) else value
