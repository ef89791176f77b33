"""Training: the schedule, the optimizer, the loop, and runs that survive a power cut.

Nothing here knows BERT. A model is any module whose output has a ``loss``, and data is any iterable
of dictionaries of tensors that can be iterated over again.
"""

from .checkpoint import checkpoint_folders
from .config import TrainingConfig, learning_rate_factor
from .devices import autocast_dtype, choose_device
from .evaluation import evaluate
from .optimizer import make_optimizer, parameter_groups
from .processes import Processes
from .step import StepResult, training_step
from .trainer import BertTrainer

__all__ = [
    "BertTrainer",
    "Processes",
    "StepResult",
    "TrainingConfig",
    "autocast_dtype",
    "checkpoint_folders",
    "choose_device",
    "evaluate",
    "learning_rate_factor",
    "make_optimizer",
    "parameter_groups",
    "training_step",
]
