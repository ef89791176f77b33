"""Text files are read as they are meant, or refused with their line and their byte."""

import pytest

from minibert.text_files import decode_line, read_text


def test_lines_end_alike_and_the_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbfune\r\n\r\n  deux \r trois\r\n")
    assert read_text(str(path)) == "une\n\n  deux \r trois\n"
    assert decode_line("né\n".encode(), 7, "novel.txt") == "né\n"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_what_is_garbled_is_told_with_its_line(tmp_path, mark):
    path = tmp_path / "latin.txt"
    path.write_bytes(mark + b"one\ntwo\ncaf\xe9\n")
    with pytest.raises(ValueError, match=r"line 3 of '.*latin\.txt' .* \(byte 0xe9\); open the"):
        read_text(path)
    with pytest.raises(ValueError, match=r"\(byte 0xe9\); look again"):
        read_text(path, if_garbled="look again")
    with pytest.raises(ValueError, match=r"line 7 of 'novel\.txt' is not UTF-8 \(byte 0xe9\)"):
        decode_line(b"n\xe9\n", 7, "novel.txt")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        read_text(tmp_path)
    path = tmp_path / "nowhere.txt"
    with pytest.raises(FileNotFoundError, match=r"there is no file .*; check the name and"):
        read_text(path)
    with pytest.raises(FileNotFoundError, match=r"there is no file .*; ask elsewhere"):
        read_text(path, if_missing="ask elsewhere")
