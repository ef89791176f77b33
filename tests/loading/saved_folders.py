"""Folders on disk, ours and transformers', and the classes that go into them."""

import json
from pathlib import Path

import pytest
import torch
import transformers
from bert_pairs import Batch, build, build_pair, draw_config
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from minibert.loading import load_pretrained
from minibert.loading.files import INDEX, WEIGHTS
from minibert.model import BertModel

FIRST = ["roberta", "distilbert", "albert", "deberta v3", "electra", "modernbert"]  # one of each
SHARDS = [f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)]


def their_folder(folder: Path, kind=BertModel, seed: int = 0, dtype=torch.float32, **options):
    """Let transformers save a model."""
    _, theirs = build_pair(draw_config(seed), seed, dtype, kind=kind)
    theirs.save_pretrained(folder, **options)
    return theirs


def open_theirs(
    folder: Path, kind: type[nn.Module], way: str = "eager", **options
) -> tuple[nn.Module, dict]:
    """Let transformers open a folder; it says what it has missed."""
    reference = getattr(transformers, kind.__name__)
    model, report = reference.from_pretrained(
        folder, attn_implementation=way, output_loading_info=True, **options
    )
    return model.eval(), {what: names for what, names in report.items() if names}


def small_folder(folder: Path, kind=BertModel, **changes) -> nn.Module:
    """Write a folder with a model of one layer by hand, without the code that is tested."""
    sizes = {"num_hidden_layers": 1, "vocab_size": 41, "hidden_act": "gelu"} | changes
    config = draw_config(3, **sizes)
    model = build(config, dtype=torch.float32, kind=kind)
    folder.mkdir(exist_ok=True)
    tensors = {n: t.clone() for n, t in model.state_dict().items() if ".decoder." not in n}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    fields = dict(vars(config), model_type="bert")
    (folder / "config.json").write_text(json.dumps(fields), encoding="utf-8")
    return model


def sharded_folder(folder: Path) -> dict[str, str]:
    """Write a folder with three shards."""
    small_folder(folder)
    tensors = load_file(folder / WEIGHTS)
    places = {name: SHARDS[number % 3] for number, name in enumerate(sorted(tensors))}
    for shard in SHARDS:
        its = {name: tensors[name].clone() for name in places if places[name] == shard}
        save_file(its, folder / shard)
    (folder / WEIGHTS).unlink()
    (folder / INDEX).write_text(json.dumps({"weight_map": places}), encoding="utf-8")
    return places


def change_weights(folder: Path, change) -> None:
    """Write the weights of a folder anew, after a function has changed the dict of tensors."""
    tensors = {name: tensor.clone() for name, tensor in load_file(folder / WEIGHTS).items()}
    change(tensors)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})


def renamed(old, new):
    """Return a change of weights: another name for all that have this one in theirs."""

    def change(tensors):
        for name in [name for name in tensors if old in name]:
            tensors[name.replace(old, new)] = tensors.pop(name)

    return change


def change_json(path: Path, **changes) -> None:
    """Change some fields of a JSON file."""
    fields = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps(fields), encoding="utf-8")


def same_weights(ours: nn.Module, other: nn.Module) -> None:
    """Fail unless two models have the same tensors, bit for bit."""
    mine, yours = ours.state_dict(), other.state_dict()
    assert list(mine) == list(yours)
    for name, tensor in mine.items():
        assert tensor.dtype == yours[name].dtype, name
        assert torch.equal(tensor, yours[name]), name


def outputs(model: nn.Module, batch: Batch) -> list[Tensor]:
    """Collect every tensor that a model returns."""
    with torch.no_grad():
        found = model(**batch)
    found = found.to_tuple() if hasattr(found, "to_tuple") else found
    return [tensor for tensor in found if isinstance(tensor, Tensor)]


def in_our_words(caught: BaseException) -> str:
    """Return the message of an error that our code has raised, and show no foreign trace."""
    trace = caught.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    origin = trace.tb_frame.f_code.co_filename
    assert "minibert" in Path(origin).parts, f"raised in {origin}: {caught!r}"
    assert caught.__context__ is None or caught.__suppress_context__, repr(caught)
    assert str(caught)
    return str(caught)


def refused(folder: Path, kind: type[nn.Module] = BertModel, *arguments, **options) -> str:
    """Fail unless a folder is refused in a sentence of ours, and return it."""
    with pytest.raises((ValueError, TypeError, OSError)) as caught:
        load_pretrained(kind, folder, *arguments, **options)
    return in_our_words(caught.value)
