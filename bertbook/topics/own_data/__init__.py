"""What Chapter 19 alone uses: its checkers, figures and tables."""
