"""What Chapter 10 alone uses: its checkers, figures and tables."""
