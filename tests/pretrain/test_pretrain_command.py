"""`minibert pretrain` from text files to a model, and what it says."""

import json
import math
import re
from collections import Counter

import numpy as np
import pytest
import torch
from small_runs import pretrain, write_inputs
from torch.nn import functional

from berttools.pretrain import run as runs
from berttools.pretrain.plan import model_sizes
from minibert.config import BertConfig
from minibert.data import PretrainingBatches, TextDocuments, split_documents
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.parts import override
from minibert.pretraining import BertForPreTraining
from minibert.training import BertTrainer
from minibert.training.checkpoint import read_checkpoint
from minibert.wordpiece import WordPieceTokenizer


@pytest.fixture
def held_out(whole):
    """Model, tokenizer, training documents and held-out batches, put together another way."""
    folder, arguments = whole
    documents = list(TextDocuments(arguments[0]))
    rest, aside = split_documents(documents, 2, rng=np.random.default_rng(0))
    tokenizer = load_tokenizer(folder)
    batches = PretrainingBatches(aside, tokenizer, batch_size=8, seed=0, max_length=24)
    return load_pretrained(BertForPreTraining, folder), tokenizer, rest, batches


def test_what_is_in_the_folder(whole):
    folder, _ = whole
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json", "history.jsonl", "model.safetensors", "report.txt", "run.json",
        "step-00000006", "step-00000008", "tokenizer_config.json", "vocab.txt",
    ]  # fmt: skip
    checkpoint = read_checkpoint(folder / "step-00000008")
    model = load_pretrained(BertForPreTraining, folder)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, checkpoint.model[name])


def test_training_never_sees_what_is_held_out(whole, held_out):
    _, tokenizer, rest, batches = held_out
    expected = WordPieceTokenizer.train([s for d in rest for s in d], 8000)
    assert tokenizer.pieces == expected.pieces and tokenizer.do_lower_case
    state = read_checkpoint(whole[0] / "step-00000008").state
    assert (state["data"]["documents"], len(batches.documents)) == (10, 2)
    wishes = {"batch_size": 8, "seed": 0, "max_length": 24}
    expected = PretrainingBatches(list(rest), tokenizer, **wishes).identity
    assert state["data"]["pairs"] == expected["pairs"] == 30


def test_every_number_of_the_report(whole, held_out):
    """Count pieces, and compute losses from all scores, without the code under test."""
    model, tokenizer, rest, batches = held_out
    counts = Counter(p for d in rest for s in d for p in tokenizer.tokenize(s))
    total = counts.total() + tokenizer.vocab_size
    words, pairs, surprise, right, word_losses, pair_losses = 0, 0, 0.0, 0, 0.0, 0.0
    for batch in batches:
        ids = {k: batch[k] for k in ("input_ids", "token_type_ids", "attention_mask")}
        with torch.no_grad():
            output = model(**ids)
        for label in batch["labels"][batch["labels"] != -100].tolist():
            words += 1
            surprise += math.log(total / (counts[tokenizer.pieces[label]] + 1))
        word_losses += functional.cross_entropy(
            output.prediction_logits.flatten(0, 1), batch["labels"].flatten(), reduction="sum"
        ).item()
        scores, answers = output.seq_relationship_logits, batch["next_sentence_label"]
        pair_losses += functional.cross_entropy(scores, answers, reduction="sum").item()
        right += (scores.argmax(-1) == answers).sum().item()
        pairs += len(answers)
    expected = [
        f"On the 2 documents held out ({words} masked words, {pairs} pairs), in nats:",
        f"  masked words   {math.log(tokenizer.vocab_size):6.3f}  guessing every piece alike",
        f"                 {surprise / words:6.3f}  knowing how frequent each piece is",
        f"                 {word_losses / words:6.3f}  this model",
        "  next sentence   0.693  tossing a coin",
        f"                 {pair_losses / pairs:6.3f}  this model, which answers "
        f"{100 * right / pairs:.1f} % right",
    ]
    report = (whole[0] / "report.txt").read_text(encoding="utf-8").splitlines()
    assert report[4:10] == expected
    assert words > 5
    records = read_checkpoint(whole[0] / "step-00000008").history
    assert f"{[r['tokens'] for r in records if 'tokens' in r][-1]:,} tokens" in report[1]
    assert [r["step"] for r in records if "eval_loss" in r] == [2, 4, 6, 8]


def test_what_to_type_next_can_be_typed(whole, capsys):
    from berttools.fill.command import main as fill

    report = (whole[0] / "report.txt").read_text(encoding="utf-8")
    line = next(line for line in report.splitlines() if "minibert fill" in line)
    folder, question = line.split("minibert fill ")[1].split(" '")
    assert (folder, question.count("[MASK]")) == (str(whole[0]), 1)
    assert fill([folder, question.rstrip("'")]) == 0
    assert question.rstrip("'") in capsys.readouterr().out


def test_what_it_says_before_it_trains(tmp_path, capsys):
    assert pretrain(*write_inputs(tmp_path), "--out", tmp_path / "out") == 0
    told = capsys.readouterr()
    first, unknown, vocabulary, model, training = told.out.splitlines()[:5]
    pieces = len((tmp_path / "out" / "vocab.txt").read_text(encoding="utf-8").splitlines())
    built = load_pretrained(BertForPreTraining, tmp_path / "out")
    parameters = sum(p.numel() for p in built.parameters())
    assert first == "Text: 12 documents with 48 sentences, 36 of them with a next one."
    share = r"0\.0% of \d+ tokens"
    assert re.fullmatch(rf"\[UNK\], for .*: {share} to learn from, {share} held out\.", unknown)
    assert vocabulary == f"Vocabulary: {pieces} word pieces without capitals."
    assert f"1 layers of 16 numbers, {parameters:,} parameters" in model
    assert "vocab_size is that of the vocabulary" in model
    assert training == "Training: 8 steps of 8 pairs, 2.0 times through 30 first sentences, on cpu."
    assert told.err == ""
    assert built.config.vocab_size == pieces


def test_cased_and_nothing_held_out(tmp_path, capsys):
    arguments = [*write_inputs(tmp_path), "--cased", "--held-out", "0", "--max-steps", "2"]
    assert pretrain(*arguments, "--out", tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert "word pieces with capitals." in told
    assert "held out" not in told
    tokenizer = load_tokenizer(tmp_path / "out")
    assert not tokenizer.do_lower_case
    assert "T" in tokenizer.pieces
    state = read_checkpoint(tmp_path / "out" / "step-00000002").state
    assert state["data"]["documents"] == 12


def test_a_named_size_has_as_many_positions_as_it_is_trained_with(tmp_path):
    arguments = [*write_inputs(tmp_path), "--config", "tiny", "--max-steps", "1"]
    assert pretrain(*arguments, "--out", tmp_path / "out") == 0
    fields = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert (fields["hidden_size"], fields["max_position_embeddings"]) == (128, 24)
    for name in ("tiny", "mini", "base", "large"):
        sizes = BertConfig(**model_sizes(name, 77))
        assert sizes == getattr(BertConfig, name)(max_position_embeddings=77)


def test_the_settings_of_the_training(tmp_path, monkeypatch):
    seen = {}

    class Spy(BertTrainer):
        def __init__(self, model, config, **rest):
            seen.update(model=model, config=config, **rest)
            raise ValueError("seen enough")

    monkeypatch.setattr(runs, "BertTrainer", Spy)
    arguments = [*write_inputs(tmp_path), "--max-steps", "52", "--seed", "5"]
    assert pretrain(*arguments, "--out", tmp_path / "out") == 1
    config = seen["config"]
    assert (config.max_steps, config.warmup_steps, config.eval_steps) == (52, 5, 11)
    assert (config.learning_rate, config.seed, config.save_steps) == (0.01, 5, 2)
    assert seen["device"] == torch.device("cpu")
    torch.manual_seed(5)
    with override(fast_parts()):  # as the command does
        model = BertForPreTraining(seen["model"].config)
    for begun, same in zip(seen["model"].parameters(), model.parameters(), strict=True):
        assert torch.equal(begun, same)
