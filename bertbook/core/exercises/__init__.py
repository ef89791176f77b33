"""Exercises and their checkers: a reader's function in, a verdict with a hint out."""
