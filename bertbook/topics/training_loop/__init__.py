"""What Chapter 13 alone uses: its checkers, figures and tables."""
