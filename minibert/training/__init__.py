"""Training: the schedule, the optimizer, the loop, and runs that survive a power cut.

Nothing here knows BERT. A model is any module whose output has a ``loss``, and data is any iterable
of dictionaries of tensors that can be iterated over again.
"""

from .batch_stream import BatchStream, seed_torch
from .checkpoint import (
    Checkpoint,
    DamagedCheckpoint,
    checkpoint_folders,
    read_checkpoint,
    write_checkpoint,
)
from .config import TrainingConfig, learning_rate_factor
from .devices import autocast_dtype, choose_device
from .evaluation import BestWeights, evaluate
from .loss_terms import count_labels
from .optimizer import make_optimizer, parameter_groups
from .processes import Processes
from .step import StepResult, training_step
from .trainer import BertTrainer

__all__ = [
    "BatchStream",
    "BertTrainer",
    "BestWeights",
    "Checkpoint",
    "DamagedCheckpoint",
    "Processes",
    "StepResult",
    "TrainingConfig",
    "autocast_dtype",
    "checkpoint_folders",
    "choose_device",
    "count_labels",
    "evaluate",
    "learning_rate_factor",
    "make_optimizer",
    "parameter_groups",
    "read_checkpoint",
    "seed_torch",
    "training_step",
    "write_checkpoint",
]
