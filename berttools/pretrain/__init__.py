"""The command ``python -m berttools.pretrain``: a BERT from your own text files.

`options` reads what was typed, `plan` keeps it with the run, `texts` opens the text, `run` does the
work, `signals` ends it early without loss, `report` says what came of it, `guard` and `messages`
put failures into a sentence, and `output` shows it.
"""
