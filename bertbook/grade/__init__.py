"""The command ``python -m bertbook.grade``: a folder of notebooks in, points and replies out. Chapter 1."""
