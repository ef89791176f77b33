"""What every test stands on: the environment in which chapters are stored, and fixed chance."""

import os

from hypothesis import settings
from notebooks import KERNEL_ENVIRONMENT

os.environ.update(KERNEL_ENVIRONMENT)

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
