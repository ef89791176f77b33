"""What Chapter 1 alone uses: its checkers, figures and tables."""
