"""A compiler follows the whole step: no graph breaks, and the same loss and gradient."""

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_labels
from tasks import ALL

from minibert.fast import CheckpointedLayer, fast_parts
from minibert.layer import BertLayer
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

PARTS = {"plain": dict, "fast": fast_parts, "checkpointed": lambda: {BertLayer: CheckpointedLayer}}
BATCH = draw_batch(SMALL, seed=3)
LABELS = draw_labels(SMALL, BATCH, seed=4)
WHOLE = {name: rows for name, rows in BATCH.items() if name != "attention_mask"}

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.fixture(autouse=True)
def forget_graphs():
    torch._dynamo.reset()


@pytest.mark.parametrize("batch", [BATCH, WHOLE], ids=["mask", "no mask"])
@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
def test_a_step_is_one_graph(kind, parts, batch):
    labels = LABELS if kind is BertForPreTraining else {"labels": LABELS["labels"]}
    with override(PARTS[parts]()):
        model = build(SMALL, kind=kind)
    found = []
    for each in (model, torch.compile(model, fullgraph=True, backend="eager")):
        model.zero_grad()
        loss = each(**batch, **labels).loss
        loss.backward()
        found.append([loss, *(p.grad for p in model.parameters() if p.grad is not None)])
    for eager, compiled in zip(*found, strict=True):
        close(compiled, eager, atol=1e-12)


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_a_loss_of_a_task_is_one_graph_and_needs_no_entry(task):
    model, labels = build(SMALL, kind=task.kind, **task.task), task.labels(BATCH, 0)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    close(compiled(**BATCH, **labels).loss, model(**BATCH, **labels).loss, atol=1e-12)
    somewhere = {name: values.to("meta") for name, values in (BATCH | labels).items()}
    assert model.to("meta")(**somewhere).loss.shape == ()
