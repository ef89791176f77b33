"""What Chapter 26 alone uses: its checkers, figures and tables."""
