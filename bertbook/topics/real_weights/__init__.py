"""What Chapter 15 alone uses: its checkers, figures and tables."""
