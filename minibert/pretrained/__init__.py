"""Real weights: folders in Hugging Face's layout, read strictly and written whole."""

from .loading import load_pretrained
from .saving import save_pretrained
from .tokenizer_files import load_tokenizer

__all__ = ["load_pretrained", "load_tokenizer", "save_pretrained"]
