"""What a class must do to play a part of a BERT: in words, and as a check. Chapter 8.

`minibert.parts.use` takes any class or function. From the import of this package on, it takes only
what keeps its contract.
"""

from functools import cache

from minibert.parts import validate_with

from .description import contract
from .names import Part, my_name, original_of, replacements_of, spoken_name
from .parameter_shapes import roles_inside
from .require import require_contract, require_replaceable
from .roles import ROLES, Role

__all__ = [
    "ROLES",
    "Part",
    "Role",
    "contract",
    "my_name",
    "original_of",
    "replacements_of",
    "require_contract",
    "require_replaceable",
    "roles_inside",
    "spoken_name",
]

validate_with(cache(require_contract))  # each class is looked at once in each place
