"""From a folder to a model: every number comes from a file, unless named as new. Chapter 15."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from minibert.inputs import FLOATS
from minibert.model import initialize_weights

from .config_file import keep_fields, read_arguments, read_config, require_labels, require_sizes
from .files import Tensors, find_folder, read_weights, wrong_dtypes
from .weight_names import Names, belongs_to, match_names, names_of, repair_names, without_wrappers

Model = TypeVar("Model", bound=nn.Module)


def load_pretrained(
    model_class: type[Model],
    directory: str | Path,
    *,
    new: Collection[str] = (),
    unused: Collection[str] = (),
    **arguments: Any,
) -> Model:
    """Build a model and give it the weights of a folder in Hugging Face's layout.

    Model and file must have the same tensors in the same shapes; old names are repaired first. What
    they do not have in common must be named. A task's head on an encoder is
    ``new=("classifier",)``; the encoder out of a model of pre-training is ``unused=("cls",)``. If
    either is forgotten, the error says what to name. The weights are mapped into memory, so that no
    number is read or held twice; the model has the number type of the file, and dropout is off, as
    after ``eval()``.

    Args:
        model_class: `BertModel` or a model with a head, or one of the family; built as
            ``model_class(config, **arguments)``.
        directory: A folder with ``config.json`` and ``model.safetensors``, or an index and its
            shards; or the name of a model on the Hugging Face Hub, with huggingface_hub installed.
        new: Parts of the model that start with fresh weights, drawn by torch's global generator.
        unused: Parts of the file that are left out.
        **arguments: What else the class is built with. A task model gets the names of its labels
            from the file, unless `id2label` or `num_labels` is given.

    Returns:
        On the CPU; no parameter is undefined.

    A model of masked words, and then a task on its encoder, with a head and labels of its own:

    >>> import tempfile
    >>> from minibert.config import BertConfig
    >>> from minibert.loading import save_pretrained
    >>> from minibert.pretraining import BertForMaskedLM
    >>> from minibert.tasks import BertForTokenClassification
    >>> folder = tempfile.mkdtemp()
    >>> save_pretrained(BertForMaskedLM(BertConfig.tiny(vocab_size=89)), folder)
    >>> parts = {"new": ("classifier",), "unused": ("cls",), "num_labels": 3}
    >>> load_pretrained(BertForTokenClassification, folder, **parts).num_labels
    3
    """
    for keyword, parts in (("new", new), ("unused", unused)):
        if isinstance(parts, str):  # its letters would be taken for parts
            raise TypeError(f"{keyword} must list names of parts: write {keyword}=({parts!r},)")
    folder = find_folder(directory)
    config, fields = read_config(folder, model_class)
    tensors = read_weights(folder)
    require_sizes(config, fields, tensors)
    given = {"num_labels", "id2label"} & arguments.keys()
    arguments = read_arguments(folder, model_class, config, fields, arguments)
    with init_empty_weights():  # all numbers come from below
        model = model_class(config, **arguments)
    names = names_of(model)
    prefix = getattr(model_class, "base_model_prefix", "bert") + "."
    prefixed = any(name.startswith(prefix) for name in names.shapes)
    tensors = without_wrappers(tensors, names.shapes, prefix)
    tensors = repair_names(tensors, prefixed, prefix)
    if not given:
        require_labels(model, names.shapes, tensors, fields, new)
    chosen = match_names(model_class.__name__, names, tensors, new, unused)
    _make_what_no_file_holds(model, lambda: model_class(config, **arguments))
    dtype = _widest_dtype(chosen)
    chosen = {name: tensor.to(dtype) for name, tensor in chosen.items()}
    _assign(model, names, chosen | _draw(model, names, new, dtype))
    keep_fields(model, fields)
    return model.eval()


@contextmanager
def init_empty_weights() -> Iterator[None]:
    """Build modules on the meta device, where tensors have shapes and no numbers."""
    with torch.device("meta"), _SkipNormal():
        yield


class _SkipNormal(TorchFunctionMode):
    """Skip normal draws: on the meta device they import PyTorch's compiler, which takes seconds."""

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "").endswith("normal_"):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def _widest_dtype(tensors: Tensors) -> torch.dtype:
    """Return the type that holds every number of a file, as float32 does for float16 beside it."""
    examples = {tensor.dtype: name for name, tensor in tensors.items()}
    if not examples.keys() <= set(FLOATS):
        raise ValueError(wrong_dtypes(examples, "the file"))
    return reduce(torch.promote_types, examples)


def _draw(model: Any, names: Names, new: Collection[str], dtype: torch.dtype) -> Tensors:
    for part in new:
        modules = [*_modules_of(model, names, part)]
        if not modules and part in names.places:
            _draw_tensor(*names.places[part][0], model.config.initializer_range, dtype)
        elif not modules:
            parts = ", ".join(dict.fromkeys(name.partition(".")[0] for name in names.shapes))
            raise ValueError(
                f"new names {part!r}, but {type(model).__name__} has no such part; it has {parts}"
            )
        for module in modules:
            for one in module.to_empty(device="cpu").to(dtype).modules():
                draw = getattr(one, "reset_parameters", None)  # of layers that BERT has not, too
                if draw is not None and not isinstance(one, nn.Linear | nn.Embedding):
                    draw()
            initialize_weights(module, model.config.initializer_range)
    return {
        name: getattr(*place)
        for name, places in names.places.items()
        for place in places[:1]
        if belongs_to(name, new)
    }


@torch.no_grad()
def _draw_tensor(owner: nn.Module, own: str, initializer_range: float, dtype: torch.dtype) -> None:
    """Draw one tensor as it would be drawn with its module."""
    fresh = torch.zeros(getattr(owner, own).shape, dtype=dtype)
    if own != "bias":
        is_norm = isinstance(owner, nn.LayerNorm)
        fresh = fresh.fill_(1) if is_norm else fresh.normal_(std=initializer_range)
    setattr(owner, own, nn.Parameter(fresh))


def _modules_of(model: nn.Module, names: Names, part: str) -> Iterator[nn.Module]:
    """Yield the largest modules of a part: the first names of all their tensors belong to it."""
    listed: set[nn.Module] = set()
    for module in model.modules():
        inside = set(module.modules())
        here = [name for name, at in names.places.items() if at and at[0][0] in inside]
        if module not in listed and here and all(belongs_to(name, (part,)) for name in here):
            listed |= inside
            yield module


def _make_what_no_file_holds(model: nn.Module, build: Callable[[], nn.Module]) -> None:
    """Give a model the tensors that it makes itself: buffers that are not saved, and plain ones."""
    saved = model.state_dict().keys()
    made = [
        (path, name)
        for path, module in model.named_modules()
        for name, value in (*vars(module).items(), *module.named_buffers(recurse=False))
        if isinstance(value, torch.Tensor)
        and value.is_meta
        and f"{path}.{name}".removeprefix(".") not in saved
    ]
    if made:
        with torch.random.fork_rng(devices=[]):
            whole = build()
        for path, name in made:
            setattr(model.get_submodule(path), name, getattr(whole.get_submodule(path), name))


def _assign(model: nn.Module, names: Names, tensors: Mapping[str, torch.Tensor]) -> None:
    """Assign each tensor to the modules that hold it, tied ones together."""
    for name, tensor in tensors.items():
        old = getattr(*names.places[name][0])
        if isinstance(old, nn.Parameter):  # what is frozen stays so, and a buffer stays a buffer
            tensor = nn.Parameter(tensor, requires_grad=old.requires_grad)
        for module, own in names.places[name]:
            setattr(module, own, tensor)
    held = [*model.named_parameters(), *model.named_buffers()]
    if undefined := [name for name, tensor in held if tensor.is_meta]:
        raise RuntimeError(
            f"{type(model).__name__} has tensors that no file can hold: {', '.join(undefined)}; "
            "keep them in the state dict"
        )
