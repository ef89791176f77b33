"""`minibert pretrain` from text files to a model, and what it says."""

import math
import re
import shlex
from collections import Counter

import numpy as np
import pytest
import torch
from small_runs import pretrain, small_text, write_inputs

from berttools.pretrain.plan import model_sizes
from minibert.config import BertConfig
from minibert.data import PretrainingBatches, TextDocuments, split_documents
from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.training import BertTrainer, TrainingConfig
from minibert.training.checkpoint import read_checkpoint
from minibert.wordpiece import WordPieceTokenizer


def test_what_is_in_the_folder(whole):
    folder, _ = whole
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json", "history.jsonl", "model.safetensors", "report.txt", "run.json",
        "step-00000006", "step-00000008", "tokenizer_config.json", "vocab.txt",
    ]  # fmt: skip
    checkpoint = read_checkpoint(folder / "step-00000008")
    for name, parameter in load_pretrained(BertForPreTraining, folder).named_parameters():
        assert torch.equal(parameter, checkpoint.model[name])


def test_what_is_held_out_is_never_seen_and_every_number_of_the_report(whole):
    """Put together another way, without the code under test."""
    folder, arguments = whole
    documents = list(TextDocuments(arguments[0]))
    rest, aside = split_documents(documents, 2, rng=np.random.default_rng(0))
    tokenizer, model = load_tokenizer(folder), load_pretrained(BertForPreTraining, folder)
    learned = WordPieceTokenizer.train([s for d in rest for s in d], 8000)
    assert tokenizer.pieces == learned.pieces and tokenizer.do_lower_case
    wishes = {"batch_size": 8, "seed": 0, "max_length": 24}
    state = read_checkpoint(folder / "step-00000008").state
    assert state["data"] == PretrainingBatches(list(rest), tokenizer, **wishes).identity

    batches = PretrainingBatches(aside, tokenizer, **wishes)
    labels = torch.cat([batch["labels"][batch["labels"] != -100] for batch in batches]).tolist()
    counts = Counter(p for d in rest for s in d for p in tokenizer.tokenize(s))
    total = counts.total() + tokenizer.vocab_size
    surprises = [math.log(total / (counts[tokenizer.pieces[label]] + 1)) for label in labels]
    terms = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
    trainer = BertTrainer(model, TrainingConfig(max_steps=1, seed=0), device="cpu", terms=terms)
    losses = trainer.evaluate(batches)
    report = (folder / "report.txt").read_text(encoding="utf-8").splitlines()
    assert report[4:10] == [
        "On the 2 documents held out, in nats:",
        f"  masked words   {math.log(tokenizer.vocab_size):6.3f}  guessing every piece alike",
        f"                 {np.mean(surprises):6.3f}  knowing how frequent each piece is",
        f"                 {losses['masked_lm_loss']:6.3f}  this model",
        "  next sentence   0.693  tossing a coin",
        f"                 {losses['next_sentence_loss']:6.3f}  this model",
    ]
    records = read_checkpoint(folder / "step-00000008").history
    assert f"{[r['tokens'] for r in records if 'tokens' in r][-1]:,} tokens" in report[1]
    assert [r["step"] for r in records if "eval_loss" in r] == [2, 4, 6, 8]


def test_what_to_type_next_can_be_typed(whole, capsys):
    from berttools.__main__ import main

    report = (whole[0] / "report.txt").read_text(encoding="utf-8")
    _, *words = shlex.split(next(line for line in report.splitlines() if "minibert fill" in line))
    assert main(words) == 0
    told = capsys.readouterr().out
    assert told.startswith(words[-1]) and told.count("[MASK]") == 1


def test_what_it_says_and_how_it_trains(tmp_path, capsys):
    """Nothing is held out, a word is too long to be known, and a document has a copy."""
    text = f"{small_text()}\n{'a' * 101}\nThe end.\n"
    arguments = [*write_inputs(tmp_path, text), "--cased", "--held-out", "0", "--seed", "5"]
    assert pretrain(*arguments, "--max-steps", "11", "--out", tmp_path / "out") == 0
    told, err = capsys.readouterr()
    tokenizer = load_tokenizer(tmp_path / "out")
    assert not tokenizer.do_lower_case and "T" in tokenizer.pieces
    pieces = [piece for line in text.splitlines() for piece in tokenizer.tokenize(line)]
    model = load_pretrained(BertForPreTraining, tmp_path / "out")
    parameters = sum(p.numel() for p in model.parameters())
    assert pieces.count("[UNK]") == 1
    assert told.splitlines()[:4] == [
        "Text: 13 documents with 50 sentences, 37 of them with a next one.",
        f"[UNK], for words that cannot be spelled: {1 / len(pieces):.1%} of {len(pieces)} tokens "
        "to learn from.",
        f"Model: {arguments[2]}, {tokenizer.vocab_size} word pieces, {parameters:,} parameters.",
        "Training: 11 steps of 8 pairs, 2.2 times through the text, on cpu.",
    ]
    assert "held out" not in told and err == ""
    state = read_checkpoint(tmp_path / "out" / "step-00000011").state
    names = ("max_steps", "warmup_steps", "eval_steps", "learning_rate", "seed", "save_steps")
    assert [state["config"][name] for name in names] == [11, 1, 3, 0.01, 5, 2]
    assert state["data"]["documents"] == 13


def test_a_named_size_has_as_many_positions_as_it_is_trained_with():
    for name in ("tiny", "mini", "base", "large"):
        sizes = BertConfig(**model_sizes(name, 77))
        assert sizes == getattr(BertConfig, name)(max_position_embeddings=77)


def test_no_copy_of_a_document_that_is_held_out_is_learned(tmp_path, capsys):
    text = small_text()
    arguments = write_inputs(tmp_path, f"{text}\n{text.upper()}")
    assert pretrain(*arguments, "--held-out", "0.125", "--out", tmp_path / "out") == 0
    assert (
        "3 documents are left out: copies of others that are held out." in capsys.readouterr().out
    )
    state = read_checkpoint(tmp_path / "out" / "step-00000008").state
    assert state["data"]["documents"] == 24 - 2 * 3


WRAPPED = """When, in the course of human events, it becomes
necessary for one people to dissolve the bonds. They
declare the causes that impel them to the separation.

We hold these truths to be evident. That all men are
created equal, that they are endowed with rights, and
that among these are life and liberty. To secure these
rights, governments are instituted among men.
"""
LONELY = "\n\n".join(f"Sentence {n} is alone." for n in range(60))


@pytest.mark.filterwarnings("always")
def test_of_the_ends_of_lines_it_is_warned(tmp_path, capsys):
    for text, warning in {
        WRAPPED: r"5 of 5 lines go on in the next one; a line should be a whole sentence, so join",
        f"{LONELY}\n{small_text(4)}": r"only 13 of the 76 sentences have a next one in their docu",
        "\n\n".join(["the man reads the book\nhe likes it\nit is good"] * 3): "",
        "One cat,\nIt sleeps.\n" * 150: "",
    }.items():
        out = tmp_path / str(len(text))
        arguments = [*write_inputs(tmp_path, text), "--held-out", "0", "--max-steps", "1"]
        assert pretrain(*arguments, "--out", out) == 0
        told = capsys.readouterr()
        assert re.match(f"warning: {warning}" if warning else "$", told.err)
        assert told.err.count("\n") == bool(warning)
    assert "Text: 2 documents (1 of them cut for want of a blank line) with 300 sen" in told.out
