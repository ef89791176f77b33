"""What Chapter 6 alone uses: its checkers, figures and tables."""
