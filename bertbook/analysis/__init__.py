"""Measures: of heads, of vectors, of answers, and of a search. Chapters 17, 18 and 20 to 22."""
