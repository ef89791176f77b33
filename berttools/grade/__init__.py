"""The command ``python -m berttools.grade``: notebooks in, points and replies out. Chapter 1."""
