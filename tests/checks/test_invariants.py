"""The invariants hold of good models, transformers' own among them, and find every bug."""

import pytest
import torch
import transformers

from minibert import family, pretraining, tasks
from minibert.checks import check_invariants
from minibert.checks.invariants.promises import INVARIANTS
from minibert.checks.museum import ROOMS, broken_model
from minibert.checks.museum.bug import SIZES
from minibert.config import BertConfig
from minibert.model import BertModel

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


BUGS = {bug.name: bug for room in ROOMS.values() for bug in room}
PADDING, MAP = "padding_changes_nothing", "attention_is_shared_among_tokens"
MATES, PLACES = "batch_mates_do_not_matter", "places_matter"
SPLIT, GRADIENTS = "split_batch_is_whole_batch", "gradients_reach_everything"
FINDS = {
    "Jiant465": (PADDING, MAP, "no_mask_means_all_ones"),
    "BertNli3": (PADDING, MAP),
    "KubernetesCloud146": (PADDING, MAP),
    "AllenNlp3465": (PADDING, MAP),
    "LostOnTheWay": (PADDING, MAP),
    "Timm2236": (PADDING, MAP),
    "Transformer40": (PADDING, MAP),
    "Unsloth9848": ("padding_alone_gives_numbers",),
    "Sglang35434": ("every_token_hears_every_token",),
    "Transformers679": ("evaluation_repeats",),
    "PyTorch124464": ("evaluation_repeats",),
    "NormOfTheBatch": ("training_adds_dropout_only",),
    "VisionTransformer1": (PADDING, MAP),
    "PyTorchNlp2": (PADDING, MAP, MATES),
    "FromScratch6": (PADDING,),
    "FuxiCtr30": (PADDING, "every_token_hears_every_token"),
    "NumpyTransformer1": (PLACES, MATES),
    "DeepPavlov1312": ("segments_matter",),
    "Transformers1258": (PLACES,),
    "HappyTransformer128": ("labels_count_alike", SPLIT, GRADIENTS),
    "Transformers2759": ("labels_count_alike", SPLIT),
    "Transformers34191": (SPLIT,),
    "Accelerate1204": ("table_is_tied",),
    "NoWayBack": (GRADIENTS,),
    "Nanochat837": ("calls_stay_apart",),
    "ModernBert141": ("long_texts_are_read_to_the_end",),
    "OutsideOfTheState": ("saved_is_loaded",),
}


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


@pytest.mark.parametrize("name", FINDS)
def test_every_bug_is_found_by_what_should_find_it_and_by_nothing_else(name):
    assert set(check_invariants(broken_model(BUGS[name])).broken) == set(FINDS[name])


def test_the_museum_is_whole():
    assert set(BUGS) == set(FINDS)
    found = {name for finds in FINDS.values() for name in finds}
    assert found == set(INVARIANTS)
    assert len({bug.source for bug in BUGS.values()} - {""}) >= 22


def test_a_model_stays_as_it_was():
    model = build("ours", "BertForMaskedLM").train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    chance = torch.random.get_rng_state()
    check_invariants(model)
    assert model.training and all(p.grad is None for p in model.parameters())
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert torch.equal(chance, torch.random.get_rng_state())


def test_a_broken_invariant_says_what_was_seen():
    told = repr(check_invariants(broken_model(BUGS["ModernBert141"])))
    assert "The longest text is read to its last token: no, 16 tokens went in, 12 came out" in told
    assert "Evaluation twice gives the same numbers: yes" in told


def test_sizes_too_small_for_the_texts():
    with pytest.raises(ValueError, match=r"max_position_embeddings \(11\).* up to 12 tokens"):
        check_invariants(BertModel(BertConfig(**SIZES | {"max_position_embeddings": 11})))
    with pytest.raises(ValueError, match=r"vocab_size \(2\)"):
        check_invariants(BertModel(BertConfig(**SIZES | {"vocab_size": 2})))
