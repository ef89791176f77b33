"""Texts with answers, packed with the book. Chapters 16, 17, 19 and 20."""
