"""What goes on inside two trained encoders: the measurements of Chapter 20."""
