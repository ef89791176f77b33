"""The King James Bible as a corpus: a book that nobody wrote for this one. Chapter 14."""
