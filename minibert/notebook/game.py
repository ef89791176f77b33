"""A game against a model: hidden answers, turns, and everybody's score. Chapters 11 and 12."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .html import KEEP_KEYS, Html, key_of

GAME_STYLE = """
.mb-figure.mb-game{box-sizing:border-box;\
border:1px solid var(--pst-color-border,var(--jp-border-color2,#bbb));border-radius:8px;\
padding:1em;margin:1em 0}
.mb-turn{border:0;margin:0 0 1em;padding:0}
.mb-turn legend{float:left;width:100%;font-size:1em;margin:0 0 .7em;padding:0;white-space:pre-line}
.mb-turn legend+*{clear:both}
.mb-game button{font:inherit;min-height:36px;padding:.2em .9em;margin:0 .5em .5em 0;\
border-radius:6px;cursor:pointer;border:2px solid currentColor;background:none;color:inherit}
.mb-game button:disabled{cursor:default;opacity:.75}
.mb-game button.mb-yes{border-color:#2a8f5b;border-style:double;border-width:4px}
.mb-game table{border-collapse:collapse;width:auto;margin:.4em 0}
.mb-game :is(th,td){padding:.2em .9em .2em 0;text-align:left;border:0;background:none;\
color:inherit;font-variant-numeric:tabular-nums}
"""

# One turn is shown at a time. Whoever answers sees who was right, and all scores so far.
SCRIPT = """
document.querySelectorAll('[data-mb="%s"]:not([data-ready])').forEach(game=>{
game.dataset.ready='yes';
const turns=[...game.querySelectorAll('.mb-turn')],next=game.querySelector('.mb-next');
const say=game.querySelector('.mb-says'),cells=[...game.querySelectorAll('td')];
let now=0,score=[];
const show=()=>{turns.forEach((t,i)=>{t.hidden=i!==now});next.hidden=true};
const start=()=>{now=0;score=cells.map(()=>0);say.textContent='';
cells.forEach(c=>{c.textContent='0'});
game.querySelectorAll('.mb-turn button').forEach(b=>{b.disabled=false;b.className=''});
next.textContent='Next';show()};
game.addEventListener('click',e=>{
if(e.target===next){if(now+1<turns.length){now++;say.textContent='';show()}else start();
turns[now].querySelector('button').focus();return}
if(!e.target.dataset.k||e.target.disabled)return;
const turn=turns[now],buttons=[...turn.querySelectorAll('button')],right=+turn.dataset.right;
const all=[+e.target.dataset.k,...JSON.parse(turn.dataset.others)];
buttons.forEach((b,k)=>{b.disabled=true;if(k===right)b.className='mb-yes'});
all.forEach((k,i)=>{score[i]+=k===right;cells[i].textContent=score[i]+' of '+(now+1)});
const last=now+1===turns.length;
say.textContent=(all[0]===right?'Right. ':'No: '+buttons[right].textContent+'. ')
+turn.dataset.why+(last?' That was the last one. Your score: '+score[0]+' of '+turns.length+'.':'');
next.textContent=last?'Once more':'Next';next.hidden=false;next.focus()});
start()});
"""


class Turn(NamedTuple):
    """One turn of a :func:`game`.

    Parameters
    ----------
    prompt : str
        What is asked; a new line begins a new line.
    options : sequence of str
        What can be answered, two or more.
    right : int
        Which option is right, from 0.
    others : sequence of int
        Which option each of the other players takes.
    why : str
        What to say when the answer is there.
    """

    prompt: str
    options: Sequence[str]
    right: int
    others: Sequence[int]
    why: str = ""


def game(turns: Sequence[Turn], players: Sequence[str], *, caption: str) -> Html:
    """Let the reader play against others, one turn after the other; nothing is remembered.

    Parameters
    ----------
    turns : sequence of Turn
        In the order of playing.
    players : sequence of str
        Names of the others.
    caption : str
        Text below: what to compare in the end.

    Returns
    -------
    Html
        A displayable game. Without a script all turns are shown, and the right answers below.

    Raises
    ------
    ValueError
        If there is no turn, or one has no right option, or not one answer for each player.
    """
    if not turns:
        raise ValueError("a game needs at least one turn")
    for turn in turns:
        _require_whole(turn, players)
    key = key_of(repr((turns, caption)))
    scores = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>–</td></tr>' for name in ("you", *players)
    )
    answers = "; ".join(escape(turn.options[turn.right]) for turn in turns)
    content = (
        f'<figure class="mb-figure mb-game" {KEEP_KEYS} data-mb="{key}">'
        f"{''.join(map(_turn, turns))}"
        '<p class="mb-says" aria-live="polite"></p>'
        '<button type="button" class="mb-next" hidden>Next</button>'
        f"<table>{scores}</table>"
        f"<noscript>The right answers, in turn: {answers}.</noscript>"
        f"<figcaption>{escape(caption)}</figcaption></figure>\n<script>{SCRIPT % key}</script>"
    )
    return Html(content, summary=caption, style=GAME_STYLE)


def _require_whole(turn: Turn, players: Sequence[str]) -> None:
    count = len(turn.options)
    if not all(0 <= option < count for option in (turn.right, *turn.others)):
        raise ValueError(f"{turn.prompt!r} has {count} options, counted from 0; one is not there")
    if len(turn.others) != len(players):
        raise ValueError(
            f"{turn.prompt!r} has {len(turn.others)} answers of others; the players are "
            f"{', '.join(players)}"
        )


def _turn(turn: Turn) -> str:
    """Write one turn; its answers stand in the page's source, and nowhere else."""
    buttons = "".join(
        f'<button type="button" data-k="{k}">{escape(option)}</button>'
        for k, option in enumerate(turn.options)
    )
    return (
        f'<fieldset class="mb-turn" data-right="{turn.right}" data-others="{list(turn.others)}" '
        f'data-why="{escape(turn.why)}"><legend>{escape(turn.prompt)}</legend>{buttons}</fieldset>'
    )
