"""The command ``minibert classify``: from a table of texts and labels to a classifier.

Each step is a file of its own, to be called alone: `decoding`, `delimited` and `table` read,
`duplicates` finds copies and leaks, `splitting` divides, `notes` says what is odd, and `prepare`
does all of this. `baselines` fits logistic regression on words and on frozen vectors, `tuning`
trains the encoder, with the weights of `weighting`; `candidates` compares them. `calibration` and
`thresholds` say what an answer is worth, `scores` and `evaluate` measure, `render` writes the
report, `saving` the folder, and `predict` answers. Chapter 19.
"""
