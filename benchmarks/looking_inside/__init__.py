"""What goes on inside two trained encoders: the measurements of Chapters 20 and 21."""
