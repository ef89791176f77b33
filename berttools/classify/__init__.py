"""The command ``minibert classify``: from a table of texts and labels to a classifier.

Each step is a file of its own, to be called alone: `table` reads, `duplicates` finds copies,
`splitting` divides, and `prepare` does all of this and says what is odd. `baselines` fits logistic
regression on words and on frozen vectors, `tuning` trains the encoder. `calibration` and
`thresholds` say what an answer is worth, `comparing` chooses, measures and reports,
`saving` writes the folder, and `predict` answers. Chapter 19.
"""
