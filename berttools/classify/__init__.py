"""The command ``minibert classify``: from a table of texts and labels to a classifier.

Each step is a file of its own, to be called alone: `decoding`, `delimited` and `table` read,
`duplicates` finds copies and leaks, `labels` what is no class, `coverage` what a vocabulary does
not know, `splitting` divides. `words` counts words and `frozen` takes the vectors of an encoder,
both with a classifier of `linear`; `tuning` trains the encoder, with the weights of `weighting`.
`candidates` compares them, `calibration` and `thresholds` say what an answer is worth, `scores` and
`report` measure, `saving` and `damage` write and read the folder.
Chapter 19.
"""
