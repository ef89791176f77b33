"""Real weights: folders in Hugging Face's layout, read strictly and written whole."""

from .load import load_pretrained
from .save import save_pretrained
from .tokenizer_files import load_tokenizer

__all__ = ["load_pretrained", "load_tokenizer", "save_pretrained"]
