"""What Chapter 11 alone uses: its checkers, figures and tables."""
