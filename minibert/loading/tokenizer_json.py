"""tokenizer.json: a whole tokenizer in one file, read only if it is BERT's. Chapter 15."""

from pathlib import Path
from typing import Any

from minibert.wordpiece import SPECIAL_TOKENS

from .files import damaged, list_names, read_json, require_value

WHOLE = "tokenizer.json"

# Members of the family whose tokenizers are BERT's under another name.
SAME_TOKENIZER = ("Bert", "DistilBert", "Electra")

# Keys that could stand for another way of cutting text, and the values that stand for BERT's.
REQUIRED_VALUES = {
    "tokenizer_class": (
        "BertTokenizer",
        *(f"{member}Tokenizer{end}" for member in SAME_TOKENIZER for end in ("", "Fast")),
        None,
    ),
    "tokenize_chinese_chars": (True, None),
    "do_basic_tokenize": (True, None),
    "never_split": (None, []),
    "unk_token": ("[UNK]",),
    "sep_token": ("[SEP]",),
    "pad_token": ("[PAD]",),
    "cls_token": ("[CLS]",),
    "mask_token": ("[MASK]",),
}

# What must stand in each part of the file, for ours to cut text in the same way.
REQUIRED_PARTS: dict[str, dict[str, Any]] = {
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    },
    "normalizer": {"type": "BertNormalizer", "clean_text": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}
FLAGS = ("single_word", "lstrip", "rstrip", "normalized")

CLS, SEP, SEP_B = (
    {"SpecialToken": {"id": token, "type_id": segment}}
    for token, segment in (("[CLS]", 0), ("[SEP]", 0), ("[SEP]", 1))
)
A, B = ({"Sequence": {"id": text, "type_id": segment}} for segment, text in enumerate("AB"))


def read_tokenizer_json(path: Path) -> tuple[list[str], dict[str, Any]]:
    """Read the pieces of a tokenizer.json, and what it says of capitals, accents, added tokens."""
    whole = read_json(path)
    for part, required in REQUIRED_PARTS.items():
        for key, value in required.items():
            require_value(path, f"{part}.{key}", _get(whole, part, key), value)
    ids = _read_ids(path, _get(whole, "model", "vocab"))
    _require_special_tokens(path, whole.get("added_tokens"), ids)
    _require_template(path, whole.get("post_processor"), ids)
    normalizer = whole["normalizer"]
    fields = {
        "do_lower_case": normalizer.get("lowercase"),
        "strip_accents": normalizer.get("strip_accents"),
        "tokenize_chinese_chars": normalizer.get("handle_chinese_chars"),
        "added_tokens": whole.get("added_tokens"),
    }
    return sorted(ids, key=ids.__getitem__), fields


def require_bert(path: Path, fields: dict[str, Any]) -> None:
    """Raise for the fields of a tokenizer that would cut the text in another way."""
    for key, allowed in REQUIRED_VALUES.items():
        value = fields.get(key, allowed[0])
        if isinstance(value, dict):  # a special token with its properties
            value = value.get("content")
        require_value(path, key, value, *allowed)


def _get(fields: object, *keys: str) -> Any:
    for key in keys:
        fields = fields.get(key) if isinstance(fields, dict) else None
    return fields


def _read_ids(path: Path, ids: object) -> dict[str, int]:
    """Return the ids of the pieces; raise unless they count from 0 and none is missing."""
    if not isinstance(ids, dict) or not all(type(number) is int for number in ids.values()):
        raise damaged(path, ": model.vocab is no object from pieces to ids")
    if wrong := sorted(set(ids.values()) ^ set(range(len(ids)))):
        rule = f"the ids of {len(ids)} pieces must run from 0 to {len(ids) - 1}, each once"
        raise damaged(path, f": {rule}, but not so {list_names(map(str, wrong), most=5)}")
    if missing := [token for token in SPECIAL_TOKENS if token not in ids]:
        raise damaged(path, f": model.vocab lacks {', '.join(missing)}")
    return ids


def _require_special_tokens(path: Path, tokens: object, ids: dict[str, int]) -> None:
    """Raise unless the five tokens of every BERT are cut out of the text beforehand."""
    tokens = tokens if isinstance(tokens, list) else []
    added = {str(_get(token, "content")): token for token in tokens}
    for content in SPECIAL_TOKENS:
        token = added.get(content)
        require_value(path, f"the id of the added token {content}", _get(token, "id"), ids[content])
        for flag in FLAGS:
            require_value(path, f"{flag} of the added token {content}", _get(token, flag), False)


def _require_template(path: Path, post_processor: object, ids: dict[str, int]) -> None:
    """Raise for anything but ``[CLS] A [SEP]`` and ``[CLS] A [SEP] B [SEP]``."""
    of_bert = {name: [f"[{name.upper()}]", ids[f"[{name.upper()}]"]] for name in ("sep", "cls")}
    if post_processor == {"type": "BertProcessing", **of_bert}:
        return
    name = "post_processor"
    require_value(path, f"{name}.type", _get(post_processor, "type"), "TemplateProcessing")
    require_value(path, f"{name}.single", _get(post_processor, "single"), [CLS, A, SEP])
    require_value(path, f"{name}.pair", _get(post_processor, "pair"), [CLS, A, SEP, B, SEP_B])
    for token in ("[CLS]", "[SEP]"):
        its = _get(post_processor, "special_tokens", token, "ids")
        require_value(path, f"{name}.special_tokens.{token}.ids", its, [ids[token]])
