"""Texts to learn from, and the best loss that anybody can reach on them.

Chapter 5 has a hundred sentences, and counts. Chapter 14 has a small world, and knows its grammar.
Its optional page has a real book: the King James Bible.
Chapter 16 has requests of customers, and questions that mean the same or not.
Chapter 17 has sentences whose names are tagged, and Chapter 18 passages with questions.
Chapter 19 has letters to a town hall, with the labels of several readers. Chapters 16 and 19 have
glosses out of WordNet, which nobody here wrote.
Chapter 21 has sentences with words of two senses, and the classes of the small world's words.
"""

from bertbook.corpus.datasets.entities import TaggedSentence, entity_sentences
from bertbook.corpus.datasets.glosses import Gloss, glosses_file, noun_glosses
from bertbook.corpus.datasets.letters import LETTER_LABELS, Letter, letters_file, town_letters
from bertbook.corpus.datasets.meanings import (
    WORD_CLASSES,
    SenseSentence,
    sense_sentences,
    word_classes,
)
from bertbook.corpus.datasets.question_pairs import PAIR_LABELS, QuestionPair, question_pairs
from bertbook.corpus.datasets.questions import Question, Span, passage_questions
from bertbook.corpus.datasets.requests import MARKS, REQUEST_LABELS, Request, service_requests
from bertbook.corpus.datasets.splits import SPLITS
from bertbook.corpus.kjv.chapters import Chapter, KjvParts, kjv_parts, kjv_text
from bertbook.corpus.toy.ladder import (
    MASK_TOKEN,
    Ladder,
    masked_word_ladder,
    masked_word_loss,
    vocabulary,
)
from bertbook.corpus.toy.sentences import hundred_sentences
from bertbook.corpus.world.floor import (
    Estimate,
    Floors,
    WorldLadder,
    corrupted_floors,
    hidden_once_floors,
    world_ladder,
)
from bertbook.corpus.world.grammar import (
    World,
    parse_world,
    senses,
    small_world,
    untagged,
    world_words,
)
from bertbook.corpus.world.masking_noise import MaskingNoise
from bertbook.corpus.world.oracle import Oracle, Posterior
from bertbook.corpus.world.sampling import Pair, sample_documents, sample_pairs, sample_tagged

__all__ = [
    "LETTER_LABELS",
    "MARKS",
    "MASK_TOKEN",
    "PAIR_LABELS",
    "REQUEST_LABELS",
    "SPLITS",
    "WORD_CLASSES",
    "Chapter",
    "Estimate",
    "Floors",
    "Gloss",
    "KjvParts",
    "Ladder",
    "Letter",
    "MaskingNoise",
    "Oracle",
    "Pair",
    "Posterior",
    "Question",
    "QuestionPair",
    "Request",
    "SenseSentence",
    "Span",
    "TaggedSentence",
    "World",
    "WorldLadder",
    "corrupted_floors",
    "entity_sentences",
    "glosses_file",
    "hidden_once_floors",
    "hundred_sentences",
    "kjv_parts",
    "kjv_text",
    "letters_file",
    "masked_word_ladder",
    "masked_word_loss",
    "noun_glosses",
    "parse_world",
    "passage_questions",
    "question_pairs",
    "sample_documents",
    "sample_pairs",
    "sample_tagged",
    "sense_sentences",
    "senses",
    "service_requests",
    "small_world",
    "town_letters",
    "untagged",
    "vocabulary",
    "word_classes",
    "world_ladder",
    "world_words",
]
