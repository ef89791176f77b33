"""Looking inside: what heads do, what vectors know, how well a search ranks. Chapters 20 to 22."""
