"""The command ``minibert grade``: notebooks in, points and replies out. Chapter 1."""
