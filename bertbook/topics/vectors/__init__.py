"""What Chapter 21 alone uses: its checkers, figures and tables."""
