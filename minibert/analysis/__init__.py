"""Looking inside: what heads do, and what vectors know. Chapters 20 and 21."""
