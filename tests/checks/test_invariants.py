"""The invariants hold of good models, transformers' own among them, and find every bug."""

import pytest
import torch
import transformers
from broken_models import BUGS

from minibert import family, pretraining, tasks
from minibert.checks import check_invariants
from minibert.checks.invariants.promises import INVARIANTS
from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.parts import use

SIZES = {
    "vocab_size": 31,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 16,
    "max_position_embeddings": 16,
}
NAMES = [
    "BertModel",
    "BertForMaskedLM",
    "BertForPreTraining",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertForQuestionAnswering",
]


def build(source, name):
    torch.manual_seed(0)
    if source == "transformers":
        config = transformers.BertConfig(**SIZES, attn_implementation="eager")
        return getattr(transformers, name)(config)
    homes = (pretraining, tasks)
    kind = next((getattr(h, name) for h in homes if hasattr(h, name)), BertModel)
    return kind(BertConfig(**SIZES))


def broken_by(bug):
    torch.manual_seed(0)
    config = (bug.config or BertConfig)(**SIZES)
    players = bug.thing if isinstance(bug.thing, dict) else {}
    with use(**players):
        model = (BertModel if players else bug.thing)(config)
        return check_invariants(model)


@pytest.mark.parametrize("source", ["ours", "transformers"])
@pytest.mark.parametrize("name", NAMES)
def test_good_models_keep_all(source, name):
    findings = check_invariants(build(source, name))
    assert findings.broken == []
    assert [finding.name for finding in findings] == list(INVARIANTS)
    held = {finding.name for finding in findings if finding.holds}
    assert "attention_is_shared_among_tokens" in held
    assert ("table_is_tied" in held) == (name in ("BertForMaskedLM", "BertForPreTraining"))
    assert ("split_batch_is_whole_batch" in held) == (name not in (NAMES[0], NAMES[-1]))


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("Roberta", {}),
        ("Albert", {"embedding_size": 6}),
        ("Electra", {"embedding_size": 6}),
        ("ModernBert", {"local_attention": 4, "pad_token_id": 7}),
    ],
)
def test_the_family_keeps_all(name, more):
    config = getattr(family, f"{name}Config")(**SIZES, **more)
    assert check_invariants(getattr(family, f"{name}Model")(config)).broken == []


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.wrong)
def test_every_bug_is_found_by_what_should_find_it_and_by_nothing_else(bug):
    assert set(broken_by(bug).broken) == set(bug.finds)


def test_every_invariant_finds_a_bug_and_most_bugs_are_somebodys():
    assert {name for bug in BUGS for name in bug.finds} == set(INVARIANTS)
    assert len({bug.source for bug in BUGS} - {""}) >= 15


def test_a_model_stays_as_it_was():
    model = build("ours", "BertForMaskedLM").train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    chance = torch.random.get_rng_state()
    check_invariants(model)
    assert model.training and all(p.grad is None for p in model.parameters())
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert torch.equal(chance, torch.random.get_rng_state())


def test_a_broken_invariant_says_what_was_seen():
    (bug,) = (bug for bug in BUGS if bug.wrong == "long texts cut in silence")
    told = repr(broken_by(bug))
    assert "The longest text is read to its last token: no, 16 tokens went in, 12 came out" in told
    assert "Evaluation twice gives the same numbers: yes" in told


def test_sizes_too_small_for_the_texts():
    with pytest.raises(ValueError, match=r"max_position_embeddings \(11\).* up to 12 tokens"):
        check_invariants(BertModel(BertConfig(**SIZES | {"max_position_embeddings": 11})))
    with pytest.raises(ValueError, match=r"vocab_size \(2\)"):
        check_invariants(BertModel(BertConfig(**SIZES | {"vocab_size": 2})))
