"""The command ``minibert pretrain``: a BERT from your own text files.

`command` reads what was typed, `plan` keeps it with the run, `texts` opens the text, `run` does the
work, `report` says what came of it. What all commands share is in `berttools.cli`.
"""
