"""What benchmarks.english measures of a model beside counts of the same text. Chapter 14."""
