"""What Chapter 3 alone uses: its checkers, figures and tables."""
