"""A chapter is stored, or it is read."""

import pytest

from bertbook.show.setting import is_stored


def test_the_tests_run_chapters_as_they_are_stored() -> None:
    assert is_stored()


@pytest.mark.parametrize("value", [None, "", "0"])
def test_a_reader_has_a_kernel_of_her_own(monkeypatch: pytest.MonkeyPatch, value) -> None:
    monkeypatch.delenv("BOOK_STORED")
    if value is not None:
        monkeypatch.setenv("BOOK_STORED", value)
    assert not is_stored()
