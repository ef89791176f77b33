"""What Chapter 18 alone uses: its checkers, figures and tables."""
