"""What Chapter 14 alone uses: its checkers, figures and tables."""
