"""A small BERT in plain PyTorch: each chapter of *BERT by Hand* finishes a piece of it.

Import the piece you need, ``from minibert.reference import softmax``; ``import minibert`` alone
loads nothing else.
"""

__version__ = "0.1.0"
