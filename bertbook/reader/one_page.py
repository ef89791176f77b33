from pathlib import Path
PAGE = Path(__file__).parents[2] / "book" / "bert.py"
