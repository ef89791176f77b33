"""A field to type into: the reader's number, vector or word, and a reply to it. Chapter 1."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from .html import KEEP_KEYS, Html, key_of, with_minus

FIELD_STYLE = """
.mb-ask{border:1px solid var(--pst-color-border,var(--jp-border-color2,#bbb));border-radius:8px;\
padding:1em;margin:1em 0;min-width:0}
.mb-ask legend{float:left;width:100%;font-size:1em;font-weight:600;margin:0 0 .6em;padding:0}
.mb-ask legend+*{clear:both}
.mb-try{display:flex;flex-wrap:wrap;gap:.5em .8em;align-items:center}
.mb-ask [hidden]{display:none}
.mb-try label{display:flex;gap:.5em;align-items:center;margin:0;min-width:0;white-space:nowrap}
.mb-try :is(input,button){font:inherit;color:inherit;background:none;border:1px solid currentColor;\
border-radius:6px;box-sizing:border-box;height:36px;padding:0 .6em}
.mb-try input{width:6em;min-width:0;font-variant-numeric:tabular-nums}
.mb-try .mb-word{width:16em}
.mb-try input[aria-invalid]{border-color:#c8681e;box-shadow:0 0 0 1px #c8681e}
.mb-try button{cursor:pointer}
.mb-ask .mb-reply{margin:.7em 0 0;padding-left:.8em;border-left:3px solid #c8681e}
.mb-ask .mb-reply:empty{margin:0;border:0}
.mb-reply.mb-right{border-color:#2a8f5b}
.mb-ask details{margin:.7em 0 0}
.mb-ask summary{cursor:pointer}
.mb-ask details p{margin:.4em 0 0}
"""

# Reads what people write for a number, judges it, and replies. A percent sign divides by 100; where
# the answer itself is above 1, 50% may also mean 50. A comma is a decimal comma, or one of
# thousands: the reading that is closer to the answer counts.
SCRIPT = r"""
document.querySelectorAll('[data-mb="KEY"]:not([data-ready])').forEach(field=>{
field.dataset.ready='yes';
const {answer,mistakes,tolerance,why}=JSON.parse(field.dataset.answer);
const boxes=[...field.querySelectorAll('input')],fold=field.querySelector('details');
const reply=field.querySelector('[role=status]'),isWord=typeof answer==='string';
field.querySelector('.mb-try').hidden=false;fold.hidden=true;
const say=(word,text,right)=>{reply.classList.toggle('mb-right',!!right);
const strong=document.createElement('strong');strong.textContent=word;
reply.replaceChildren(strong,' '+text)};
const decimal=t=>/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(t)?+t:NaN;
const fraction=t=>{const parts=t.split('/').map(decimal);
return parts.length>2?NaN:parts.length>1?parts[0]/parts[1]:parts[0]};
const readings=(text,target)=>{
const plain=text.replace(/[−–]/g,'-').replace(/^[\s=≈~[(]+|[\s…\])]+$|\.{3}$/g,'');
const bare=plain.replace(/\s*%$/,'').replace(/\s*\/\s*/g,'/').replace(/^([+-])\s+/,'$1');
const found=[fraction(bare.replace(/(\d*),(?=\d)/g,'$1.'))];
if(/^[+-]?[1-9]\d{0,2}([,\s_'’]\d{3})+(\.\d+)?$/.test(bare))
found.push(decimal(bare.replace(/[,\s_'’]/g,'')));
const values=plain.endsWith('%')?found.flatMap(x=>Math.abs(target)>1?[x/100,x]:[x/100]):found;
return values.filter(Number.isFinite)};
const read=(text,target)=>readings(text,target).reduce((best,x)=>
Math.abs(x-target)<Math.abs(best-target)?x:best,Infinity);
const fits=(text,target)=>
Math.abs(read(text,target)-target)<=tolerance+1e-9*Math.max(1,Math.abs(target));
const tidy=text=>{const words=text.toLowerCase().replace(/[[\](){}'"`“”‘’]/g,'')
.replace(/[\s,;]+/g,' ').trim();return words.replace(/(.)[.!]$/,'$1')||text.trim()};
const isLike=(texts,value)=>isWord?tidy(texts[0])===tidy(value):
[value].flat().every((entry,i)=>fits(texts[i],entry));
const spread=()=>{const [first,...others]=boxes;
if(!others.length||others.some(box=>box.value.trim()))return;
const bare=first.value.trim().replace(/^[[({]|[\])}]$/g,'').trim();
for(const cut of [/\s*;\s*|,?\s+/,/\s*,\s*/]){const parts=bare.split(cut);
if(parts.length===boxes.length&&parts.every(Boolean))
return boxes.forEach((box,i)=>box.value=parts[i])}};
const side=(x,target)=>x>target?'too large':'too small';
const onNumber=(text,target)=>{const x=read(text,target),gap=Math.abs(x-target);
if(target&&fits(text,-target))return 'The size is right. Look at the sign.';
if(target&&Math.abs(x/100-target)<=tolerance)
return `${text} is a hundred times the answer. Is it in percent?`;
if(gap<=Math.max(4*tolerance,.05*Math.abs(target)))
return `${text} is close, but a little ${side(x,target)}. Keep more digits on the way.`;
return `${text} is ${side(x,target)}.`};
const onVector=(texts,wrong)=>{
const sorted=values=>[...values].sort((a,b)=>a-b);
const mine=sorted(texts.map((t,i)=>read(t,answer[i])));
if(sorted(answer).every((x,i)=>Math.abs(x-mine[i])<=tolerance))
return 'These are the right numbers in another order.';
const names=wrong.map(i=>i+1).join(', ').replace(/, (\d+)$/,' and $1');
return `${answer.length-wrong.length} of ${answer.length} entries are right. `+
`Look again at ${wrong.length>1?'entries':'entry'} ${names}.`};
const judge=()=>{spread();
const texts=boxes.map(box=>box.value.trim()),targets=[answer].flat();
boxes.forEach(box=>box.removeAttribute('aria-invalid'));
const mark=i=>boxes[i].setAttribute('aria-invalid','true');
if(texts.some(Boolean))fold.hidden=false;
const empty=texts.indexOf('');
if(empty>=0){boxes[empty].focus();
const count=texts.filter(text=>!text).length;
return say('Not yet.',boxes.length>1?`${count} of ${boxes.length} boxes are empty.`:
'Type an answer first. A guess will do.')}
const strange=isWord?-1:texts.findIndex(text=>!readings(text,0).length);
if(strange>=0){mark(strange);boxes[strange].focus();
return say('Not a number:',`“${texts[strange]}”. Write, for example, 0.25, 1/4, 25% or −2.`)}
if(isLike(texts,answer))return say('Right.',why,true);
const known=mistakes.find(([value])=>isLike(texts,value));
const wrong=isWord?[0]:targets.map((_,i)=>i).filter(i=>!fits(texts[i],targets[i]));
wrong.forEach(mark);
say('Not yet.',known?known[1]:isWord?`“${texts[0]}” is not it. Look once more, or try another.`:
texts.length>1?onVector(texts,wrong):onNumber(texts[0],targets[0]))};
field.querySelector('button').addEventListener('click',judge);
field.addEventListener('keydown',e=>{
if(e.key==='Enter'&&e.target.matches('input')){e.preventDefault();judge()}})});
"""


def ask(
    question: str,
    answer: Any,
    *,
    why: str,
    tolerance: float = 0.005,
    mistakes: Sequence[tuple[Any, str]] = (),
) -> Html:
    """Ask for a number, a vector or a word, and reply to what the reader types.

    The answer and the reason can be shown after one try. Nothing is stored or sent.

    Parameters
    ----------
    question : str
        The question, plain text.
    answer : number, sequence of numbers, or str
        One number, one for each box, or words; in words neither case, quotation marks, brackets
        nor commas count.
    why : str
        How one finds the answer.
    tolerance : float
        How far a number may be off.
    mistakes : sequence of pairs (value, reply)
        Usual wrong answers of the same kind, and what to say to each.

    Returns
    -------
    Html
        A displayable question.

    Raises
    ------
    ValueError
        If a text is empty, or a mistake is of another kind than the answer or is right.
    """
    if not all(text.strip() for text in (question, why, *(reply for _, reply in mistakes))):
        raise ValueError(f"the question {question!r} needs a text, a reason and full replies")
    if tolerance < 0:
        raise ValueError(f"tolerance is {tolerance:g}; it must be at least 0")
    target = _plain(answer)
    usual = [(_plain(value), reply) for value, reply in mistakes]
    for value, _ in usual:
        _refuse_bad_mistake(value, target, tolerance)
    facts = {"answer": target, "mistakes": usual, "tolerance": tolerance, "why": why}
    told = json.dumps(facts, ensure_ascii=False)
    key = key_of(question, told)
    content = (
        f'<fieldset class="mb-ask" {KEEP_KEYS} data-mb="{key}" data-answer="{escape(told)}">'
        f"<legend>{escape(question)}</legend>"
        f'<div class="mb-try" hidden>{_boxes(target)}<button type="button">Check</button></div>'
        f'<p class="mb-reply" role="status"></p>'
        f"<details><summary>Show me</summary><p><strong>{escape(_written(target, tolerance))}"
        f"</strong> {escape(why)}</p></details></fieldset>"
        f"\n<script>{SCRIPT.replace('KEY', key)}</script>"
    )
    return Html(content, summary=question, style=FIELD_STYLE)


def _plain(answer: Any) -> float | list[float] | str:
    """Turn an answer into what JSON can hold."""
    if isinstance(answer, str):
        if not answer.strip():
            raise ValueError("an answer in words is empty")
        return answer
    values = np.asarray(answer)
    if values.ndim > 1 or values.size == 0 or values.dtype.kind not in "iuf":
        raise ValueError(
            f"an answer is a number, a vector of numbers or a string, not {answer!r} "
            f"of shape {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"nobody can type {answer!r}; an answer is finite")
    return values.tolist()


def _refuse_bad_mistake(value: Any, target: Any, tolerance: float) -> None:
    """Complain about a mistake that no reader can make."""
    if isinstance(value, str) != isinstance(target, str) or np.shape(value) != np.shape(target):
        raise ValueError(f"the mistake {value!r} is of another kind than the answer {target!r}")
    if isinstance(value, str):
        is_right = value.lower() == target.lower()
    else:
        is_right = bool(np.all(np.abs(np.subtract(value, target)) <= tolerance))
    if is_right:
        raise ValueError(f"the mistake {value!r} counts as the answer {target!r}: it is right")


def _boxes(target: float | list[float] | str) -> str:
    """Write one labeled field for each entry."""
    kind = 'class="mb-word" ' if isinstance(target, str) else ""
    labels = ["Your answer"]
    if isinstance(target, list):
        labels = [f"Entry {i}" for i in range(1, len(target) + 1)]
    return "".join(
        f'<label>{label} <input {kind}type="text" autocomplete="off" autocapitalize="off" '
        'spellcheck="false" enterkeyhint="done"></label>'
        for label in labels
    )


def _written(target: float | list[float] | str, tolerance: float) -> str:
    """Write an answer with as many digits as the tolerance asks for."""
    if isinstance(target, str):
        return f"{target}."
    digits = max(0, math.ceil(-math.log10(2 * tolerance))) if tolerance else 6
    numbers = target if isinstance(target, list) else [target]
    texts = [with_minus(n, 0 if n == int(n) else digits) for n in numbers]
    return f"{', '.join(texts)}."
