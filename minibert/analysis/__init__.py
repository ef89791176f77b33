"""Looking inside: what attention does, what takes it away, and what vectors know. Chapters 20 and 21."""
