"""What a class must do to replace a part of a BERT: in words, and as a check. Chapter 8.

`minibert.parts.use` takes any class or function. From the import of this package on, it takes only
what fulfills its contract.
"""

from functools import cache

from minibert.parts import validate_with

from .description import contract
from .require import require_contract
from .roles import ROLES, Role

__all__ = ["ROLES", "Role", "contract"]

validate_with(cache(require_contract))  # each class is checked once in each place
