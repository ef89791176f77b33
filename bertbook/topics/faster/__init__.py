"""What Chapter 23 alone uses: its checkers, figures and tables."""
