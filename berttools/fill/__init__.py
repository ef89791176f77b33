"""The command ``minibert fill``: what a BERT puts for each ``[MASK]``. Chapter 14."""
