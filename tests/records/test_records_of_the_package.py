"""What chapters read is found by its name, wherever they stand."""

import pytest

from bertbook.records import record_of, record_path, trained_folder


def test_a_chapter_finds_its_record_in_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert record_of("toy_parts")["rows"]
    assert record_path("toy_parts").is_file()
    assert {path.name for path in trained_folder("small-world").iterdir()} == {
        "config.json", "model.safetensors", "vocab.txt"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["toy_party", "../records/toy_parts/x", ""])
def test_a_record_that_is_none_is_told_with_those_that_are(name):
    with pytest.raises(ValueError, match=r"no record '.*'; there are answers, classify, .*order"):
        record_of(name)


@pytest.mark.parametrize("name", ["small_world", "", ".", "../corpus", "one_word.json"])
def test_a_model_that_is_none_is_told_with_those_that_are(name):
    with pytest.raises(ValueError, match=r"no trained model '.*'; there are english, small-w"):
        trained_folder(name)
