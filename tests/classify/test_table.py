"""Tables of many kinds are read; what cannot be read is a sentence with its line."""

import json

import pytest

from minibert.classify.table import LabeledTable, read_table

ROWS = [("It hums.", "Hardware"), ('He said "no",\nthen paid.', "Billing"), ("Ça va", "Billing")]


def write(path, content, encoding="utf-8"):
    path.write_bytes(content.encode(encoding))
    return path


def delimited(mark):
    cells = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in ROWS]
    return "\n".join(mark.join(row) for row in [("text", "label"), *cells]) + "\n"


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_every_delimiter_and_encoding(tmp_path, mark, encoding, ends):
    path = write(tmp_path / "a.csv", delimited(mark).replace("\n", ends), encoding)
    table = read_table(path, "text", "label")
    assert [text.replace("\r", "") for text in table.texts] == [text for text, _ in ROWS]
    assert table.labels == [label for _, label in ROWS]
    assert table.lines == [2, 3, 5]  # the second text has a line break
    assert table.classes == ("Billing", "Hardware")


def test_json_lines(tmp_path):
    told = [{"text": text, "n": number, "x": [1]} for number, (text, _) in enumerate(ROWS)]
    path = write(tmp_path / "a.jsonl", "\n\n".join(map(json.dumps, told)))
    table = read_table(path, "text", "n")
    assert (table.texts, table.labels) == ([text for text, _ in ROWS], ["0", "1", "2"])
    assert table.lines == [1, 3, 5]


def test_labels_that_are_numbers_are_in_the_order_of_their_values():
    assert LabeledTable([*"abc"], ["10", "9", "9"]).classes == ("9", "10")
    assert LabeledTable([*"abc"], ["10", "9", "b"]).classes == ("10", "9", "b")
    assert LabeledTable([*"abcd"], ["01", "1", "001", "0"]).classes == ("0", "001", "01", "1")


def test_all_columns_and_some_rows(tmp_path):
    path = write(tmp_path / "a.csv", "q, a ,y,who,when\nx,z,1,me,3\nu,v,2,you,4\n")
    table = read_table(path, "q", "y", pair="a", group="who", time="when")
    assert table.take([1]) == LabeledTable(["u"], ["2"], ["v"], ["you"], ["4"], [3])
    assert table.whole_texts == ["x z", "u v"]
    assert len(table) == 2


def test_another_encoding_and_utf_16_without_its_mark(tmp_path):
    path = write(tmp_path / "a.csv", delimited(","), "latin-1")
    with pytest.raises(ValueError, match=r"line 5 of .* \(byte 0xc7\); .*--encoding latin-1"):
        read_table(path, "text")
    assert read_table(path, "text", encoding="latin-1").texts[2] == "Ça va"
    with pytest.raises(ValueError, match=r"unknown encoding: latin-one"):
        read_table(path, "text", encoding="latin-one")
    path = write(tmp_path / "a.csv", "text,label\na,b\n", "utf-16-le")
    with pytest.raises(ValueError, match=r"line 1 of .* holds a zero byte; .*name its own"):
        read_table(path, "text")
    assert read_table(path, "text", encoding="utf-16-le").texts == ["a"]


def test_what_is_empty_is_skipped(tmp_path):
    path = write(tmp_path / "a.csv", "text,label\n  ,x\na,\n\nb,y\n")
    table = read_table(path, "text", "label")
    assert (table.texts, table.lines, table.skipped) == (["b"], [5], (2, 3))
    assert read_table(path, "text").texts == ["a", "b"]
    empty = '{"text": null, "y": 0}\n{"text": "b", "y": NaN}\n{"text": "a", "y": 0}\n'
    assert read_table(write(tmp_path / "a.jsonl", empty), "text", "y").lines == [3]


def test_a_very_long_text(tmp_path):
    text = "word " * 100_000
    path = write(tmp_path / "a.csv", f'text,label\n"{text}",x\n')
    assert read_table(path, "text").texts == [text.strip()]


WRONG = {
    "text,label\n": "has no row to read$",
    "text,label\n,x\n ,y\n": "no row to read; each of its 2 rows lacks 'text' or 'label'",
    "Text,labels\na,b\n": r"no column 'text' \(line 2\); it has 'Text', 'labels'. Perhaps 'Text'\?",
    "text,label\na,b\nc,d,e\n": "line 3 of .* has 3 fields, and the header names 2; put quotes",
    'text,label\na,b\n"c,d\n': "line 3 of .*: unexpected end of data; inside a quoted text each",
    "text,text\na,b\n": "two columns 'text'; give each its own name",
}


@pytest.mark.parametrize(("content", "told"), WRONG.items())
def test_what_cannot_be_read_is_a_sentence(tmp_path, content, told):
    path = write(tmp_path / "a.csv", content)
    with pytest.raises(ValueError, match=told):
        read_table(path, "text", "label")


@pytest.mark.parametrize(
    ("line", "told"),
    [("[1]", "no JSON object"), ("hello", "no JSON object"), ('{"text": "b", "y": ["x"]}', "'y'")],
)
def test_a_line_that_is_no_row(tmp_path, line, told):
    path = write(tmp_path / "a.jsonl", f'{{"text": "a", "y": "x"}}\n{line}\n')
    with pytest.raises(ValueError, match=f"line 2 of .*{told}"):
        read_table(path, "text", "y")
