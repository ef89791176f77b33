"""Exercises of Chapter 6 on cutting a word: longest match, fewest pieces."""

import math

from bertbook.core.exercises.exercise import Exercise

_PIECES = "a b cat cats ##s ##a ##b ##ab ##ba un ##aff ##able able".split()
_LONG = "misunderstanding"  # each greedy way takes more pieces than it needs
_ITS_PIECES = "misu ##nder ##stan ##ding misun ##nders ##nding ##rstan ##d ##e ##t ##a".split()
_WORDS = "cats catsa catsabx unaffable aab abab cat dog catx xcat able s".split()


def _longest_match(word, known_pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        fits = [e for e in ends if mark + word[start:e] in known_pieces]
        if not fits:
            return ["[UNK]"]
        found.append(mark + word[start : fits[0]])
        start = fits[0]
    return found


def _match_backward(word, known_pieces):
    """Cut a word greedily from its end."""
    found, end = [], len(word)
    while end:
        tried = [("##" if start else "") + word[start:end] for start in range(end)]
        fitting = [piece for piece in tried if piece in known_pieces]
        if not fitting:
            return ["[UNK]"]
        found.insert(0, fitting[0])
        end -= len(fitting[0].removeprefix("##"))
    return found


def _match_fewest(word, known_pieces):
    """Cut a word into as few pieces as possible."""
    cuts = {0: []}
    for end in range(1, len(word) + 1):
        last = {start: ("##" if start else "") + word[start:end] for start in cuts}
        found = [[*cuts[start], piece] for start, piece in last.items() if piece in known_pieces]
        cuts |= {end: min(found, key=len)} if found else {}
    return cuts.get(len(word), ["[UNK]"])


check_longest_match = Exercise(
    "Cut one word by greedy longest match; return the list of its pieces, or [UNK] alone.",
    _longest_match,
    cases=[*((word, _PIECES) for word in _WORDS), (_LONG, _ITS_PIECES)],
    forbidden=["longest_match"],
    mistakes={
        "fits[0] → fits[-1]": "Begin with the whole rest of the word, and shorten it.",
        'mark = "##" → mark = ""': "What do pieces inside a word begin with?",
        'return ["[UNK]"] → return [*found, "[UNK]"] ¦ found.append("[UNK]"); start += 1; continue '
            '¦ start += 1; continue ¦ return [*found, "##[UNK]" if found else "[UNK]"] ¦ return '
            'found ¦ return ["[UNK]"] * max(1, len(found))':
            "One gap makes the whole word unknown: [UNK] alone.",
        '→ " ".join(right(word, known_pieces))': "Return a list, not one string.",
        "found.append(mark + → found.append(": "Pieces inside a word keep their ##.",
        'return ["[UNK]"] → return [word] ¦ return []': "What stands for an unknown word?",
        "mark + word[start : fits[0]] → fits[0]": "Return the pieces, not where they end.",
        "start = fits[0] → return found": "You stop too soon.",
        "→ sorted(right(word, known_pieces))": "Keep the word's order.",
        '→ sorted((p for p in known_pieces if p.removeprefix("##") in word), key=len, '
            'reverse=True) or ["[UNK]"]': "Those are all known pieces that occur in the word.",
        "mark + word[start:e] in → word[start:e] in": "Where may a piece with ## stand, and where "
            "one without?",
        _match_backward: "You cut from the end of the word. Its beginning comes first.",
        _match_fewest: "You cut into as few pieces as possible. Take the longest piece each time.",
        "len(word), start, -1 → len(word), start + 1, -1": "Does your loop begin with the last "
            "letter, and stop at a single one?",
    },
)  # fmt: skip

_BITS = "file files need needles ##systems ##yst ##em ##s ##e ##less ##ly ##sl ##y ##lessly".split()


def _fewest_pieces(word, known_pieces):
    fewest = [0]
    for end in range(1, len(word) + 1):
        counts = [
            fewest[start] + 1
            for start in range(end)
            if ("##" if start else "") + word[start:end] in known_pieces
        ]
        fewest.append(min(counts, default=math.inf))  # pyright: ignore[reportArgumentType]
    return 0 if fewest[-1] == math.inf else fewest[-1]


def _length_of(cut):
    """Count the pieces of some way to cut a word, 0 if there is none."""
    return lambda word, pieces: 0 if (found := cut(word, pieces)) == ["[UNK]"] else len(found)


check_fewest_pieces = Exercise(
    "Count the fewest pieces that make up a word; 0 if no pieces do.",
    _fewest_pieces, seconds=5,
    cases=[
        *((word, _BITS) for word in ["filesystems", "needlessly", "needles", "file", "filesx"]),
        *(("less", _BITS), ("filesystemss", _BITS), (_LONG, _ITS_PIECES)),
        *(("abcd", ["ab", "abc", "##cd"]), ("abcd", ["ab", "##c", "##d", "##bcd"])),
        ("a" * 60, ["a", "##a", "##aa"]),  # too long to try all ways
    ],
    mistakes={
        (_length_of(_longest_match), _length_of(
            _match_backward)):
            "A shorter piece may do better than the longest.",
        "→ both = (_length_of(cut)(word, known_pieces) for cut in (_longest_match, "
            "_match_backward)); return min(filter(None, both), default=0)": "Both ways are greedy.",
        "min(…) → [math.inf, *(n for n in counts if n < math.inf)][-1]":
            "Which of all ways has the fewest pieces?",
        '("##" if start else "") + word → word': "What do pieces inside a word begin with?",
        ("fewest[start] + 1 → fewest[start]", "fewest = [0] → fewest = [1]"): "Each piece is 1.",
        "return 0 → return 99 ¦ return -1 ¦ return 1 ¦ return math.inf": "Return 0 for no cut.",
        "→ at = [i for i in range(1, len(word)) if {word[:i], '##' + word[i:]} <= "
            "{*known_pieces}]; return 1 if word in known_pieces else 2 * bool(at)": "You try one "
            "cut.",
        "→ sum(p.removeprefix('##') in word for p in known_pieces)": "Which of them make it up?",
        "→ [p for p in _match_fewest(word, known_pieces) if p != '[UNK]']": "Return their number.",
        "→ bare = {p.removeprefix('##') for p in known_pieces}; return right(word, {*bare, *('##' "
            "+ p for p in bare)})": "Only at its beginning has a piece no ##.",
        '("##" if start else "") + → "##" +': "Has the first piece a ##?",
        "default=math.inf → default=0": "What does a beginning cost that no pieces make up?",
    },
)  # fmt: skip
