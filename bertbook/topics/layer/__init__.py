"""What Chapter 9 alone uses: its checkers, figures and tables."""
