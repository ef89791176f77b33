"""What Chapter 5 alone uses: its checkers, figures and tables."""
