"""What Chapter 25 alone uses: its checkers, figures and tables."""
