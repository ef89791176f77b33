"""What a class must do to play a part of a BERT: in words, and as a check. Chapter 8.

`minibert.parts.use` takes any class or function. From the import of this package on, it takes only
what keeps its contract.
"""

from functools import cache

from minibert.parts import validate_with

from .names import my_name, players_of, role_of
from .require import require_contract, require_role
from .roles import ROLES, Role
from .trial_build import roles_inside
from .words import contract

__all__ = [
    "ROLES",
    "Role",
    "contract",
    "my_name",
    "players_of",
    "require_contract",
    "require_role",
    "role_of",
    "roles_inside",
]

validate_with(cache(require_contract))  # each class is looked at once in each role
