"""What makes the book *BERT by Hand* answer: texts, figures, checkers, the museum, her own file.

The package `minibert` is complete without it and imports nothing of it.
"""
