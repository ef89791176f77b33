"""What Chapter 17 alone uses: its checkers, figures and tables."""
