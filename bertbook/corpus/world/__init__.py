"""The small world: grammar, stories, and the best that anybody can know of them. Chapter 14."""
