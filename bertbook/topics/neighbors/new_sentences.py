"""Exercise of Chapter 1: guess the hidden words of sentences that were not counted."""

import math
from collections.abc import Callable, Iterator, Sequence

from bertbook.core.exercises.exercise import attempt
from bertbook.core.exercises.verdict import Verdict

FOLDS = 5
ENOUGH = 2.3  # nats; each neighbor for itself pays 2.5 and more
_MASK = "[MASK]"
_NEXT_LETTER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza")


def _folds(sentences: Sequence[str]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield four fifths of the sentences, questions about the last fifth, and their answers."""
    for fold in range(FOLDS):
        known = [sentence for i, sentence in enumerate(sentences) if i % FOLDS != fold]
        new = [sentence.split() for sentence in sentences[fold::FOLDS]]
        holes = [(row, i) for row in new for i in range(len(row))]
        questions = [" ".join([*row[:i], _MASK, *row[i + 1 :]]) for row, i in holes]
        yield known, questions, [word for row in new for word in row]


def check_new_guesses(function: Callable, sentences: Sequence[str]) -> Verdict:
    """Check guesses by their mean surprise on sentences that the guesser has not counted.

    Args:
        function: Yours: it takes known sentences, questions with one [MASK] each and the list of
            words, and returns for each question a dictionary from word to probability.
        sentences: Where known and new ones are taken from.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    words = sorted({word for sentence in sentences for word in sentence.split()})
    losses = []
    for known, questions, truths in _folds(sentences):
        answers, problem = attempt(function, known, questions, words)
        if problem := problem or _form_problem(answers, questions, words):
            return Verdict(False, problem)
        found = [answer.get(truth, 0) for answer, truth in zip(answers, truths)]
        if 0 in found:
            i = found.index(0)
            message = f"In {questions[i]!r} the word was {truths[i]!r}, and got no chance at all:"
            return Verdict(False, f"{message} its surprise is infinite. Leave each word a little.")
        losses += [-math.log(p) for p in found]
    if problem := _answers_are_known(function, sentences, words):
        return Verdict(False, problem)
    mean_loss = math.fsum(losses) / len(losses)
    message = f"{mean_loss:.2f} nats for a word of a new sentence"
    if mean_loss < ENOUGH:
        return Verdict(True, f"Right: {message}, less than {ENOUGH}.")
    hint = _hint(function, sentences, words)
    return Verdict(False, f"Not yet: {message}; get below {ENOUGH}. {hint}")


def _form_problem(answers: object, questions: list[str], words: list[str]) -> str:
    """Return why an answer is no list of probabilities of words; empty if it is one."""
    if not isinstance(answers, Sequence) or len(answers) != len(questions):
        count = f"{len(answers)} answers" if isinstance(answers, Sequence) else "no list"
        return f"It returns {count}; there are {len(questions)} questions, with one answer each."
    for question, answer in zip(questions, answers):
        if not isinstance(answer, dict):
            return f"To {question!r} it answers {answer!r}; a dict is asked for, word: probability."
        if unknown := [word for word in answer if word not in words]:
            return f"To {question!r} it answers {unknown[0]!r} as well, which is not in words."
        total = math.fsum(answer.values())
        if min(answer.values(), default=0) < 0 or not math.isclose(total, 1, abs_tol=1e-6):
            message = f"To {question!r} the numbers add up to {total:.3f}."
            asked = "divide by the total." if abs(total) > 0 else "what if nothing was counted?"
            return f"{message} Probabilities are not negative and add up to 1: {asked}"
    return ""


def _answers_are_known(function: Callable, sentences: Sequence[str], words: list[str]) -> str:
    """Return a complaint if other names for all words make the guesses worse."""
    pay = []
    for rename in (str, lambda text: text.translate(_NEXT_LETTER)):
        known, questions, truths = next(_folds([*map(rename, sentences)]))
        listed = [*map(rename, words)]
        answers, problem = attempt(function, known, questions, listed)
        wrong = problem or _form_problem(answers, questions, listed)
        found = [] if wrong else [max(a.get(t, 0), 1e-99) for a, t in zip(answers, truths)]
        pay.append(-sum(map(math.log, found)) if found else math.inf)
    message = "With other names for the same words it no longer finds the answers."
    asked = "Does it look at sentences, which has them all, in place of known?"
    return f"{message} {asked}" if pay[1] >= 1.05 * pay[0] else _peeks(function, sentences, words)


def _peeks(function: Callable, sentences: Sequence[str], words: list[str]) -> str:
    """Return a complaint if a question gets another answer when it is asked alone."""
    known, questions, _ = next(_folds(sentences))
    together = function(known, questions, words)[0]
    alone, problem = attempt(function, known, questions[:1], words)
    if problem := problem or _form_problem(alone, questions[:1], words):
        return f"Asked {questions[0]!r} alone: {problem}"
    message = f"{questions[0]!r} gets another answer when it is asked alone. Do the others tell it?"
    return "" if all(abs(alone[0].get(w, 0) - p) < 1e-6 for w, p in together.items()) else message


def _hint(function: Callable, sentences: Sequence[str], words: list[str]) -> str:
    """Say which side plays no part, or what comes after the two sides."""
    asked = [f"the {_MASK} the ball", f"girl {_MASK} the ball", f"the {_MASK} in ball"]
    here, other_left, other_right = function([*sentences], asked, words)
    if here == other_left == other_right:
        return "It answers different questions alike. Which part of a side has been seen before?"
    for side, answer in (("before", other_left), ("after", other_right)):
        if here == answer:
            return f"The word {side} the hole plays no part. What does it tell?"
    return "Both neighbors tell something. Which other neighbors keep the same company?"
