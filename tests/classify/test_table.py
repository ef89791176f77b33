"""Tables of many kinds are read; what cannot be read is a sentence with its line."""

import csv

import pytest

from berttools.classify.table import LabeledTable, read_table

LONG = "It hums. " + "word " * 50_000 + "no"  # csv takes 131,072 characters unless told otherwise
ROWS = [(LONG, "Hardware"), ('He said "no",\nthen paid.', "Billing"), ("Ça va, “5 €”", "Billing")]


def write(path, content, encoding="utf-8"):
    path.write_bytes(content.encode(encoding))
    return path


def delimited(mark):
    cells = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in ROWS]
    return "\n".join(mark.join(row) for row in [("text", "label"), *cells]) + "\n"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_every_delimiter_and_encoding(tmp_path, mark, encoding, ends):
    path = write(tmp_path / "a.csv", delimited(mark).replace("\n", ends), encoding)
    table = read_table(path, "text", "label")
    assert [text.replace("\r", "") for text in table.texts] == [text for text, _ in ROWS]
    assert table.labels == [label for _, label in ROWS]
    assert table.lines == [2, 3, 5]  # the second text has a line break
    assert table.classes == ("Billing", "Hardware")


def test_labels_that_are_numbers_are_in_the_order_of_their_values():
    assert LabeledTable([*"abc"], ["10", "9", "9"]).classes == ("9", "10")
    assert LabeledTable([*"abc"], ["10", "9", "b"]).classes == ("10", "9", "b")
    assert LabeledTable([*"abcd"], ["01", "1", "001", "0"]).classes == ("0", "001", "01", "1")


def test_another_encoding_and_utf_16_without_its_mark(tmp_path):
    path = write(tmp_path / "a.csv", delimited(","), "cp1252")
    with pytest.raises(ValueError, match=r"line 5 of .* \(byte 0xc7\); .*--encoding cp1252"):
        read_table(path, "text")
    for name in ("cp1252", "latin-1", "iso-8859-1", "L1"):  # signs of Windows stay
        assert read_table(path, "text", encoding=name).texts[2] == "Ça va, “5 €”"
    with pytest.raises(ValueError, match=r"unknown encoding: latin-one"):
        read_table(path, "text", encoding="latin-one")
    path = write(tmp_path / "a.csv", "text,label\na,b\n", "utf-16-le")
    with pytest.raises(ValueError, match=r"line 1 of .* holds a zero byte; .*name its own"):
        read_table(path, "text")
    assert read_table(path, "text", encoding="utf-16-le").texts == ["a"]


TSV = 'text\tlabel\n"She said hello\tA\nall is well\tB\nhe answered no"\tB\nlast\tA\n'


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_quotes_of_a_file_with_tabs_are_letters(tmp_path, ends):
    table = read_table(write(tmp_path / "q.tsv", TSV.replace("\n", ends)), "text", "label")
    assert table.texts == ['"She said hello', "all is well", 'he answered no"', "last"]
    assert (table.labels, table.lines) == ([*"ABBA"], [2, 3, 4, 5])


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_quotes_of_a_file_with_tabs_that_a_csv_writer_has_made(tmp_path, quoting):
    rows = [("text", "label"), ('He said "no".', "A"), ('"', "B"), ('two\n"lines"', "A")]
    for some in (rows, rows[:3]):
        with (tmp_path / "a.tsv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter="\t", quoting=quoting, lineterminator="\n").writerows(some)
        table = read_table(tmp_path / "a.tsv", "text", "label")
        assert list(zip(table.texts, table.labels, strict=True)) == some[1:]


def test_quotes_with_tabs_never_swallow_rows_when_one_line_is_wrong(tmp_path):
    told = "has 3 fields, and the header names 2;"
    path = write(tmp_path / "a.tsv", TSV + "x\ty\tz\n")
    with pytest.raises(ValueError, match=f"line 6 of .* {told} put quotes"):
        read_table(path, "text", "label")
    write(path, TSV.replace("all is", "all\tis"))  # in what the quotes would join
    with pytest.raises(ValueError, match=f"line 3 of .* {told} mend it, or"):
        read_table(path, "text", "label")


@pytest.mark.parametrize(
    "content",
    [
        '"text, or so";label\nhums, it does;A\n',
        '"a,b,c,d";"text, or so";label\n1;hums, it does;A\n',
        'note (a;b;c;d),"text, or so",label\n,"hums, it does",A\n',
    ],
)
def test_the_delimiter_is_what_divides_the_names(tmp_path, content):
    table = read_table(write(tmp_path / "a.csv", content), "text, or so", "label")
    assert (table.texts, table.labels) == (["hums, it does"], ["A"])


def test_all_columns_and_what_is_empty_is_skipped(tmp_path):
    path = write(tmp_path / "a.csv", "text, a ,who,when\n  ,x,me,3\na,,me,4\n\nb,y,me,5\nc,z,I,6\n")
    table = read_table(path, "text", "a", group="who", time="when")
    assert (table.texts, table.lines, table.skipped) == (["b", "c"], [5, 6], (2, 3))
    assert table.take([1]) == LabeledTable(["c"], ["z"], ["I"], ["6"], [6])
    assert read_table(path, "text").texts == ["a", "b", "c"]


WRONG = {
    "text,label\n": "has no row to read$",
    "text,label\n,x\n ,y\n": "no row to read; each of its 2 rows lacks 'text' or 'label'",
    "Text,labels\na,b\n": "no column 'text'; it has 'Text', 'labels'",
    "text,label\na,b\nc,d,e\n": "line 3 of .* has 3 fields, and the header names 2; put quotes",
    'text,label\na,b\n"c,d\n': "line 3 of .*: unexpected end of data; inside a quoted text each",
    "text,text\na,b\n": "two columns 'text'; give each its own name",
}
no_text = (
    "\x1f\x8b\x08text,label\na,b\n",
    "PK\x03\x04\x14\0",
    "\xd0\xcf\x11\xe0\xa1\xb1",
    "%PDF-1.7",
)
WRONG |= dict.fromkeys(
    no_text, "a.csv' is not a text file; unpack it, or open it in its own program"
)


@pytest.mark.parametrize(("content", "told"), WRONG.items())
def test_what_cannot_be_read_is_a_sentence(tmp_path, content, told):
    path = write(tmp_path / "a.csv", content, "latin-1")
    with pytest.raises(ValueError, match=told):
        read_table(path, "text", "label")
