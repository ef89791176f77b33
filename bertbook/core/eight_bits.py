"""A folder in Hugging Face's layout whose matrices are stored in eight bits. Chapter 23.

The page computes with such a model where 32 bits a number would take too long to load.
"""

import shutil
from pathlib import Path
from typing import TypeVar

from safetensors.torch import load_file, save
from torch import nn

from minibert.disk import atomic_write
from minibert.fast.eight_bits import quantize
from minibert.loading.config_file import read_config
from minibert.loading.files import read_weights

SCALE = ".scale"  # behind the name of a matrix: one number for each of its rows
OTHER_FILES = ("config.json", "vocab.txt", "tokenizer_config.json")
Model = TypeVar("Model", bound=nn.Module)


def save_in_eight_bits(folder: str | Path, new: str | Path) -> None:
    """Write the model of a folder into a new one, its matrices as whole numbers and scales.

    Each row of a matrix becomes whole numbers from -127 to 127 and one scale, as
    :func:`minibert.fast.eight_bits.quantize` writes it; vectors stay as they are.
    """
    folder, new = Path(folder), Path(new)
    tensors = {}
    for name, tensor in read_weights(folder).items():
        if tensor.ndim == 2:
            tensors[name], scale = quantize(tensor)
            tensors[name + SCALE] = scale[:, 0].contiguous()  # (rows)
        else:
            tensors[name] = tensor.float()
    new.mkdir(parents=True, exist_ok=True)
    with atomic_write(new / "model.safetensors") as path:
        path.write_bytes(save(tensors, metadata={"format": "pt"}))
    for name in OTHER_FILES:
        shutil.copyfile(folder / name, new / name)


def load_from_eight_bits(model_class: type[Model], folder: str | Path) -> Model:
    """Build a model with the numbers of a folder that :func:`save_in_eight_bits` has written.

    The model computes with 32 bits, as the page does: each weight is a whole number times the
    scale of its row.
    """
    folder = Path(folder)
    stored = load_file(folder / "model.safetensors")
    if not any(name.endswith(SCALE) for name in stored):
        raise ValueError(f"{str(folder)!r} is not in eight bits; load_pretrained opens it")
    config, _ = read_config(folder, model_class)
    model = model_class(config)
    weights = {
        name: tensor * stored[name + SCALE][:, None] if name + SCALE in stored else tensor
        for name, tensor in stored.items()
        if not name.endswith(SCALE)
    }
    tied = {name: tensor for name, tensor in model.state_dict().items() if ".decoder." in name}
    model.load_state_dict(tied | weights)  # the decoder is the table of the embeddings once more
    return model.eval()
