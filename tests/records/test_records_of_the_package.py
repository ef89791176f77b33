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


@pytest.mark.parametrize(
    ("find", "name", "words"),
    [
        *((record_of, n, r"no record '.*'; there are answers, classify, .*order")
          for n in ("toy_party", "../records/toy_parts/x", "")),
        *((trained_folder, n, r"no trained model '.*'; there are english, small-w")
          for n in ("small_world", "", ".", "../corpus", "one_word.json")),
    ],
)  # fmt: skip
def test_what_is_not_there_is_told_with_what_is(find, name, words):
    with pytest.raises(ValueError, match=words):
        find(name)
