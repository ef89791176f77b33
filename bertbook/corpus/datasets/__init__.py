"""Texts with answers, packed with the book. Chapters 16 to 19, and 21."""
