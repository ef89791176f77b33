"""What Chapter 7 alone uses: its checkers, figures and tables."""
