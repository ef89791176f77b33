"""What the command tells of a text: first sentences, copies, [UNK], cuts, lines that go on."""

import json
import re
import shutil
import warnings

import numpy as np
import pytest
from small_runs import pretrain, small_text, write_inputs

from berttools.pretrain.report import example_question
from minibert.data import split_documents
from minibert.loading import load_tokenizer

FEW = ("--max-steps", "2")


@pytest.fixture
def run(tmp_path, capsys):
    """Run the command on a text; return what it says, and its warnings."""

    def run(text, *options):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        arguments = write_inputs(tmp_path)
        (tmp_path / "text.txt").write_text(text, encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            status = pretrain(*arguments, *FEW, *options, "--out", tmp_path / "out")
        told = capsys.readouterr()
        assert status == 0, told.err
        return told.out, told.err

    return run


def test_sentences_without_a_next_one_are_counted_and_told(run):
    lonely = "\n\n".join(f"Sentence {n} is alone." for n in range(60))
    out, err = run(f"{small_text(4)}\n{lonely}\n", "--held-out", "0")
    assert "Text: 64 documents with 76 sentences, 12 of them with a next one." in out
    assert "times through 12 first sentences" in out
    assert err.startswith("warning: only 12 of the 76 sentences have a next one in their document")
    assert err.count("\n") == 1


def test_no_copy_of_a_document_that_is_held_out_is_learned(run, tmp_path):
    documents = small_text().split("\n\n")
    copied = "\n\n".join([*documents, *(text.upper() for text in documents)])
    out, _ = run(copied, "--held-out", "0.125")
    assert "3 documents are left out: copies of others that are held out." in out
    state = json.loads((tmp_path / "out" / "step-00000002" / "state.json").read_text("utf-8"))
    assert state["data"]["documents"] == 24 - 2 * 3


def test_a_split_keeps_copies_together_and_changes_nothing_without_them():
    documents = [[f"one {n}", "two"] for n in range(9)]
    for seed in range(20):
        rest, held_out = split_documents(documents, 3, rng=np.random.default_rng(seed))
        order = np.random.default_rng(seed).permutation(9).tolist()
        assert [list(part) for part in (rest, held_out)] == [
            [documents[n] for n in sorted(some)] for some in (order[3:], order[:3])
        ]
        many = documents + [["One  1", "TWO"]] * 40
        rest, held_out = split_documents(many, 3, rng=np.random.default_rng(seed))
        words = [
            {" ".join(d).casefold().replace("  ", " ") for d in part} for part in (rest, held_out)
        ]
        assert not words[0] & words[1]
        assert len(held_out) == len(words[1]) == 3


@pytest.mark.parametrize("long", [1, 5])
def test_the_share_of_unknown_tokens_is_that_of_the_folder(run, tmp_path, long):
    text = small_text() + "\n" + "\n".join(["a" * 101] * long + ["The end."])
    out, _ = run(text, "--held-out", "0")
    tokenizer = load_tokenizer(tmp_path / "out")
    pieces = [piece for line in text.splitlines() for piece in tokenizer.tokenize(line)]
    share = f"{pieces.count('[UNK]') / len(pieces):.1%} of {len(pieces):,} tokens to learn from."
    assert pieces.count("[UNK]") == long
    assert f"[UNK], for words that cannot be spelled: {share}" in out


def test_pairs_that_are_cut_are_counted_and_the_length_that_is_told_cuts_none(run, tmp_path):
    text = small_text() + "\nOne.\n" + "The cat and the dog sleep and eat. " * 3 + "\nTwo.\n"
    out, _ = run(text, "--vocab-size", "60", "--held-out", "0")
    [(cut, pairs, length)] = re.findall(
        r"(\d+) of (\d+) pairs of neighboring sentences have more than 24 tokens and are cut; with "
        r"--max-length (\d+) none would be\.",
        out,
    )
    tokenizer, lengths = load_tokenizer(tmp_path / "out"), []
    for document in text.split("\n\n"):
        lines = document.strip().splitlines()
        lengths += [len(tokenizer.encode(*both)) for both in zip(lines, lines[1:])]
    expected = sum(n > 24 for n in lengths), len(lengths), max(lengths)
    assert (int(cut), int(pairs), int(length)) == expected
    assert expected[0] >= 2


@pytest.mark.parametrize(
    ("document", "question"),
    [
        (["No.", "The man reads a book today."], "The man reads [MASK] book today."),
        ([" ".join("abcdefghijklmnop")], "a b c d e f [MASK] h i j k l"),
        (["\u0e01\u0e32\u0e23" * 30], "\u0e01\u0e32\u0e23" * 4 + " [MASK]"),  # Thai
    ],
)
def test_the_example_has_one_blank_and_words_beside_it(document, question):
    assert example_question([document]) == question


WRAPPED = """When, in the course of human events, it becomes
necessary for one people to dissolve the bonds. They
declare the causes that impel them to the separation.

We hold these truths to be evident. That all men are
created equal, that they are endowed with rights, and
that among these are life and liberty. To secure these
rights, governments are instituted among men.
"""


def test_lines_that_go_on_in_the_next_one_are_told_unless_the_text_has_no_marks(run):
    _, err = run(WRAPPED, "--held-out", "0", "--vocab-size", "100")
    assert err.startswith("warning: 5 of 5 lines go on in the next one, which begins with a small")
    text = "\n\n".join(["the man reads the book\nhe likes it\nit is good"] * 3)
    assert run(text, "--held-out", "0")[1] == ""


def test_a_window_without_masked_words_is_reported(run):
    """A step of a single pair of [UNK] has no masked word, and its record no such loss."""
    rare = "\n".join(["a" * 101] * 4)
    text = "\n\n".join([rare, *["The cat sees a dog and a bird.\nIt eats an apple today."] * 12])
    for seed in range(40):
        out, _ = run(
            text, "--held-out", "0", "--batch-size", "1", "--max-steps", "1", "--seed", seed
        )
        if "masked words without a label" in out:
            return
    pytest.fail("no seed has drawn a pair of [UNK] first")
