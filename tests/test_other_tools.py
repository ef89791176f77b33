"""What the README shows for ONNX, TorchScript and PEFT, run as it stands there."""

from pathlib import Path

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


def blocks():
    """Cut the pieces of Python out of the README: ONNX, TorchScript, PEFT."""
    text = README.read_text(encoding="utf-8").partition("<strong>With other tools")[2]
    parts = text.partition("</details>")[0].split("```python\n")[1:]
    found = [part.partition("```")[0] for part in parts]
    assert len(found) == 3
    return found


def prepared(dtype=torch.float32):
    """Give the names that stand in the text of the README."""
    model = build(SMALL, dtype=dtype)
    batch = tokenizer(["a cat", "the old dog"])
    return {"torch": torch, "model": model, "batch": batch, "tokenizer": tokenizer}


def same_numbers(run, model, names, atol):
    for texts in TEXTS:
        inputs = [tokenizer(texts)[name] for name in names]
        for own, other in zip(run(*inputs), model(*inputs)[:2], strict=True):
            close(torch.as_tensor(own), other.detach(), atol)


# The exporter warns of its own ways.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("unchecked")
def test_onnx_takes_every_size(tmp_path, monkeypatch):
    import onnxruntime

    monkeypatch.chdir(tmp_path)
    space = prepared()
    exec(blocks()[0], space)
    session = onnxruntime.InferenceSession("model.onnx")
    assert all(given.shape == ["batch", "seq"] for given in session.get_inputs())

    def run(*inputs):
        return session.run(None, {n: v.numpy() for n, v in zip(space["names"], inputs)})

    same_numbers(run, space["model"], space["names"], 1e-4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.usefixtures("unchecked")
def test_the_tracer_takes_every_size():
    space = prepared(torch.float64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    space["inputs"] = tuple(space["batch"][name] for name in names)
    exec(blocks()[1], space)
    same_numbers(space["traced"], space["model"], names, 1e-12)


LABELS = torch.tensor([1, 1])
WHERE = dict.fromkeys(("start_positions", "end_positions"), LABELS)
LORA = peft.LoraConfig, {"r": 2, "target_modules": ["query", "value"]}
PROMPT = peft.PromptTuningConfig, {"num_virtual_tokens": 3}
CASES = [
    *((BertForSequenceClassification, "SEQ_CLS", {"labels": LABELS}, x) for x in (LORA, PROMPT)),
    *((BertForQuestionAnswering, "QUESTION_ANS", WHERE, x) for x in (LORA, PROMPT)),
    (BertForTokenClassification, "TOKEN_CLS", {"labels": torch.ones(2, 5).long()}, LORA),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("unchecked")  # PEFT gives None for what nobody asks for
@pytest.mark.parametrize(("kind", "task", "labels", "adapter"), CASES)
def test_the_task_types_of_peft_learn(kind, task, labels, adapter):
    adapted, options = adapter
    torch.manual_seed(0)
    model = peft.get_peft_model(kind(SMALL), adapted(task_type=task, **options))
    assert model.device == torch.device("cpu")
    before = {name: tensor.clone() for name, tensor in model.named_parameters()}
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=0.05)
    batch = dict(tokenizer(["a cat", "the old dog"]))
    losses = []
    for _ in range(10):
        loss = model(**batch, **labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    for name, parameter in model.named_parameters():
        assert parameter.requires_grad or torch.equal(parameter, before[name]), name
    if adapter is LORA:
        assert model(**batch, output_attentions=True).attentions


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("unchecked")
def test_the_lines_of_the_readme_for_peft_run():
    space = {"peft": peft, "config": SMALL}
    space["BertForSequenceClassification"] = BertForSequenceClassification
    exec(blocks()[2], space)
    output = space["model"](**tokenizer(["a cat", "the old dog"]), labels=LABELS)
    assert output.logits.shape == (2, 2)
    assert output.loss > 0
