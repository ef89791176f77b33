"""What chapters show: figures, interactive figures, quizzes, flashcards and source code.

Everything here is plain HTML with its own style and a few lines of script. It looks and works the
same in Jupyter and in the built page, needs no kernel once it is drawn, and loads nothing. Only
:func:`explore` has two forms: with a kernel it is drawn again at every move.
"""

from .arrows import arrow_map
from .controls import slider, typed
from .figures import picture
from .fill_in import fill_in, next_sentence
from .game import Turn, game
from .html import Html, bars, html, matrix, token_row
from .inside import see_heads, swap_heads
from .interactive import explore
from .live import type_ahead
from .maps import small_map
from .questions import ask, flashcards, quiz, which_line
from .source import seed_everything, show_source
from .tables import parts_table, result_table, show_table

__all__ = [
    "Html",
    "Turn",
    "arrow_map",
    "ask",
    "bars",
    "explore",
    "fill_in",
    "flashcards",
    "game",
    "html",
    "matrix",
    "next_sentence",
    "parts_table",
    "picture",
    "quiz",
    "result_table",
    "see_heads",
    "seed_everything",
    "show_source",
    "show_table",
    "slider",
    "small_map",
    "swap_heads",
    "token_row",
    "type_ahead",
    "typed",
    "which_line",
]
