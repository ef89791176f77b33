"""What Chapter 2 alone uses: its checkers, figures and tables."""
