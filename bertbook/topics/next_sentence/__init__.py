"""What Chapter 12 alone uses: its checkers, figures and tables."""
