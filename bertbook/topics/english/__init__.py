"""What the page on a real book alone uses: questions, and the guesser that counts."""
