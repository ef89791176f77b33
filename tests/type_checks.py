"""How the types in signatures are checked: an int will do for a float, as everywhere in Python."""

from beartype import BeartypeConf, beartype

check_types = beartype(conf=BeartypeConf(is_pep484_tower=True))
