"""The reader's exercise checkers, one module a chapter: your function in, a helpful verdict out."""
