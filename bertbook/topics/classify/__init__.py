"""What Chapter 16 alone uses: its checkers, figures and tables."""
