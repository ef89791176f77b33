"""Encoders of transformers: no right one is accused, and those that read padding are."""

import pytest
import torch
import transformers
from effort import mostly_thorough

from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants

# As a reader meets them: without the checks of shapes that only tests have.
pytestmark = pytest.mark.usefixtures("unchecked")
PADDING = "padding_changes_nothing"
CHANGES, LOSS = "every_token_changes_every_token", "labels_count_alike"
SPLIT, GRADIENTS = "split_batch_is_whole_batch", "gradients_reach_everything"
HEADS = ["MaskedLM", "SequenceClassification", "TokenClassification", "QuestionAnswering"]
HEADS += ["MultipleChoice"]
NARROW = {"embedding_size": 6}
FAR = {"max_position_embeddings": 18}  # places that begin behind the padding id
DISTANCES = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
RIGHT = {  # by name: what its configuration has besides the sizes
    "Bert": {},
    "Roberta": FAR,
    "XLMRoberta": FAR,
    "XLMRobertaXL": FAR,
    "Camembert": FAR,
    "Data2VecText": FAR,
    "RobertaPreLayerNorm": FAR,
    "MPNet": FAR,
    "IBert": FAR,
    "Xmod": FAR | {"languages": ["en_XX", "de_DE"], "default_language": "en_XX"},
    "Electra": NARROW,
    "Albert": NARROW,
    "DistilBert": {},
    "Deberta": DISTANCES,
    "DebertaV2": DISTANCES,
    "ModernBert": {"pad_token_id": 0, "local_attention": 4},
    "BigBird": {"attention_type": "original_full"},
    "Longformer": {"attention_window": 16, "max_position_embeddings": 32},
    "LayoutLM": {},
    "Splinter": {},
    "Esm": {"pad_token_id": 1, "mask_token_id": 5},
    "MegatronBert": {},
    "Ernie": {},
    "RemBert": {"input_embedding_size": 6, "output_embedding_size": 6},
    "XLM": {},
    "Flaubert": {},
}
WRONG = {  # and what they break; of others see what they say
    "ConvBert": ({"num_attention_heads": 4, "embedding_size": 8}, {PADDING}),
    "MobileBert": (NARROW | {"intra_bottleneck_size": 12, "true_hidden_size": 12}, {PADDING}),
    "FNet": ({}, {PADDING}),
    "Nystromformer": ({"num_landmarks": 4, "segment_means_seq_len": 4}, {PADDING}),
    "GPT2": ({}, {CHANGES}),
}


OFTEN = ["Bert", "Roberta", "Albert", "DebertaV2", "ModernBert", "Longformer"]
every_right = pytest.mark.parametrize(
    "name", mostly_thorough(sorted(RIGHT, key=lambda name: name not in OFTEN), len(OFTEN), some=6)
)


def build(name, head="Model", **more):
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**SIZES | more)
    return getattr(transformers, f"{name}{head}")(config)


def asked(findings):
    return {finding.name for finding in findings if finding.holds is not None}


@pytest.mark.slow
@every_right
def test_a_right_encoder_is_not_accused(name):
    findings = check_invariants(build(name, **RIGHT[name]))
    assert findings.broken == [], findings
    assert len(asked(findings)) >= 11


@pytest.mark.slow
@pytest.mark.parametrize("head", mostly_thorough(HEADS, some=1))
@every_right
def test_a_right_head_is_not_accused(name, head):
    head = f"For{head}"
    if hasattr(transformers, f"{name}{head}") and name + head not in (
        "LongformerForQuestionAnswering",  # wants three separators in each text
        "XLMForQuestionAnswering",  # both take the five best tokens, and stop where there are four
        "FlaubertForQuestionAnswering",
        "XLMForMultipleChoice",  # both read the last column, padding or not
        "FlaubertForMultipleChoice",
    ):
        findings = check_invariants(build(name, head, **RIGHT[name]))
        assert findings.broken == [], findings


@pytest.mark.parametrize("name", WRONG)
def test_an_encoder_that_breaks_an_invariant_is_accused(name):
    more, breaks = WRONG[name]
    assert breaks <= set(check_invariants(build(name, **more)).broken)


def test_an_encoder_that_takes_texts_of_one_length_only_refuses():
    sizes = {"num_landmarks": 4, "segment_means_seq_len": 16}  # texts of 16 tokens, and no other
    findings = check_invariants(build("Nystromformer", **sizes))
    assert findings.verdict == "refuses" and findings.broken == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "head", "more", "silent"),
    [
        ("Bert", "ForMultipleChoice", {}, {LOSS, SPLIT}),
        ("Bert", "ForSequenceClassification", {"problem_type": "multi_label_classification"},
         {LOSS}),
        ("Bert", "ForSequenceClassification", {"problem_type": "regression", "num_labels": 3},
         {LOSS}),
        ("Bert", "ForMaskedLM", {"tie_word_embeddings": False}, {GRADIENTS, "table_is_tied"}),
        ("Electra", "ForPreTraining", {}, {LOSS, SPLIT}),
        ("Albert", "ForPreTraining", {}, set()),
        ("BigBird", "ForPreTraining", {}, set()),
        ("BigBird", "ForMaskedLM", {"attention_type": "original_full"}, set()),
        ("Esm", "Model", RIGHT["Esm"], {GRADIENTS}),
        ("Xmod", "Model", RIGHT["Xmod"], {GRADIENTS}),
        ("Longformer", "Model", RIGHT["Longformer"] | {"attention_window": 4},
         {CHANGES, GRADIENTS, "attention_is_shared_among_tokens"}),
        ("Longformer", "ForQuestionAnswering", RIGHT["Longformer"], {PADDING, CHANGES}),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_not_asked(name, head, more, silent):
    findings = check_invariants(build(name, head, **more))
    assert findings.broken == [], findings
    assert not silent & asked(findings)
    told = [f.sentence for f in findings if f.name in silent]
    assert all("nothing to ask" in sentence for sentence in told)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "part"),
    [("Esm", "contact_head.regression.weight"), ("Xmod", "adapter_modules.de_DE")],
)
def test_what_has_no_part_is_named(name, part):
    told = repr(check_invariants(build(name, **RIGHT[name])))
    assert part in told.split("is the slope: nothing to ask, ")[1].split("\n")[0]
