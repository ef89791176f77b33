"""Tricks that run, pass the checker, and earn nothing: what an answer reaches for is read."""

from pathlib import Path

import pytest

from berttools.grade.exercises import tasks_of
from berttools.grade.reach import ours_in, reached_for
from berttools.grade.trial import Limits, on_trial

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
SOFTMAX = tasks_of(CHAPTERS / "02-self-attention-by-hand.ipynb")[0]
LAYER = {task.name: task for task in tasks_of(CHAPTERS / "09-the-layer.ipynb")}["MyLayer"]
WRONG = "def my_softmax(scores):\n    {}\n    return scores\n"
ABOVE = """
    import sys
    from bertbook.core.exercises.verdict import Verdict
    sys.modules["above_my_softmax"].check_softmax = lambda function: Verdict(True, "Right.")"""
WANTED = """
class Mirror:
    def detach(self): return self
    def cpu(self): return self
    def numpy(self):
        import sys
        frame = sys._getframe()
        while "want" not in frame.f_locals: frame = frame.f_back
        return frame.f_locals["want"]
def my_softmax(scores): return Mirror()
"""
REPLACED = """
    import json
    json.dumps = lambda *some, **more: '[true, "Right."]'"""
PIPE = """
    from multiprocessing.connection import Connection
    send = Connection.send_bytes
    Connection.send_bytes = lambda self, content, *more: send(self, content[:16] + b"+Right.")"""
BLIND = """
    import sys
    import bertbook.core.exercises.exercise as exercise
    def same(): return __import__("sys")._getframe(1).f_locals["before"]
    sys.modules["berttools.grade.trial"].state_of_modules.__code__ = same.__code__
    exercise._same.__code__ = (lambda *some: True).__code__"""
ASKED = """
    from bertbook.topics.self_attention.checks import check_softmax
    return check_softmax.right(scores)"""
EASY = """
    import gc
    [object.__setattr__(one, "rtol", 1e9) for one in gc.get_objects() if hasattr(one, "rtol")]"""
EQUAL = """
class Equal(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __sub__(self, other): return 0.0
    def __abs__(self): return 0.0
def my_softmax(scores): return [Equal(7)] * len(scores)
"""
ENDLESS = """
    import os, sys
    frame = sys._getframe()
    while "answer" not in frame.f_locals: frame = frame.f_back
    os.write(frame.f_locals["answer"].fileno(), (4000).to_bytes(4, "big") + b"abc")
    while True: pass"""
ELSEWHERE = """
    import os
    os.fstat({})"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        *map(WRONG.format, (ABOVE, REPLACED, PIPE, BLIND, ASKED, EASY)),
        *(WANTED, EQUAL),
        WRONG.format("f = getattr(my_softmax, '__glo' + 'bals__'); return f['check_softmax'].right")
        + "\n",
    ],
)
def test_a_trick_earns_nothing(code):
    reply = on_trial(SOFTMAX, code, CHAPTERS, Limits())
    assert not reply.passed and reply.message


@pytest.mark.slow
def test_a_reply_that_never_ends_is_not_waited_for():
    reply = on_trial(SOFTMAX, WRONG.format(ENDLESS), CHAPTERS, Limits(seconds=2))
    assert not reply.passed


def test_what_the_grader_has_open_is_closed(tmp_path):
    with (tmp_path / "grades.csv").open("w", encoding="utf-8") as file:
        code = WRONG.format(ELSEWHERE.format(file.fileno()))
        reply = on_trial(SOFTMAX, code, CHAPTERS, Limits())
    assert not reply.passed and "Bad file descriptor" in reply.message


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "from minibert.layer import BertLayer as MyLayer\n",
        "from minibert.layer import BertLayer\nclass MyLayer(BertLayer): pass\n",
        "import minibert.layer as there\nclass MyLayer(there.BertLayer): pass\n",
        "from minibert.parts import part\nMyLayer = part(BertLayer)\n",
    ],
)
def test_the_class_of_the_book_is_no_answer(code):
    reply = on_trial(LAYER, code, CHAPTERS, Limits())
    assert not reply.passed and "of the book, which is the answer itself" in reply.message


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import numpy as np\nfrom os import path\ndef f(x): return np.exp(x) + path.sep", ""),
        ("import re\ndef f(model, x): return model.eval()(re.compile(x))", ""),
        ("def f(thing, name): return getattr(thing, name)", ""),
        ("def check_shapes(x): return x\ndef f(x): return check_shapes(x)", ""),
        ("class A:\n    def __init__(self): super().__init__()", ""),
        ("import sys", "sys"),
        ("from gc import get_objects", "gc.get_objects"),
        ("def f(x): return check_softmax.right(x)", "check_softmax"),
        ("import bertbook.core.exercises.compare", "bertbook.core.exercises.compare"),
        ("from bertbook import checks", "bertbook.core.exercises"),
        ("import bertbook\ndef f(x): return bertbook.core.exercises", "bertbook.core.exercises"),
        ("import os\ndef f(x): return os.sys", "sys"),
        ("def f(x): return exec(x)", "exec"),
        ("def f(x): return getattr(x, 'f_locals')", "f_locals"),
        ("def f(x): return getattr(x, 'f_' + 'locals')", "getattr of a name that it puts together"),
        ("def f(x): return f.__globals__", "__globals__"),
    ],
)
def test_what_no_answer_needs_is_named(code, found):
    assert reached_for(code) == found


def test_what_is_ours_is_listed_with_its_import():
    above = "from minibert.parts import part\nimport numpy as np"
    code = "from minibert.activations import gelu as g\n"
    code += "def f(x): return np.tanh(g(part(BertLayer)(x)))"
    assert {thing for _, thing in ours_in(code, above)} >= {"g", "part", "part(BertLayer)"}
    assert ours_in("def f(x): return np.tanh(x)", above) == []
