"""What two processes compute together, beside what one computes alone, for ``benchmarks.gpu``."""

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

from minibert.training import Processes, TrainingConfig, make_optimizer, training_step
from minibert.training.devices import to_device

from .gpu_checks import CONFIG, PLAIN, ROWS, flat_gradient, off
from .gpu_data import Row, build, make_batch

UPDATES, RATE = 3, 0.01
EPSILON = 1e-3  # large, so that Adam does not hang on mere signs of gradients near 0


def off_alone(processes: Processes, device: torch.device) -> dict[str, float]:
    """Return how far gradient and weights of each way are from those of a single process."""
    batch = to_device(make_batch(ROWS, 40, "padded"), device)
    return {
        "DDP": off(by_ddp(processes, device, batch), alone(device, batch)),
        "FSDP": off(sharded(processes, device, batch), updated(device, batch)),
        "the package's step": off(
            stepped(processes, device, batch), stepped(Processes(), device, batch)
        ),
    }


def model_on(device: torch.device) -> nn.Module:
    """Build the model, always with the same weights."""
    return build(CONFIG, PLAIN, str(device)).train()


def weights_of(model: nn.Module) -> Tensor:
    """Put all weights into one vector."""
    return nn.utils.parameters_to_vector(model.parameters()).detach()


def weighted_loss(model: nn.Module, batch: Row, processes: Processes) -> Tensor:
    """Scale the loss of the own rows so that a mean over processes is one over all labels."""
    mine = processes.shard_batch(batch)
    own, all_labels = ((rows["labels"] != -100).sum() for rows in (mine, batch))
    return model(**mine).loss * processes.world_size * own / all_labels


def alone(device: torch.device, batch: Row) -> Tensor:
    """Compute the gradient of the whole batch."""
    model = model_on(device)
    model(**batch).loss.backward()
    return flat_gradient(model)


def by_ddp(processes: Processes, device: torch.device, batch: Row) -> Tensor:
    """Let PyTorch's wrapper average the gradients."""
    model = DistributedDataParallel(model_on(device))
    weighted_loss(model, batch, processes).backward()
    return flat_gradient(model.module)


def move(model: nn.Module, batch: Row, processes: Processes) -> None:
    """Make some updates."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, eps=EPSILON)
    for _ in range(UPDATES):
        optimizer.zero_grad()
        weighted_loss(model, batch, processes).backward()
        optimizer.step()


def updated(device: torch.device, batch: Row) -> Tensor:
    """Make the updates with the whole batch."""
    model = model_on(device)
    move(model, batch, Processes())
    return weights_of(model)


def sharded(processes: Processes, device: torch.device, batch: Row) -> Tensor:
    """Make the updates with each process keeping its share of every parameter."""
    model, mesh = model_on(device), init_device_mesh(device.type, (processes.world_size,))
    for layer in model.bert.encoder.layer:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    move(model, batch, processes)
    return torch.cat([p.full_tensor().detach().flatten() for p in model.parameters()])


def stepped(processes: Processes, device: torch.device, batch: Row) -> Tensor:
    """Make the updates by the step of the package."""
    model = model_on(device)
    config = TrainingConfig(
        max_steps=UPDATES, seed=0, learning_rate=RATE, adam_epsilon=EPSILON, bf16=False
    )
    optimizer = make_optimizer(model, config)
    for step in range(UPDATES):
        training_step(model, optimizer, [batch], step, config, processes=processes)
    return weights_of(model)
