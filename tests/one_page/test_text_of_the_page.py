"""BERT on one page cuts, learns, hides and trains as the package does, and answers a question."""

import math
import os
import random
import re
import runpy
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import islice, pairwise
from unittest.mock import Mock

import bert
import pytest
import torch
import transformers
from odd_texts import odd_texts, odd_vocabulary

from bertbook.corpus import hundred_sentences
from bertbook.reader.one_page import PAGE
from minibert.loading import load_pretrained, load_tokenizer
from minibert.masking import corrupt_tokens
from minibert.pretraining import BertForPreTraining
from minibert.text import _OF_UNICODE_8, split_words
from minibert.training import choose_device
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.learning import learn_vocabulary

pytestmark = pytest.mark.usefixtures("unchecked")
STORIES = [
    ["the cat sleeps", "it sleeps well", "then it eats"],
    ["a dog barks", "it barks all day"],
    ["the man reads the book", "he likes the book", "she likes it too"],
]


@pytest.fixture(scope="module", params=["English", "Chinese style"])
def pieces(request):
    if request.param == "Chinese style":
        return odd_vocabulary()
    path = request.getfixturevalue("minilm") / "vocab.txt"
    return bert.load_tokenizer(path.parent).pieces


def of_unicode_8(text):
    """Say whether BERT's Unicode tables, of 2015, and Python's agree on every character."""
    parts = unicodedata.normalize("NFD", text)
    return not any(ord(character) in _OF_UNICODE_8 for character in text + parts)


@pytest.mark.parametrize("lower", [True, False])
def test_ids_are_those_of_transformers_and_of_the_package(pieces, lower, tmp_path):
    texts = [text for text in odd_texts(1500, seed=len(pieces)) if of_unicode_8(text)]
    assert len(texts) > 1000
    package = WordPieceTokenizer(pieces, lower)
    package.save(tmp_path / "vocab.txt")
    library = transformers.BertTokenizer(vocab=str(tmp_path / "vocab.txt"), do_lower_case=lower)
    page = bert.load_tokenizer(tmp_path, lower)
    expected = [row.ids for row in library._tokenizer.encode_batch(texts)]
    assert [page.encode(text)[0] for text in texts] == expected
    assert list(map(package.encode, texts)) == expected
    ours, theirs = ([cut(text, lower) for text in texts] for cut in (bert.split_words, split_words))
    assert ours == theirs
    for first, second in [("Is it new?", "It's brand-new."), ("", "a"), ("a [MASK] b", "")]:
        batch = package(first, second)
        pair = (batch[name][0].tolist() for name in ("input_ids", "token_type_ids"))
        assert page.encode(first, second) == tuple(pair)


def test_what_is_too_long_loses_its_end():
    page = bert.WordPieceTokenizer([*SPECIAL_TOKENS, *"abcde"])
    ids, types = page.encode("a b c d", "e a d b c", max_length=9)
    pieces = [page.pieces[number] for number in ids]
    assert pieces == ["[CLS]", *"abc", "[SEP]", *"ead", "[SEP]"]
    assert types == [0] * 5 + [1] * 4


@pytest.mark.parametrize("min_frequency", [1, 3])
def test_the_vocabulary_is_that_of_the_plain_learner(min_frequency):
    rng = random.Random(min_frequency)
    words = [word for text in hundred_sentences() for word in text.split()]
    words += ["".join(rng.choices("aabé'中", k=rng.randint(1, 7))) for _ in range(300)]
    found = bert.learn_pieces(Counter(words), 180, min_frequency)
    assert found == learn_vocabulary(Counter(words), 180, min_frequency)
    assert len(found) > 100


def test_tokens_are_chosen_as_by_the_package_and_hidden_as_bert_does():
    ids = torch.arange(205).repeat(300, 1)
    found, package = (
        corrupt(
            ids, vocab_size=205, mask_token_id=4, special_ids=range(5),
            generator=torch.Generator().manual_seed(3),
        )
        for corrupt in (bert.corrupt_tokens, corrupt_tokens)
    )  # fmt: skip
    assert torch.equal(found.labels, package.labels)
    chosen = found.labels != -100
    assert torch.equal(found.input_ids[~chosen], ids[~chosen])
    seen, true = found.input_ids[chosen], ids[chosen]
    masked, kept = ((seen == number).double().mean() for number in (4, true))
    assert (masked, kept) == (pytest.approx(0.8, abs=0.02), pytest.approx(0.1, abs=0.02))
    assert seen.min() == 4  # no word by chance is special


def small(documents=STORIES):
    words = (word for lines in documents for line in lines for word in line.split())
    tokenizer = bert.WordPieceTokenizer(bert.learn_pieces(Counter(words), 60))
    config = bert.BertConfig(
        vocab_size=len(tokenizer.pieces), hidden_size=16, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    torch.manual_seed(0)
    return bert.BertForPreTraining(config), tokenizer


def draw(tokenizer, size, seed):
    chance = random.Random(seed), torch.Generator().manual_seed(seed)
    return bert.draw_batch(tokenizer, STORIES, size, 64, *chance)


def test_a_batch_holds_true_and_false_pairs():
    _, tokenizer = small()
    batch = draw(tokenizer, 200, 0)
    ids = torch.where(batch["labels"] == -100, batch["input_ids"], batch["labels"])
    home = {line: (n, place) for n, lines in enumerate(STORIES) for place, line in enumerate(lines)}
    for row, mask, types, strange in zip(
        ids, batch["attention_mask"], batch["token_type_ids"], batch["next_sentence_label"]
    ):
        first, second = (row[mask & (types == n)] for n in (0, 1))
        (a, place), (b, next_place) = (home[text_of(tokenizer, part)] for part in (first, second))
        assert (a != b) if strange else (a, place + 1) == (b, next_place)
        assert (row[~mask] == 0).all()
    assert 70 < batch["next_sentence_label"].sum() < 130


def text_of(tokenizer, ids):
    pieces = [tokenizer.pieces[number] for number in ids if number > 4]
    return " ".join(pieces).replace(" ##", "")


TWICE = [*STORIES, ["it rains", "the man sleeps"], ["she smiles", "The  man sleeps"]]


def test_no_pair_is_called_strange_by_mistake():
    """Two documents go on with the same words, capitals and spaces aside."""
    rng, true_next = random.Random(0), {("it rains", "man"), ("she smiles", "man")}
    pairs = [bert.draw_pair(TWICE, rng) for _ in range(3000)]
    lines = {line: next_line for lines in TWICE for line, next_line in pairwise(lines)}
    for first, second, stranger in pairs:
        assert stranger == (second.lower().split() != lines[first].lower().split())
    assert true_next < {(first, second.split()[1]) for first, second, stranger in pairs}
    assert 0.45 < sum(stranger for *_, stranger in pairs) / len(pairs) < 0.5


def trained(steps, size, **chosen):
    model, tokenizer = small()
    torch.manual_seed(1)  # dropout
    return bert.train(model, tokenizer, STORIES, STORIES, steps, size, **chosen), tokenizer


def test_training_lowers_the_loss():
    model, tokenizer = small()
    batch = draw(tokenizer, 64, 5)
    before = model.eval()(**batch).loss
    model, _ = trained(60, 8, peak=1e-2)
    assert not model.training
    assert model(**batch).loss < before - 0.5


def test_the_same_seed_trains_the_same_model():
    first, second = (trained(5, 4)[0].state_dict() for _ in range(2))
    assert all(torch.equal(weight, second[name]) for name, weight in first.items())


def test_each_loss_is_told_beside_a_guesser(capsys):
    """Losses of documents held out; the guesser is a count of the pieces by another way."""
    model, tokenizer = small()
    bert.train(model, tokenizer, STORIES[:2], STORIES, 20, peak=0.0)
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in told] == [["step", "10"], ["step", "20"]]
    assert all(line.endswith("minutes left") for line in told)
    found = [[float(n) for n in re.findall(r"\d+\.\d\d\b", line)] for line in told]
    counts = Counter(p for lines in STORIES[:2] for line in lines for p in tokenizer.tokenize(line))
    by_frequency = bert.log_frequencies(tokenizer, STORIES[:2]).log_softmax(-1)
    share = (counts["it"] + 1) / (counts.total() + len(tokenizer.pieces))
    assert by_frequency[tokenizer.vocab["it"]].exp().item() == pytest.approx(share)
    for pieces, guess, pairs, coin in found:
        assert pieces == pytest.approx(math.log(len(tokenizer.pieces)), abs=0.3)
        assert 0 < guess < pieces
        assert pairs == pytest.approx(coin, abs=0.1)
        assert coin == 0.69


def test_what_is_saved_opens_everywhere(tmp_path):
    model, tokenizer = trained(3, 4)
    folder = tmp_path / "saved"
    bert.save_pretrained(model, tokenizer, folder)
    assert [*tmp_path.iterdir()] == [folder]
    batch = draw(tokenizer, 4, 0)
    expected = model(**batch).prediction_logits
    assert torch.equal(bert.load_pretrained(folder)(**batch).prediction_logits, expected)
    theirs = transformers.BertForPreTraining.from_pretrained(folder)
    torch.testing.assert_close(theirs(**batch).prediction_logits, expected)
    package = load_pretrained(BertForPreTraining, folder)
    torch.testing.assert_close(package(**batch).prediction_logits, expected)
    text = "The cat sleeps"
    ids = bert.load_tokenizer(folder).encode(text)[0]
    assert load_tokenizer(folder).encode(text) == ids
    assert transformers.AutoTokenizer.from_pretrained(folder)(text)["input_ids"] == ids


@pytest.mark.parametrize("what", ["file", "folder", "link", "below a file"])
def test_what_cannot_be_saved_is_told_before_training(tmp_path, monkeypatch, what):
    """Nothing of somebody else is overwritten."""
    path = text_file(tmp_path, "a b\nb a\n\na a\nb b")
    out = (path if what == "below a file" else tmp_path) / "mine"
    if what == "file":
        out.touch()
    elif what == "folder":
        (out / "part").mkdir(parents=True)
    elif what == "link":
        out.symlink_to("nothing")
    told = (
        path.name if what == "below a file" else "is there already; name a new folder after --out"
    )
    before = sorted(tmp_path.rglob("*"))
    model, tokenizer = small()
    with monkeypatch.context() as patched:
        patched.delattr(bert, "train")
        with pytest.raises((ValueError, NotADirectoryError), match=told):
            bert.main(path, "a [MASK]", out, 2)
    if what in ("file", "folder"):
        with pytest.raises(OSError, match=re.escape(str(out))):
            bert.save_pretrained(model, tokenizer, out)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("wanted", ["cuda", "tpu"])
def test_a_device_that_is_not_there_is_told(monkeypatch, wanted):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setenv("MINIBERT_DEVICE", wanted)
    with pytest.raises(ValueError, match=f"{wanted}, but here is only mps and cpu"):
        bert.choose_device()
    monkeypatch.delenv("MINIBERT_DEVICE")
    assert bert.choose_device() == choose_device() == torch.device("mps")


def test_a_blank_is_filled_with_what_the_model_gives():
    model, tokenizer = small()
    model.eval()
    ids, _ = tokenizer.encode("the [MASK] reads [MASK]")
    probs = model(torch.tensor([ids])).prediction_logits.softmax(-1)[0, ids.index(4)]
    best = bert.fill(model, tokenizer, "the [MASK] reads [MASK]", top=3)
    expected = probs.sort(descending=True)
    assert [prob for _, prob in best] == pytest.approx(expected.values[:3].tolist())
    assert [tokenizer.vocab[word] for word, _ in best] == expected.indices[:3].tolist()
    with pytest.raises(ValueError, match=r"ask with a \[MASK\] in at most 62 tokens, not 6"):
        bert.fill(model, tokenizer, "the cat sleeps")


def text_file(folder, text):
    path = folder / "text.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_are_cut_at_blank_lines(tmp_path):
    text = "\n" + "\n \n\n".join("\n".join(lines) for lines in [*STORIES, ["alone"]]) + "\n\n"
    assert bert.read_documents(text_file(tmp_path, text)) == STORIES
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert bert.read_documents(path) == STORIES


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run the page as a program that ends early, and return what it says then."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["bert.py", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(PAGE), run_name="__main__")
        return ended.value.code

    monkeypatch.chdir(tmp_path)
    return run


def test_what_is_wrong_is_told_in_a_sentence(tmp_path, command):
    assert command() == 2
    path, missing = text_file(tmp_path, "a\nb"), tmp_path / "none.txt"
    assert command(path, "no blank") == "'no blank' has no [MASK] to fill"
    assert command(path, "a [MASK]", "--steps", "0") == "--steps 0 is below 1"
    assert command(missing, "[MASK]") == f"No such file or directory: '{missing}'"
    assert command(tmp_path, "[MASK]").endswith(f": '{tmp_path}'")
    short = f"{path} needs two documents of two lines each, with a blank line between"
    strange = "line {} of the text is not UTF-8; save the text as UTF-8"
    for text, told in {
        b"": short,
        b"one line": short,
        b"a\nb\nc": short,
        "a\nb\n\na\nb".encode("utf-16"): strange.format(1),
        "a\r\nb\n\ncafé".encode("cp1252"): strange.format(4),
    }.items():
        path.write_bytes(text)
        assert command(path, "[MASK]") == told
    assert [*tmp_path.iterdir()] == [path]


def test_ctrl_c_is_told_in_a_word(tmp_path, monkeypatch, command):
    (tmp_path / "torch.py").write_text("raise KeyboardInterrupt")  # while it is imported
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, PAGE, "text.txt", "[MASK]"], env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "stopped\n")
    interrupts = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr(torch.optim, "AdamW", interrupts)  # while it trains
    assert command(text_file(tmp_path, "a\nb\n\na\nb"), "a [MASK]") == "stopped"


NO_SPACES = "\n\n".join("\n".join("acgt" * 40 for _ in range(3)) for _ in range(4))
TOO_MUCH = {
    (NO_SPACES, "the [MASK]"): "has 12 words, 12 of more than 100 characters, which become",
    ("\u200b\n\u200b\n\n\u200b\n\u200b", "[MASK]"): "has 0 words, 0 of more than",
    ("a b\nb a\n\na a\nb b", "a " * 600 + "[MASK]"): "in at most 30 tokens, not 601",
    ("ab a\nba b\n\nab b\nba a", "ab" * 40 + "[MASK]"): "in at most 30 tokens, not 80",
}


@pytest.mark.parametrize(("text", "question"), TOO_MUCH)
def test_what_cannot_be_learned_or_asked_is_told_before_training(
    tmp_path, monkeypatch, text, question
):
    monkeypatch.delattr(bert, "train")
    with pytest.raises(ValueError, match=re.escape(TOO_MUCH[text, question])):
        bert.main(text_file(tmp_path, text), question, tmp_path / "model", 2)


def test_the_command_prints_five_words(tmp_path, capsys):
    path, out = text_file(tmp_path, "\n\n".join(map("\n".join, STORIES))), tmp_path / "model"
    bert.main(path, "the [MASK] sleeps", out, 2)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "3 documents, 29 words, 19 different; on cpu"
    probs = [float(line.split()[0]) for line in told[-5:]]
    assert probs == sorted(probs, reverse=True)
    best = bert.fill(bert.load_pretrained(out), bert.load_tokenizer(out), "the [MASK] sleeps")
    assert [f"{prob:.3f}  {piece}" for piece, prob in best] == told[-5:]


def test_documents_are_held_out_of_a_longer_text(tmp_path, monkeypatch):
    path = text_file(tmp_path, "\n\n".join(f"a {n}\nb {n}" for n in range(40)))
    got = []
    monkeypatch.setattr(bert, "train", lambda *given, max_length: got.append(given))
    bert.main(path, "a [MASK]", tmp_path / "model", 7)
    [[_, _, learned, held_out, steps]] = got
    assert [lines[0] for lines in held_out] == ["a 0", "a 10", "a 20", "a 30"]
    assert sorted([*learned, *held_out]) == sorted(bert.read_documents(path))
    assert steps == 7


@pytest.mark.thorough
def test_it_learns_the_hundred_sentences_and_fills_a_blank(tmp_path):
    lines = iter(hundred_sentences())
    documents = iter(lambda: list(islice(lines, 4)), [])
    path = text_file(tmp_path, "\n\n".join(map("\n".join, documents)))
    done = subprocess.run(
        [sys.executable, str(PAGE), str(path), "the man [MASK] the book", "--out", tmp_path / "m"],
        capture_output=True, text=True, timeout=900, check=True,
    )  # fmt: skip
    answers = [line.split() for line in done.stdout.splitlines()[-5:]]
    assert sum(float(prob) for prob, _ in answers) > 0.5
