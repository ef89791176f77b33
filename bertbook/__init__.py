"""What makes the book *BERT by Hand* answer: texts, figures, checkers, the museum, your file.

The package `minibert` is complete without it and imports nothing of it.
"""
