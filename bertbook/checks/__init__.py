"""The reader's exercise checkers, one module a topic: your function in, a helpful verdict out.

`bertbook.checks.module` looks at a whole class of the reader's. The checkers of the first chapters
need no PyTorch, so nothing is imported here.
"""
