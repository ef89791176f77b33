"""Three words of the King James Bible in several senses, in verses sorted by hand. Chapter 14."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

# Chosen and sorted before any vector was computed; the word stands once in each verse.
SENSES = MappingProxyType(
    {
        "light": {
            "not dark": (
                "Thy word is a lamp unto my feet, and a light unto my path.",
                "He spread a cloud for a covering; and fire to give light in the night.",
                "And the light shineth in darkness; and the darkness comprehended it not.",
                "As long as I am in the world, I am the light of the world.",
                "Arise, shine; for thy light is come, and the glory of the LORD is risen upon "
                "thee.",
                "But if a man walk in the night, he stumbleth, because there is no light in him.",
            ),
            "not heavy": (
                "For my yoke is easy, and my burden is light.",
                "And this is but a light thing in the sight of the LORD: he will deliver the "
                "Moabites also into your hand.",
                "For our light affliction, which is but for a moment, worketh for us a far more "
                "exceeding and eternal weight of glory;",
                "And they gave him threescore and ten pieces of silver out of the house of "
                "Baalberith, wherewith Abimelech hired vain and light persons, which followed him.",
                "But they made light of it, and went their ways, one to his farm, another to his "
                "merchandise:",
            ),
        },
        "rest": {
            "those that are left": (
                "The rest said, Let be, let us see whether Elias will come to save him.",
                "And they smote the rest of the Amalekites that were escaped, and dwelt there unto "
                "this day.",
                "And the rest of the trees of his forest shall be few, that a child may write "
                "them.",
                "If ye then be not able to do that thing which is least, why take ye thought for "
                "the rest?",
                "And he set three days' journey betwixt himself and Jacob: and Jacob fed the rest "
                "of Laban's flocks.",
                "But the rest of the dead lived not again until the thousand years were finished. "
                "This is the first resurrection.",
            ),
            "quiet": (
                "There the wicked cease from troubling; and there the weary be at rest.",
                "Arise, O LORD, into thy rest; thou, and the ark of thy strength.",
                "But the wicked are like the troubled sea, when it cannot rest, whose waters cast "
                "up mire and dirt.",
                "Our necks are under persecution: we labour, and have no rest.",
                "And the land had rest forty years. And Othniel the son of Kenaz died.",
                "There the prisoners rest together; they hear not the voice of the oppressor.",
            ),
        },
        "spirit": {
            "of God": (
                "The Spirit of the LORD spake by me, and his word was in my tongue.",
                "And grieve not the holy Spirit of God, whereby ye are sealed unto the day of "
                "redemption.",
                "Cast me not away from thy presence; and take not thy holy spirit from me.",
                "But if I cast out devils by the Spirit of God, then the kingdom of God is come "
                "unto you.",
                "Whither shall I go from thy spirit? or whither shall I flee from thy presence?",
                "Turn you at my reproof: behold, I will pour out my spirit unto you, I will make "
                "known my words unto you.",
            ),
            "evil": (
                "And Saul's servants said unto him, Behold now, an evil spirit from God troubleth "
                "thee.",
                "When the unclean spirit is gone out of a man, he walketh through dry places, "
                "seeking rest, and findeth none.",
                "Because they said, He hath an unclean spirit.",
                "And there was in their synagogue a man with an unclean spirit; and he cried out,",
                "And when the unclean spirit had torn him, and cried with a loud voice, he came "
                "out of him.",
                "For he said unto him, Come out of the man, thou unclean spirit.",
            ),
            "of a man": (
                "A merry heart doeth good like a medicine: but a broken spirit drieth the bones.",
                "Therefore is my spirit overwhelmed within me; my heart within me is desolate.",
                "He that is slow to anger is better than the mighty; and he that ruleth his spirit "
                "than he that taketh a city.",
                "And my spirit hath rejoiced in God my Saviour.",
                "He that hath knowledge spareth his words: and a man of understanding is of an "
                "excellent spirit.",
                "But Jezebel his wife came to him, and said unto him, Why is thy spirit so sad, "
                "that thou eatest no bread?",
            ),
        },
    }
)


@torch.no_grad()
def nearest_of_same_sense(
    word: str, model: BertForPreTraining, tokenizer: WordPieceTokenizer
) -> dict[str, int]:
    """Count the verses whose nearest other verse has the word in the same sense.

    The vectors are those of the word after the last layer; the rival's are the mean vector of the
    two pieces before and the two after it, from the table, which no layer has seen.
    """
    verses = [verse for group in SENSES[word].values() for verse in group]
    labels = [sense for sense, group in SENSES[word].items() for _ in group]
    table = model.get_parameter("bert.embeddings.word_embeddings.weight")
    after, around = [], []
    for verse in verses:
        batch = tokenizer(verse)
        ids = batch["input_ids"][0]
        place = ids.tolist().index(tokenizer.vocab[word])
        after.append(model.bert(**batch).last_hidden_state[0, place])
        near = [*range(max(1, place - 2), place), *range(place + 1, min(len(ids) - 1, place + 3))]
        around.append(table[ids[near]].mean(dim=0))
    return {
        "verses": len(verses),
        "commonest sense": max(map(labels.count, labels)),
        "two neighbors on each side": _hits(torch.stack(around), labels),
        "BERT": _hits(torch.stack(after), labels),
    }


def _hits(rows: Float[Tensor, "verses hidden"], labels: Sequence[str]) -> int:
    unit = functional.normalize(rows - rows.mean(dim=0))
    nearest = (unit @ unit.T - 9 * torch.eye(len(rows))).argmax(dim=1).tolist()
    return sum(labels[i] == labels[j] for i, j in enumerate(nearest))
