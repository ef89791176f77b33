"""The command ``python -m minibert.classify``: from a table of texts and labels to a classifier.

Each step is a file of its own, to be called alone: `table` reads, `duplicates` finds copies and
leaks, `splitting` divides, `words` counts them as a rival, `weighting` helps rare classes, `tuning`
trains the encoder, `calibration` and `thresholds` say what an answer is worth, `scores` measures.
Chapter 19.
"""
