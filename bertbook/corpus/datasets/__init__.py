"""Texts with answers, packed with the book. Chapters 16, 17, 18 and 20."""
