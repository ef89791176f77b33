"""The hundred sentences, and the best loss that counting can reach on them. Chapter 5."""
