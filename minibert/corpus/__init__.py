"""Texts to learn from, and the best loss that anybody can reach on them.

Chapter 5 has a hundred sentences, and counts. Chapter 14 has a small world, and knows its grammar.
Chapter 16 has requests of customers, and questions that mean the same or not.
Chapter 17 has sentences whose names are tagged, and passages with questions.
Chapter 18 has sentences with words of two senses, and the classes of the small world's words.
"""

from .channel import Channel, hide_words
from .duplicates import PAIR_LABELS, QuestionPair, parse_pairs, question_pairs
from .entities import TaggedSentence, entity_sentences, parse_entities, read_entities
from .floor import (
    Estimate,
    Floors,
    WorldLadder,
    corrupted_floors,
    hidden_once_floors,
    world_ladder,
)
from .grammar import World, parse_world, senses, small_world, untagged, world_words
from .ladder import MASK_TOKEN, Ladder, masked_word_ladder, masked_word_loss, vocabulary
from .meanings import WORD_CLASSES, SenseSentence, parse_senses, sense_sentences, word_classes
from .oracle import Beliefs, Oracle
from .questions import (
    Question,
    Span,
    parse_questions,
    passage_questions,
    question_kind,
    read_squad,
)
from .requests import MARKS, REQUEST_LABELS, Request, parse_requests, service_requests
from .sentences import hundred_sentences, read_sentences
from .splits import SPLITS, split_text
from .telling import Pair, sample_documents, sample_pairs, sample_tagged

__all__ = [
    "MARKS",
    "MASK_TOKEN",
    "PAIR_LABELS",
    "REQUEST_LABELS",
    "SPLITS",
    "WORD_CLASSES",
    "Beliefs",
    "Channel",
    "Estimate",
    "Floors",
    "Ladder",
    "Oracle",
    "Pair",
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
    "hidden_once_floors",
    "hide_words",
    "hundred_sentences",
    "masked_word_ladder",
    "masked_word_loss",
    "parse_entities",
    "parse_pairs",
    "parse_questions",
    "parse_requests",
    "parse_senses",
    "parse_world",
    "passage_questions",
    "question_kind",
    "question_pairs",
    "read_entities",
    "read_sentences",
    "read_squad",
    "sample_documents",
    "sample_pairs",
    "sample_tagged",
    "sense_sentences",
    "senses",
    "service_requests",
    "small_world",
    "split_text",
    "untagged",
    "vocabulary",
    "word_classes",
    "world_ladder",
    "world_words",
]
