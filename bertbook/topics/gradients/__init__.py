"""What Chapter 4 alone uses: its checkers, figures and tables."""
