"""What surrounds the heads of tasks: words and pieces, windows of a passage. Chapters 17 and 18."""
