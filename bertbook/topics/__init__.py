"""One folder per chapter, named after its topic: what that chapter alone uses."""
