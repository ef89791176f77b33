"""A chapter is stored, or it is read."""

import pytest

from bertbook.show.setting import is_stored


@pytest.mark.parametrize("value", [None, "", "0"])
def test_the_tests_run_chapters_as_stored_and_a_reader_has_her_own_kernel(monkeypatch, value):
    assert is_stored()
    monkeypatch.delenv("BOOK_STORED")
    if value is not None:
        monkeypatch.setenv("BOOK_STORED", value)
    assert not is_stored()
