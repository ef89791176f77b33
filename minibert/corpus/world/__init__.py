"""The small world: its grammar, its stories, and the best that anybody can know of them.

Chapter 14.
"""
