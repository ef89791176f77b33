"""Text files are read as they are meant, or refused with their line and their byte."""

import pytest

from minibert.text_files import decode_line, read_text, require_file


def test_lines_end_alike_and_the_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbfune\r\n\r\n  deux \r trois\r\n")
    assert read_text(str(path)) == "une\n\n  deux \r trois\n"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_line_is_counted_with_and_without_a_byte_order_mark(tmp_path, mark):
    path = tmp_path / "latin.txt"
    path.write_bytes(mark + b"one\ntwo\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"line 3 of '.*latin\.txt' .* \(byte 0xe9\); open the"):
        read_text(path)
    with pytest.raises(ValueError, match=r"line 3 of '.*latin\.txt' .* \(byte 0xe9\); look again"):
        read_text(path, if_garbled="look again")


def test_a_line_by_itself(tmp_path):
    assert decode_line("né\n".encode(), 7, "novel.txt") == "né\n"
    with pytest.raises(ValueError, match=r"line 7 of 'novel\.txt' is not UTF-8 \(byte 0xe9\)"):
        decode_line(b"n\xe9\n", 7, "novel.txt")


def test_a_folder_is_no_file(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.txt"):
        with pytest.raises(FileNotFoundError, match=r"there is no file .*; check the name and"):
            require_file(path)
        with pytest.raises(FileNotFoundError, match=r"there is no file .*; ask elsewhere"):
            read_text(path, if_missing="ask elsewhere")
