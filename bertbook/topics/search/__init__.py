"""What Chapter 22 alone uses: its checkers, figures and tables."""
