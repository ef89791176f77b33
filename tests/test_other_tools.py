"""What the README shows for ONNX, TorchScript and PEFT, run as it stands there."""

from pathlib import Path
from typing import Any

import peft
import pytest
import torch
from bert_pairs import SMALL, build, close

from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

README = Path(__file__).parents[1] / "README.md"
TEXTS = (["a cat"], ["a", "the cat", "cat cat cat cat cat"], ["the dog a cat", "a"])
tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "the", "old", "cat", "dog"])
BATCH = tokenizer(["a cat", "the old dog"])
NAMES = ["input_ids", "attention_mask", "token_type_ids"]
LABELS = torch.tensor([1, 1])
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("unchecked")]


def run(number, **names: Any):
    """Run a piece of Python of the README: ONNX, TorchScript, PEFT."""
    text = README.read_text(encoding="utf-8").partition("<strong>With other tools")[2]
    found = text.partition("</details>")[0].split("```python\n")[1:]
    assert len(found) == 3
    exec(found[number].partition("```")[0], names)
    return names


def same_numbers(run, model, atol):
    for texts in TEXTS:
        inputs = [tokenizer(texts)[name] for name in NAMES]
        for own, other in zip(run(*inputs), model(*inputs)[:2], strict=True):
            close(torch.as_tensor(own), other.detach(), atol)


@pytest.mark.slow
def test_onnx_takes_every_size(tmp_path, monkeypatch):
    import onnxruntime

    monkeypatch.chdir(tmp_path)
    model = build(SMALL, dtype=torch.float32)
    names = run(0, torch=torch, model=model, batch=BATCH)["names"]
    session = onnxruntime.InferenceSession("model.onnx")
    assert all(given.shape == ["batch", "seq"] for given in session.get_inputs())

    def exported(*inputs):
        return session.run(None, {n: v.numpy() for n, v in zip(names, inputs)})

    same_numbers(exported, model, 1e-4)


def test_the_tracer_takes_every_size():
    model = build(SMALL)
    inputs = tuple(BATCH[name] for name in NAMES)
    same_numbers(run(1, torch=torch, model=model, inputs=inputs)["traced"], model, 1e-12)


def test_the_lines_of_the_readme_for_peft_run():
    names = {"BertForSequenceClassification": BertForSequenceClassification}
    output = run(2, peft=peft, config=SMALL, **names)["model"](**BATCH, labels=LABELS)
    assert output.logits.shape == (2, 2)
    assert output.loss > 0


SPANS = dict.fromkeys(("start_positions", "end_positions"), LABELS)
LORA = peft.LoraConfig, {"target_modules": ["query", "value"]}
PROMPT = peft.PromptTuningConfig, {"num_virtual_tokens": 3}
TASKS = [
    (BertForSequenceClassification, "SEQ_CLS", {"labels": LABELS}, PROMPT),
    (BertForQuestionAnswering, "QUESTION_ANS", SPANS, PROMPT),
    (BertForTokenClassification, "TOKEN_CLS", {"labels": torch.ones(2, 5).long()}, LORA),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "task", "labels", "adapter"), TASKS)
def test_the_task_types_of_peft_learn(kind, task, labels, adapter):
    adapted, options = adapter
    torch.manual_seed(0)
    model = peft.get_peft_model(kind(SMALL), adapted(task_type=task, **options))
    before = {name: tensor.clone() for name, tensor in model.named_parameters()}
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.05)
    losses = []
    for _ in range(10):
        loss = model(**BATCH, **labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    for name, parameter in model.named_parameters():
        assert parameter.requires_grad or torch.equal(parameter, before[name]), name
    assert adapter is PROMPT or model(**BATCH, output_attentions=True).attentions
