"""Looking inside: what attention does, what takes it away, and what vectors know. Chapter 20."""
