"""The commands: pre-train, fill, classify and grade, from the command line. Chapters 14 and 19."""
