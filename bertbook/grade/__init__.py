"""The command ``python -m bertbook.grade``: notebooks in, points and replies out. Chapter 1."""
