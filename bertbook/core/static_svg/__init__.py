"""A second form of every figure, a drawing in light colors for viewers that show no HTML."""
