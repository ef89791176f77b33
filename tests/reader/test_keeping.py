"""Keeping what a reader has written: in her file, with what it needs, or a sentence why not."""

import linecache
import re
import sys
from types import ModuleType

import numpy as np
import pytest
import torch
from accepted_styles import text_of

from bertbook.core.exercises.compare import answers_equal
from bertbook.core.exercises.verdict import Verdict
from bertbook.reader import keep, on_our_parts, running_on
from bertbook.reader.reader_file import run_reader_file
from minibert.fast import fast_parts
from minibert.model import BertPooler
from minibert.parts import override, part, replaced, use


class Notebook(ModuleType):
    """A notebook of the reader's: cells are run one after the other in one namespace."""

    def __init__(self):
        super().__init__("__notebook__")
        self.cells = []

    def run(self, cell):
        name = f"<cell {len(self.cells)} of {id(self)}>"
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        self.cells.append(cell)
        exec(compile(cell, name, "exec"), vars(self))


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    """Open a notebook in a folder of its own, as a reader does."""
    opened = Notebook()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("BOOK_STORED")
    monkeypatch.delenv("BOOK_MINE", raising=False)
    monkeypatch.setitem(sys.modules, "__notebook__", opened)
    vars(opened).update(keep=keep)
    yield opened
    sys.modules.pop("my_bert", None)


def text(folder):
    return (folder / "my_bert.py").read_text(encoding="utf-8")


LAYER = """
import math
import torch
from torch import nn
from torch.nn import functional as F
from minibert.attention import BertAttention
from minibert.parts import override, part

EPSILON = 1e-12

class MyIntermediate(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, x):
        return F.gelu(self.dense(x))  # (batch, seq, intermediate)

def my_bend(x):
    return x * EPSILON / math.pi + torch.zeros(1)

class MyLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = part(BertAttention)(config)
        self.intermediate = MyIntermediate(config)

    def forward(self, x):
        return my_bend(self.intermediate(self.attention(x)))
"""


def test_a_class_goes_with_its_imports_and_with_what_it_uses(notebook, tmp_path, capsys):
    notebook.run(LAYER)
    notebook.run("keep(MyLayer)")
    assert (
        "Kept in my_bert.py: MyLayer, with MyIntermediate and my_bend." in capsys.readouterr().out
    )
    kept = text(tmp_path)
    for line in ("import math", "from torch.nn import functional as F", "EPSILON = 1e-12"):
        assert kept.count(f"\n{line}\n") == 1
    assert "# (batch, seq, intermediate)" in kept
    assert list(run_reader_file()) == ["MyIntermediate", "my_bend", "MyLayer"]


def test_a_second_keeping_replaces_the_first_and_nothing_else(notebook, tmp_path):
    notebook.run("def my_one():\n    return 1\n\nkeep(my_one)")
    path = tmp_path / "my_bert.py"
    path.write_text(text(tmp_path) + "\n\n# a note of hers\nmy_favorite = my_one()\n")
    notebook.run("def my_one():\n    return 2\n\nkeep(my_one)\nkeep(my_one)")
    assert text(tmp_path).count("def my_one") == 1
    assert "# a note of hers\nmy_favorite = my_one()" in text(tmp_path)
    assert vars(sys.modules["my_bert"] if run_reader_file() else None)["my_favorite"] == 2


def test_each_stands_after_what_it_is_made_of(notebook, tmp_path):
    notebook.run("class MyOutput:\n    size = 1\n\nmy_none = None")
    sys.modules["__main__"].In = notebook.cells  # what IPython remembers
    notebook.run("keep(MyOutput)")
    notebook.run("class MyFrame:\n    pass\n\nclass MyOutput(MyFrame):\n    def f(self): return 1")
    notebook.run("keep(MyOutput)\nclass MyFrame:\n    def g(self): return 3\n\nkeep(MyFrame)")
    del sys.modules["__main__"].In
    assert text(tmp_path).count("class ") == 2
    assert run_reader_file()["MyOutput"]().g() == 3


def test_what_stands_in_the_file_is_taken_from_there(notebook, tmp_path):
    notebook.run("class MyFrame:\n    def g(self): return 3\n\nkeep(MyFrame)\nimport my_bert")
    notebook.run("from my_bert import MyFrame\nclass MyOutput(MyFrame):\n    def f(self): return 1")
    notebook.run("keep(MyOutput)")
    assert "my_bert import" not in text(tmp_path)
    assert run_reader_file()["MyOutput"]().g() == 3


FIRST = """
from math import sqrt
SIZE = 2

def my_root(x):
    return sqrt(x) + SIZE
"""
SECOND = """
from torch import nn, sqrt
SIZE = 3

class MyRoot(nn.Module):
    size = 1

    def forward(self, x):
        \"\"\"Take the root.\"\"\"
        return sqrt(x) + self.size

    def more(self, sqrt):
        return sqrt + SIZE
"""


def test_a_name_may_mean_two_things_in_one_file(notebook, tmp_path):
    notebook.run(f"{FIRST}\nkeep(my_root)")
    for _ in range(2):
        notebook.run(f"{SECOND}\nkeep(MyRoot)")
    kept = run_reader_file()
    assert kept["my_root"](4) == 4
    assert kept["MyRoot"]().forward(torch.tensor(9.0)) == 4 and kept["MyRoot"]().more(1) == 4
    assert text(tmp_path).count("        from torch import sqrt\n") == 1
    assert text(tmp_path).count("        SIZE = 3\n") == 1
    notebook.run(f"{FIRST}\nkeep(my_root)")
    assert run_reader_file()["my_root"](4) == 4


def test_a_name_of_two_meanings_that_no_function_can_keep_apart(notebook, tmp_path, capsys):
    notebook.run(f"{FIRST}\nkeep(my_root)")
    notebook.run(
        "SIZE = 3\nclass MySize:\n    size = SIZE\n    def f(self): return 1\nkeep(MySize)"
    )
    assert "MySize uses SIZE, which is something else in the file" in capsys.readouterr().out
    assert "MySize" not in text(tmp_path)


def test_a_name_that_a_library_calls_otherwise(notebook, tmp_path):
    notebook.run(
        "import numpy as np\nfrom torch import softmax as soft\nfrom torch.nn import Linear\n"
        "from numpy import exp\n@np.vectorize\ndef other(x): return x\n"
        "def my_f(x):\n    return soft(Linear(np.pi, exp(x)), dim=-1)\n\nkeep(my_f)"
    )
    for line in ("import numpy as np", "from torch import softmax as soft",
                 "from torch.nn import Linear", "from numpy import exp"):  # fmt: skip
        assert f"\n{line}\n" in text(tmp_path)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (None, "my_bert.py cannot be read as Python: '(' was never closed"),
        ("keep(lambda x: x)", "A lambda has no name to find it by"),
        ("def softmax(x): return x\nkeep(softmax)", "call softmax my_softmax"),
        ("class Layer:\n    def f(self): return 1\nkeep(Layer)", "call Layer MyLayer"),
        ("class MyLayer:\n    def forward(self, x): return x\nkeep(MyLayer)",
         "MyLayer has a forward and is no nn.Module. Write class MyLayer"),
        ("class MyLayer:\n    def f(self): return 1\nkeep(MyLayer())", "without a call: keep.MyLa"),
        ("exec('def my_f(): return 1')\nkeep(my_f)", "The code of my_f cannot be found"),
        ("class MyA:\n    def f(self):\n        'Do.'\n        ...\nkeep(MyA)", "MyA still has"),
        ("def my_f(): return wrods\nkeep(my_f)", "my_f uses wrods, which is nowhere defined"),
        ("import torch\nx = torch.ones(1)\ndef my_f(): return x\nkeep(my_f)",
         "my_f uses x, a Tensor of this notebook"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_told(notebook, tmp_path, capsys, cell, words):
    before = "" if cell else "import torch\nclass MyLayer(\n"
    (tmp_path / "my_bert.py").write_text(before, encoding="utf-8")
    notebook.run(cell or "def my_f(): return 1\nkeep(my_f)")
    out = capsys.readouterr().out
    assert out.startswith("Not kept. ")
    assert words.replace("keep.", "keep(") in out
    assert text(tmp_path) == before


def test_only_what_is_right_is_kept_and_the_stored_book_keeps_nothing(
    notebook, tmp_path, capsys, monkeypatch
):
    notebook.run("def my_f(): return 1")
    keep(notebook.my_f, Verdict(False, "Not yet."))
    assert capsys.readouterr().out == "Not yet.\n"
    assert not (tmp_path / "my_bert.py").exists()
    keep(notebook.my_f, Verdict(True, "Right."))
    assert capsys.readouterr().out == "Right. Kept in my_bert.py: my_f.\n"
    (tmp_path / "my_bert.py").unlink()
    monkeypatch.setenv("BOOK_STORED", "1")
    keep(notebook.my_f)
    assert "In a notebook of your own, my_f now stands in my_bert.py." in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


# --- Running on it -------------------------------------------------------------------------------

POOLER = """
from torch import nn

class MyPooler(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x):
        return self.dense(x[:, 0]).tanh()
"""


@pytest.fixture
def stage():
    """Give every role back to ours."""
    yield
    use({role: role for role in replaced()})


@pytest.mark.usefixtures("stage")
def test_what_is_kept_plays_until_it_is_kept_no_more(notebook, tmp_path, capsys):
    running_on()
    with override(fast_parts()):
        assert on_our_parts()
    notebook.run(f"{POOLER}\nkeep(MyPooler)")
    assert on_our_parts()  # it plays from the next `running_on` on
    with override({BertPooler: notebook.MyPooler}):
        assert not on_our_parts()
    assert running_on() is None
    assert part(BertPooler).__module__ == "my_bert"
    with override(fast_parts()):
        assert not on_our_parts()
    (tmp_path / "my_bert.py").unlink()
    running_on()
    ours, _, hers, again = capsys.readouterr().out.splitlines()
    assert ours == again == "Running on: our parts."
    assert hers == "Running on: your pooler, ours for the rest."
    assert replaced() == {}


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize(
    ("without", "end"),
    [
        ((), "your pretraining: every part of the model is yours."),
        (("MySelfOutput", "MyPooler"), "your pretraining, our self output and our pooler."),
    ],
)
def test_what_is_still_ours_is_named_if_it_is_little(notebook, tmp_path, capsys, without, end):
    text = text_of()
    for name in without:  # a name that begins otherwise plays no part
        text = re.sub(rf"\b{name}\b", f"_{name}", text)
    (tmp_path / "my_bert.py").write_text(text, encoding="utf-8")
    running_on()
    line = capsys.readouterr().out
    without_torchs = re.sub(r", your (layer norm|dropout)", "", line)
    assert without_torchs.endswith(f"{end}\n"), line


def test_functions_of_hers_take_the_place_of_ours(notebook, capsys):
    notebook.run("def my_softmax(x):\n    return x + 1\n\nkeep(my_softmax)")
    capsys.readouterr()
    my = running_on(softmax=abs, attention=max)
    assert capsys.readouterr().out == "Running on: your softmax, our attention.\n"
    assert my.softmax(-1) == 0
    assert my.attention is max


@pytest.mark.usefixtures("stage", "unchecked")
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("1 / 0\n", "my_bert.py stopped with ZeroDivisionError: division by zero. Until it is men"),
        ("class MyPooler:\n    pass\n", "write class My…(nn.Module)"),
        (
            "class MyPoler:\n    pass\n",
            "MyPoler is named after no part of a BERT; call it My and the",
        ),
    ],
)
def test_what_cannot_play_is_told(notebook, tmp_path, capsys, file, words):
    (tmp_path / "my_bert.py").write_text(file)
    running_on()
    out = capsys.readouterr().out
    assert words in out
    assert out.endswith("Running on: our parts.\n")


@pytest.mark.usefixtures("stage")
def test_the_stored_book_runs_on_ours_or_on_the_file_that_is_named(
    notebook, tmp_path, capsys, monkeypatch
):
    (tmp_path / "my_bert.py").write_text(POOLER)
    monkeypatch.setenv("BOOK_STORED", "1")
    running_on()
    assert capsys.readouterr().out == "Running on: our parts.\n"
    monkeypatch.setenv("BOOK_MINE", str(tmp_path / "my_bert.py"))
    running_on()
    assert capsys.readouterr().out == "Running on: your pooler, ours for the rest.\n"
    (tmp_path / "my_bert.py").write_text("class MyPooler:\n    pass\n")
    with pytest.raises(TypeError, match=r"derived from .* class My…\(nn\.Module\)"):
        running_on()
    monkeypatch.setenv("BOOK_MINE", str(tmp_path / "none.py"))
    with pytest.raises(ValueError, match=r"there is no file .*none\.py"):
        running_on()


# --- The types of results ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "hers"),
    [
        (lambda x: x * 2.0, "[2.0 * n for n in x]"),
        (lambda x: x * 2.0, "__import__('torch').tensor([2.0 * n for n in x])"),
        (lambda x: torch.tensor(x * 2.0), "[2.0 * n for n in x]"),
        (lambda x: (x * 2.0, x.sum()), "[[2.0 * n for n in x], sum(x)]"),
        (lambda x: [*x.tolist()], "tuple(x.tolist())"),
        (lambda x: float(x.mean()), "__import__('fractions').Fraction(2)"),
        (lambda x: ["a", "b"], "('a', 'b')"),
    ],
)
def test_an_answer_has_the_types_of_ours(ours, hers, notebook):
    notebook.run(f"def my_double(x):\n    return {hers}\n\nkeep(my_double)")
    x = np.array([1.0, 2.0, 3.0])
    found, wanted = running_on(double=ours).double(x), ours(x)
    assert answers_equal(found, wanted, 1e-9)
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple):
        assert [type(each) for each in found] == [type(each) for each in wanted]


def test_what_cannot_be_copied_is_passed_on_and_ours_draws_no_random_number_of_hers(notebook):
    notebook.run("def my_first(rows):\n    return next(rows)\n\nkeep(my_first)")
    assert running_on(first=next).first(n for n in [3, 4]) == 3
    notebook.run("import torch\n\ndef my_draw():\n    return torch.rand(2)\n\nkeep(my_draw)")
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    assert torch.equal(running_on(draw=lambda: torch.rand(2)).draw(), expected)
