"""What Chapter 20 alone uses: its checkers, figures and tables."""
