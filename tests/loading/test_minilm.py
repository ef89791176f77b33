"""A real trained encoder: every layer and every sentence vector as transformers has it."""

import pytest
import torch
import transformers
from bert_pairs import close
from odd_texts import odd_texts
from saved_folders import open_theirs

from bertbook.corpus import hundred_sentences
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.tasks.inference import sentence_vectors

TEXTS = [*hundred_sentences(), *odd_texts(100, seed=5)]


@pytest.mark.slow
def test_every_layer_and_every_sentence_vector(minilm):
    ours = load_pretrained(BertModel, minilm)
    theirs, complaints = open_theirs(minilm, BertModel, dtype=torch.float32)
    assert not complaints
    tokenizer = load_tokenizer(minilm)
    reference = transformers.BertTokenizer.from_pretrained(minilm)
    options = {"padding": True, "truncation": True, "max_length": 32}
    varied = sorted(TEXTS, key=len)
    for texts in (varied[start : start + 25] for start in range(0, 200, 25)):
        mine, yours = tokenizer(texts, **options), reference(texts, return_tensors="pt", **options)
        assert torch.equal(mine["input_ids"], yours["input_ids"])
        with torch.no_grad():
            states = ours(**mine, output_hidden_states=True).hidden_states
            output = theirs(**yours, output_hidden_states=True)
        assert len(states) == len(output.hidden_states) == 7
        real = mine["attention_mask"].bool()
        for state, witness in zip(states, output.hidden_states):
            close(state[real], witness[real], 1e-5)
        # Average over the tokens, then scale to length 1, as the folder's modules.json says.
        weights = yours["attention_mask"][..., None].float()
        means = (output.last_hidden_state * weights).sum(1) / weights.sum(1)
        vectors = sentence_vectors(ours, tokenizer, texts, max_length=32)
        close(vectors, torch.nn.functional.normalize(means, dim=1), 1e-5)
