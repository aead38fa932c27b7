"""Beam search over a language model learnt from a book: classes, lists of them, sorting with a key, dicts of tuples.

    python samples/beam_search.py [FILE] [--width N] [--sentences N] [--plain]

The model counts words and pairs of words. The search gets sentences of the last chapters, which the model was not
learnt from, without their spaces, and finds where the words begin: at each position of the text it keeps the best
hypotheses that end there.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wordcount import BOOK, load_text

import tscript

HELD_OUT = 20
"""Of that many parts of the book, the last is searched and the others are learnt from."""


# -- in the language ---------------------------------------------------------------------------------------------------


class Model(NamedTuple):
    """How often words and pairs of words stand in a text."""

    words: dict[str, int]
    pairs: dict[tuple[str, str], int]
    total: int
    longest: int


@dataclass(frozen=True)
class Hypothesis:
    """The words that a beginning of the text may consist of, and the logarithm of their probability."""

    score: float
    words: list[str]


def letters_of(text: str) -> list[str]:
    """The words of a text in lower case: letters and nothing else."""
    words: list[str] = []
    start = -1
    text = text.lower() + " "
    for i, character in enumerate(text):
        if character.isalpha():
            if start < 0:
                start = i
        elif start >= 0:
            words.append(text[start:i])
            start = -1
    return words


def learn(text: str) -> Model:
    """The model of a text."""
    words: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    total = 0
    longest = 1
    previous = ""
    for word in letters_of(text):
        words[word] = words.get(word, 0) + 1
        pairs[(previous, word)] = pairs.get((previous, word), 0) + 1
        total += 1
        longest = max(longest, len(word))
        previous = word
    return Model(words, pairs, total, longest)


def log_probability(model: Model, previous: str, word: str) -> float:
    """Of `word` behind `previous`: of the pair and of the word alone, mixed; unknown words get rarer with their
    length."""
    count = model.words.get(word, 0)
    if count == 0:
        return -math.log(model.total) - 2.5 * len(word)
    alone = count / model.total
    before = model.words.get(previous, 0)
    if before == 0:
        return math.log(alone)
    together = model.pairs.get((previous, word), 0) / before
    return math.log(0.6 * together + 0.4 * alone)


def search(model: Model, text: str, width: int) -> list[tuple[float, str]]:
    """The best `width` ways to cut a text into words, with their scores, the best first."""
    beams: list[list[Hypothesis]] = [[] for _ in range(len(text) + 1)]
    beams[0].append(Hypothesis(0.0, []))
    for start in range(len(text)):
        beam = sorted(beams[start], key=lambda h: h.score, reverse=True)[:width]
        for end in range(start + 1, min(start + model.longest, len(text)) + 1):
            word = text[start:end]
            if word not in model.words and end - start > 4:
                continue
            for h in beam:
                previous = h.words[-1] if h.words else ""
                beams[end].append(Hypothesis(h.score + log_probability(model, previous, word), [*h.words, word]))
    best = sorted(beams[-1], key=lambda h: h.score, reverse=True)[:width]
    return [(h.score, " ".join(h.words)) for h in best]


def search_all(text: str, sentences: list[str], width: int) -> list[list[tuple[float, str]]]:
    """Learn from a text, and search sentences without spaces."""
    model = learn(text)
    return [search(model, sentence, width) for sentence in sentences]


# -- the program -------------------------------------------------------------------------------------------------------


def split(text: str, sentences: int) -> tuple[str, list[str]]:
    """What the model is learnt from, and sentences from what is left, as words with spaces."""
    at = len(text) - len(text) // HELD_OUT
    found = [" ".join(letters_of(sentence)) for sentence in text[at:].replace("!", ".").split(". ")]
    return text[:at], [s for s in found if 30 <= len(s) <= 90][:sentences]


def right_words(found: str, expected: str) -> int:
    """How many words of `expected` stand at the same place in `found`."""

    def places(words: list[str]) -> set[tuple[int, str]]:
        at, out = 0, set()
        for word in words:
            out.add((at, word))
            at += len(word)
        return out

    return len(places(found.split()) & places(expected.split()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, and show what was found."""
    parser = argparse.ArgumentParser(description="Beam search over a language model learnt from a book.")
    parser.add_argument("file", nargs="?", type=Path, default=BOOK, help="a text in UTF-8, packed with xz or not")
    parser.add_argument("--width", type=int, default=8, metavar="N", help="how many hypotheses to keep")
    parser.add_argument("--sentences", type=int, default=20, metavar="N", help="how many to search")
    parser.add_argument("--plain", action="store_true", help="run the functions as plain Python only")
    options = parser.parse_args(arguments)
    text, expected = split(load_text(options.file), options.sentences)
    run_together = [sentence.replace(" ", "") for sentence in expected]

    start = time.perf_counter()
    results = search_all(text, run_together, options.width)
    plain = time.perf_counter() - start
    words = sum(len(sentence.split()) for sentence in expected)
    right = sum(right_words(found[0][1], sentence) for found, sentence in zip(results, expected, strict=True))
    for given, found in zip(run_together[:3], results, strict=False):
        print(given)
        for score, sentence in found[:2]:
            print(f"  {score:8.2f}  {sentence}")
    print(f"{right} of {words} words are right")
    print(f"plain Python: {plain * 1e3:.1f} ms")
    if not options.plain:
        scripted = tscript.script(search_all)
        scripted(text[:1000], run_together[:1], 1)
        start = time.perf_counter()
        ours = scripted(text, run_together, options.width)
        compiled = time.perf_counter() - start
        if ours != results:
            raise SystemExit("compiled code finds something else")
        print(f"compiled: {compiled * 1e3:.1f} ms, {plain / compiled:.1f} x, with equal results")


if __name__ == "__main__":
    main()
