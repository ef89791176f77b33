"""What chapters say and type, held to something outside them: BERT's vocabulary, and NumPy."""

import ast
import re

import numpy as np
import pytest
import torch
from definitions import CHAPTERS, cells_of, chapter_definitions

from bertbook.corpus import hundred_sentences, vocabulary
from minibert import reference


def cells(number, kind="markdown"):
    """Take the sources of a chapter's cells."""
    name = next(CHAPTERS.glob(f"{number:02}-*.ipynb")).stem
    return [cell["source"] for cell in cells_of(name) if cell["cell_type"] == kind]


def test_the_ids_that_chapter_6_names_are_those_of_the_real_vocabulary(real_tokenizer):
    (named,) = re.findall("^.*In all three, .*$", "\n".join(cells(6)), re.MULTILINE)
    assert f"has {len(real_tokenizer.pieces):,} entries" in named
    tokens = re.findall(r"`(\[\w+\])`", named)
    ids = [int(number) for number in re.findall(r"\d+", named.split("`[PAD]`")[1].split(".")[0])]
    assert len(tokens) == 5 and [real_tokenizer.vocab[token] for token in tokens] == ids
    between = real_tokenizer.pieces[ids[0] + 1 : ids[1]]
    assert all(re.fullmatch(r"\[unused\d+\]", piece) for piece in between)


def test_the_excerpt_and_the_cuts_of_chapter_6_are_those_of_the_real_vocabulary(real_tokenizer):
    written = {
        ast.unparse(node.targets[0]): node.value
        for cell in cells(6, "code")
        for node in ast.parse(cell).body
        if isinstance(node, ast.Assign)
    }
    excerpt, words = (ast.literal_eval(written[name]) for name in ("REAL", "to_cut"))
    assert len(excerpt) >= 30 and len(words) == 10
    assert {piece: real_tokenizer.vocab[piece] for piece in excerpt} == excerpt
    chapter = chapter_definitions("06-from-text-to-ids")
    for word in words:
        assert chapter.longest_match_solution(word, excerpt) == real_tokenizer.tokenize(word)


def logits_by_reference(model, input_ids):
    """Compute the logits of every position in numpy."""
    weights = {name: p.detach().numpy() for name, p in model.named_parameters()}
    x = reference.embedding_lookup(input_ids.numpy(), weights["word_embeddings"])
    if len(weights["position_embeddings"]):
        x = x + weights["position_embeddings"][: x.shape[-2]]
    context, _ = reference.attention(x @ weights["query"], x @ weights["key"], x @ weights["value"])
    states = reference.layer_norm(context + x, weights["norm.weight"], weights["norm.bias"])
    refined = reference.gelu(states @ weights["dense"] + weights["dense_bias"])
    return reference.tied_logits(refined, weights["word_embeddings"], weights["vocab_bias"])


@pytest.mark.parametrize("positions", [0, 9])
def test_logits_and_loss_of_chapter_5_have_two_witnesses(positions):
    torch.manual_seed(0)
    toy, words = chapter_definitions("05-a-toy-bert"), vocabulary(hundred_sentences())
    model = toy.ToyBert(len(words), 16, positions, spread=0.5).eval().double()
    with torch.no_grad():
        model.dense_bias.normal_()
        model.vocab_bias.normal_()
    ids = toy.look_up(["the", "dog", "[MASK]", "the", "cat"], words)
    labels = torch.tensor([-100, -100, words.index("chases"), -100, -100])
    witness = logits_by_reference(model, ids)
    logits = model.predict(model.encode(ids)).detach()
    np.testing.assert_allclose(logits, witness, rtol=1e-10, atol=1e-12)
    loss = toy.mean_loss(model, (ids, labels, torch.zeros(len(ids)))).item()
    assert loss == pytest.approx(reference.cross_entropy(witness, labels.numpy()), rel=1e-10)
