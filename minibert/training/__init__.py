"""Training: the schedule, the optimizer, the loop, and runs that survive a power cut.

Nothing here knows BERT. A model is any module whose output has a ``loss``, and data is any iterable
of dictionaries of tensors that can be walked through again.
"""

from .checkpoints import (
    Checkpoint,
    DamagedCheckpoint,
    checkpoint_folders,
    read_checkpoint,
    write_checkpoint,
)
from .config import TrainingConfig, learning_rate_factor
from .devices import autocast_dtype, choose_device
from .optimizer import make_optimizer, parameter_groups
from .processes import Processes
from .stopping import BestWeights
from .stream import BatchStream, seed_torch
from .terms import count_labels, loss_terms
from .trainer import BertTrainer

__all__ = [
    "BatchStream",
    "BertTrainer",
    "BestWeights",
    "Checkpoint",
    "DamagedCheckpoint",
    "Processes",
    "TrainingConfig",
    "autocast_dtype",
    "checkpoint_folders",
    "choose_device",
    "count_labels",
    "learning_rate_factor",
    "loss_terms",
    "make_optimizer",
    "parameter_groups",
    "read_checkpoint",
    "seed_torch",
    "write_checkpoint",
]
