"""The package of *BERT by Hand*: each chapter of the book finishes a piece of it.

Import the piece you need, ``from minibert.reference import softmax``; ``import minibert`` alone
loads nothing else.
"""

__version__ = "0.1.0"
