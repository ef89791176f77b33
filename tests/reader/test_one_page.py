"""BERT on one page, written with the reader's own classes."""

import re
import runpy
from types import SimpleNamespace

import bert
import pytest
import torch
from readers_copy import file_before
from solutions import file_of_solutions

from bertbook.reader.one_page import PAGE, main, one_page

IMPORTS = "import math\nimport numpy as np\nimport torch\nfrom torch import nn\n"
HELPED = f"""{IMPORTS}
WIDTH = 4


def my_bend(x):
    return torch.nn.functional.gelu(x) + 0 * np.float32(WIDTH)


class MyIntermediate(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, hidden_states):
        return my_bend(self.dense(hidden_states))
"""
LINE = "from minibert.attention import fit_mask"
FOREIGN = HELPED.replace("import math", LINE).replace("return my_b", "return fit_mask and my_b")
INSIDE = HELPED.replace("return my_b", f"{LINE}\n        return fit_mask and my_b")
NEEDED = "MyIntermediate is left out: it needs fit_mask of minibert.attention"


def written(folder, text):
    path = folder / "my_bert.py"
    path.write_text(text, encoding="utf-8")
    return path


def run(text, folder):
    """Run a page under a name of its own."""
    path = folder / "some_page.py"
    path.write_text(text, encoding="utf-8")
    return SimpleNamespace(**runpy.run_path(str(path), run_name="some_page"))


def small(page):
    torch.manual_seed(0)
    return page.BertForPreTraining(
        page.BertConfig(
            vocab_size=19, hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=12, max_position_embeddings=9,
        )
    )  # fmt: skip


def loss_and_gradients(page):
    model = small(page).eval()
    ids = torch.arange(1, 13).view(2, 6)
    mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    loss = model(ids, mask, labels=ids, next_sentence_label=torch.tensor([0, 1])).loss
    loss.backward()
    return [loss, *(parameter.grad for parameter in model.parameters())]


@pytest.mark.slow
def test_the_page_of_the_solutions_is_the_page(tmp_path):
    page = one_page(written(tmp_path, file_of_solutions()))
    assert page.problems == []
    assert len(page.used) == 15
    assert "minibert" not in page.text
    assert not [name for name in page.used if name in page.text]
    own = loss_and_gradients(run(page.text, tmp_path))
    for number, other in zip(own, loss_and_gradients(bert), strict=True):
        torch.testing.assert_close(number, other)


def test_one_class_goes_with_what_it_needs(tmp_path):
    page = one_page(written(tmp_path, HELPED))
    assert page.used == ["MyIntermediate"]
    assert page.problems == []
    assert page.text.count("import numpy as np\n") == 1
    assert page.text.count("import torch\n") == 1  # in the try of the page, before hers
    assert page.text.index("except KeyboardInterrupt") < page.text.index("import numpy")
    assert page.text.index("WIDTH = 4") < page.text.index("def my_bend")
    assert page.text.index("def my_bend") < page.text.index("class BertIntermediate(nn.Module):")
    assert "class BertLayer(nn.Module):  # 9" in page.text
    own = loss_and_gradients(run(page.text, tmp_path))
    for number, other in zip(own, loss_and_gradients(bert), strict=True):
        torch.testing.assert_close(number, other)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (FOREIGN, NEEDED),
        (INSIDE, NEEDED),
        (HELPED.replace("self.dense", "self.wide"), "it lacks dense.weight"),
        (HELPED.replace("MyIntermediate", "MyDropout"), "MyDropout is left out: "),
    ],
)
def test_what_cannot_play_its_part_is_left_out(tmp_path, wrong, problem):
    page = one_page(written(tmp_path, wrong))
    assert page.text == PAGE.read_text(encoding="utf-8")
    assert problem in page.problems[0]


def test_the_result_is_written_and_counted_if_there_is_any(tmp_path, capsys):
    result = tmp_path / "page.py"
    assert main(tmp_path / "my_bert.py", result) == 1
    assert main(path := written(tmp_path, FOREIGN), result) == 1
    told = capsys.readouterr().out.splitlines()
    assert "there is no file" in told[0]
    assert told[1:] == [
        f"{NEEDED}.",
        f"Nothing of {path} can stand on the page, so none is written.",
    ]
    assert not result.exists()
    assert main(written(tmp_path, HELPED), result) == 0
    lines = len(result.read_text(encoding="utf-8").splitlines())
    assert capsys.readouterr().out == f"{result} has {lines} lines; yours are MyIntermediate.\n"


@pytest.mark.slow
def test_a_file_that_was_kept_along_the_chapters(tmp_path):
    """It has functions in numpy as well, whose names mean other things than in its classes."""
    page = one_page(written(tmp_path, file_before(13)))
    assert page.problems == []
    assert "minibert" not in "".join(re.findall(r"^.*import .*$", page.text, re.MULTILINE))
    small(run(page.text, tmp_path))


def test_the_page_never_takes_the_place_of_the_file_it_is_made_of(tmp_path, capsys):
    path = written(tmp_path, HELPED)
    before = path.read_bytes()
    (tmp_path / "page.py").symlink_to(path.name)
    assert main(path, tmp_path / "page.py") == 1
    assert "which is read; name another file" in capsys.readouterr().out
    assert path.read_bytes() == before
