"""Filling in blanks: the function, the command, and folders of transformers."""

import copy
import io

import pytest
import torch

from bertbook.records import trained_folder
from berttools.__main__ import main as command
from berttools.fill.masks import fill_masks
from minibert.config import BertConfig
from minibert.loading import save_pretrained
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

WORDS = "the a man woman reads eats book apple dog sleeps . it is good ##s".split()
SIZES = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
    "max_position_embeddings": 12, "initializer_range": 0.5,
}  # fmt: skip


def main(arguments):
    return command(["fill", *arguments])


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer([*SPECIAL_TOKENS, *WORDS])


@pytest.fixture(scope="module", params=[BertForMaskedLM, BertForPreTraining])
def model(request, tokenizer):
    torch.manual_seed(0)
    return request.param(BertConfig(vocab_size=tokenizer.vocab_size, **SIZES)).train()


@pytest.fixture(scope="module")
def folder(model, tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    save_pretrained(model, folder, tokenizer)
    return folder


TEXTS = [
    "the man [MASK] the book",
    "[MASK] [MASK] sleeps .",
    "the man reads the [MASK] .",
]


def expected(model, tokenizer, text):
    """Probabilities at each mask out of the scores of every position, one text alone."""
    batch = tokenizer(text)
    with torch.no_grad():
        output = copy.deepcopy(model).eval()(**batch)
    scores = output.logits if isinstance(model, BertForMaskedLM) else output.prediction_logits
    return scores[batch["input_ids"] == tokenizer.mask_token_id].softmax(-1)


def test_the_best_guesses_with_their_probabilities(model, tokenizer):
    filled = fill_masks(model, tokenizer, TEXTS * 20, top=4)
    assert [len(masks) for masks in filled] == [1, 2, 1] * 20
    probs = [expected(model, tokenizer, text) for text in TEXTS]
    for masks, rows in zip(filled, probs * 20, strict=True):
        for guesses, row in zip(masks, rows, strict=True):
            best = row.topk(4)
            assert [g.word for g in guesses] == [tokenizer.pieces[i] for i in best.indices]
            assert [g.prob for g in guesses] == pytest.approx(best.values.tolist(), abs=1e-6)
    assert model.training  # as it was


def test_all_guesses_add_up_to_one_and_no_texts_have_none(model, tokenizer):
    [[guesses]] = fill_masks(model, tokenizer, TEXTS[:1], top=tokenizer.vocab_size + 1)
    assert sum(guess.prob for guess in guesses) == pytest.approx(1)
    assert sorted(guess.word for guess in guesses) == sorted(tokenizer.pieces)
    assert fill_masks(model, tokenizer, []) == []


def test_the_command(folder, model, tokenizer, capsys):
    texts = [TEXTS[0], "the [MASK] reads a [MASK]"]
    assert main([str(folder), texts[0], "--top", "2", texts[1]]) == 0
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    one, two = fill_masks(model, tokenizer, texts, top=2)
    shown = [[f"{guess.word} {guess.prob:.3f}" for guess in mask] for mask in one + two]
    assert told == [
        texts[0], *shown[0], texts[1], "[MASK] 1", *shown[1], "[MASK] 2", *shown[2],
    ]  # fmt: skip


def test_lines_that_are_typed(folder, model, tokenizer, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("the man [MASK]\n\n[MASK] .\n"))
    assert main([str(folder), "--top", "1"]) == 0
    told = capsys.readouterr().out.split("[MASK] .\n")
    filled = fill_masks(model, tokenizer, ["the man [MASK]", "[MASK] ."], top=1)
    for text, [[guess]] in zip(told, filled, strict=True):
        assert f"{guess.word}  {guess.prob:.3f}" in text


def test_utf8_is_read_in_any_locale_and_bytes_that_are_no_text_are_refused(
    folder, capsys, monkeypatch
):
    lines = "the mán [MASK]\n".encode() * 2, b"caf\xe9 [MASK]\n"
    for status, line in enumerate(lines):
        piped = io.TextIOWrapper(io.BytesIO(line), encoding="ascii", errors="surrogateescape")
        monkeypatch.setattr("sys.stdin", piped)
        assert main([str(folder), "--top", "1"]) == status
    told = capsys.readouterr()
    assert told.out.count("the mán [MASK]\n") == 2
    assert told.err.startswith("error: 'utf-8' codec can't decode byte 0xe9 in position 3")


@pytest.mark.usefixtures("unchecked")
def test_a_bad_text_does_not_end_the_others_and_no_text_is_told(folder, capsys, monkeypatch):
    long = " ".join(["[MASK]"] + ["a"] * 10)
    assert main([str(folder), "the man", "the [mask]", long, "the [MASK]", "--top", "1"]) == 1
    told = capsys.readouterr()
    none, small, large = told.err.splitlines()
    assert none.startswith("error: 'the man' has no [MASK]; write [MASK], in capitals")
    assert small.startswith("error: 'the [mask]' has no [MASK]")
    assert large.startswith("error: a text of 13 tokens is too long; this model reads 12")
    assert told.out.startswith("the [MASK]\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n \n"))
    assert main([str(folder)]) == 1
    assert capsys.readouterr().err.startswith("error: there was nothing to read")


@pytest.mark.usefixtures("unchecked")
def test_folders_that_will_not_do(tokenizer, tmp_path, capsys):
    def refused(folder):
        assert main([str(folder), "the [MASK]"]) == 1
        (told,) = capsys.readouterr().err.splitlines()
        return told

    none, empty, encoder, wrong = (tmp_path / name for name in ("none", "empty", "enc", "wrong"))
    assert refused(none) == f"error: there is no folder '{none}'; name that of a model"
    empty.mkdir()
    assert "has no config.json" in refused(empty)
    (empty / "run.json").write_text("{}", encoding="utf-8")
    assert f"not finished; go on with: minibert pretrain --out {empty}" in refused(empty)
    for folder in (encoder, wrong):
        save_pretrained(BertModel(BertConfig(vocab_size=20, **SIZES)), folder, tokenizer)
    assert "the weights do not fit BertForMaskedLM. " in refused(encoder)
    (wrong / "config.json").write_text('{"hidden_size": "16"}', encoding="utf-8")
    assert "hidden_size must be a whole number, not '16'" in refused(wrong)
    assert "english' holds a model in eight bits a number" in refused(trained_folder("english"))
