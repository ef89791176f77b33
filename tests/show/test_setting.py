"""What chapters stand on: shown source, counted operations, and stored records."""

import inspect

import pytest
import torch

from bertbook.core import show_source
from bertbook.core.exercises.verdict import Verdict
from bertbook.core.operations import count_operations
from bertbook.core.setting import is_stored
from bertbook.records import record_of, trained_folder
from minibert.reference import softmax
from minibert.training.step import training_step


def test_source_is_the_code_without_its_docstring_and_notes_to_the_type_checker():
    code = repr(show_source(softmax))
    assert code.startswith("def softmax(") and '"""' not in code and "np.exp" in code
    assert show_source(softmax)._repr_markdown_() == f"```python\n{code}\n```"
    assert repr(show_source(Verdict)).startswith("@dataclass(frozen=True)\nclass Verdict:")
    assert "  # pyright: ignore[" in inspect.getsource(training_step)
    assert "pyright" not in repr(show_source(training_step))


@pytest.mark.parametrize("value", ["", "0"])
def test_the_tests_run_chapters_as_stored_and_a_reader_has_her_own_kernel(monkeypatch, value):
    assert is_stored()
    monkeypatch.setenv("BOOK_STORED", value)
    assert not is_stored()


def test_a_view_counts_nothing_and_a_product_its_multiplications():
    left, right = torch.ones(2, 3), torch.ones(3, 4)
    assert count_operations(lambda: left.T.T @ right) == (1, 2 * 3 * 4)
    assert count_operations(lambda: (left + 1) @ right) == (2, 2 * 3 * 4)


@pytest.mark.parametrize(
    ("find", "there", "missing"),
    [
        (record_of, "toy_parts", ("toy_party", "../records/toy_parts/x", "")),
        (trained_folder, "small-world", ("small_world", "", ".", "../corpus", "one_word.json")),
    ],
)
def test_a_record_is_found_from_any_folder_and_a_wrong_name_is_told(
    tmp_path, monkeypatch, find, there, missing
):
    monkeypatch.chdir(tmp_path)
    assert find(there)
    for name in missing:
        with pytest.raises(ValueError, match=r"no (record|trained model) '.*'; there are \w+, "):
            find(name)
