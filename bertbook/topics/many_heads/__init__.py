"""What Chapter 8 alone uses: its checkers, figures and tables."""
