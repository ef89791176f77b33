"""What Chapter 24 alone uses: its checkers, figures and tables."""
