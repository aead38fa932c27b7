"""A byte-pair tokenizer, learnt from a book: dicts with tuples as keys, sets, lists of lists, bytes.

    python samples/tokenizer.py [FILE] [--merges N] [--characters N] [--plain]

Texts are cut into words with the space before them, words into the bytes of their UTF-8. Learning joins the pair of
neighbours that is most frequent into a new token, again and again; encoding joins pairs in the order in which they were
learnt. The compiled functions are compared, token by token, with the same functions as plain Python; ``--plain`` runs
these alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wordcount import BOOK, load_text

import tscript

Pair = tuple[int, int]


# -- in the language ---------------------------------------------------------------------------------------------------


def words_of(text: str) -> list[str]:
    """A text cut into words, each with the space before it, and single other characters."""
    words: list[str] = []
    start = 0
    for i in range(1, len(text)):
        before = text[i - 1]
        if not (text[i].isalpha() and (before.isalpha() or before == " ")):
            words.append(text[start:i])
            start = i
    if text:
        words.append(text[start:])
    return words


def joined(tokens: list[int], first: int, second: int, new: int) -> list[int]:
    """`tokens` with each pair of `first` and `second` replaced by `new`, from left to right."""
    out: list[int] = []
    i = 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] == first and tokens[i + 1] == second:
            out.append(new)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return out


def learn(text: str, merges: int) -> list[tuple[int, int]]:
    """The pairs that become tokens 256, 257 …: each the most frequent one at its time, the smallest of equally frequent
    ones."""
    frequency: dict[str, int] = {}
    for word in words_of(text):
        frequency[word] = frequency.get(word, 0) + 1
    counts = list(frequency.values())
    words = [list(word.encode()) for word in frequency]

    pairs: dict[tuple[int, int], int] = {}
    places: dict[tuple[int, int], set[int]] = {}
    for number, tokens in enumerate(words):
        for i in range(len(tokens) - 1):
            pair = (tokens[i], tokens[i + 1])
            pairs[pair] = pairs.get(pair, 0) + counts[number]
            places.setdefault(pair, set()).add(number)

    learnt: list[tuple[int, int]] = []
    while len(learnt) < merges and len(pairs) > 0:
        best = (0, 0)
        most = 0
        for pair, count in pairs.items():
            if count > most or (count == most and pair < best):
                best = pair
                most = count
        if most < 2:
            break
        new = 256 + len(learnt)
        learnt.append(best)
        for number in sorted(places[best]):
            old = words[number]
            tokens = joined(old, best[0], best[1], new)
            for i in range(len(old) - 1):
                pair = (old[i], old[i + 1])
                pairs[pair] -= counts[number]
                if pairs[pair] == 0:
                    del pairs[pair]
                places[pair].discard(number)
            for i in range(len(tokens) - 1):
                pair = (tokens[i], tokens[i + 1])
                pairs[pair] = pairs.get(pair, 0) + counts[number]
                places.setdefault(pair, set()).add(number)
            words[number] = tokens
    return learnt


def encode_word(word: str, ranks: dict[tuple[int, int], int]) -> list[int]:
    """The tokens of one word: the pair that was learnt first is joined first."""
    tokens = list(word.encode())
    while len(tokens) > 1:
        at = -1
        lowest = len(ranks)
        for i in range(len(tokens) - 1):
            rank = ranks.get((tokens[i], tokens[i + 1]), lowest)
            if rank < lowest:
                lowest = rank
                at = i
        if at < 0:
            break
        tokens = joined(tokens, tokens[at], tokens[at + 1], 256 + lowest)
    return tokens


def encode(text: str, learnt: list[tuple[int, int]]) -> list[int]:
    """The tokens of a text."""
    ranks = {pair: rank for rank, pair in enumerate(learnt)}
    known: dict[str, list[int]] = {}
    out: list[int] = []
    for word in words_of(text):
        if word not in known:
            known[word] = encode_word(word, ranks)
        out.extend(known[word])
    return out


def vocabulary_of(learnt: list[tuple[int, int]]) -> list[bytes]:
    """The bytes of each token."""
    vocabulary = [bytes([i]) for i in range(256)]
    for first, second in learnt:
        vocabulary.append(vocabulary[first] + vocabulary[second])
    return vocabulary


def decode(tokens: list[int], learnt: list[tuple[int, int]]) -> str:
    """The text that tokens stand for."""
    vocabulary = vocabulary_of(learnt)
    return b"".join([vocabulary[token] for token in tokens]).decode()


# -- the program -------------------------------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[..., Any]] = {"learn": learn, "encode": encode, "decode": decode}


def run(
    functions: dict[str, Callable[..., Any]], text: str, merges: int
) -> tuple[list[Pair], list[int], dict[str, float]]:
    """Learn from a text, encode it and decode it again: what was learnt, the tokens, and what took how long."""
    times: dict[str, float] = {}

    def timed(name: str, *args: object) -> Any:
        start = time.perf_counter()
        result = functions[name](*args)
        times[name] = time.perf_counter() - start
        return result

    learnt = timed("learn", text, merges)
    tokens = timed("encode", text, learnt)
    if timed("decode", tokens, learnt) != text:
        raise SystemExit("the decoded text is another one")
    return learnt, tokens, times


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn, encode, decode and compare."""
    parser = argparse.ArgumentParser(description="A byte-pair tokenizer, learnt from a book.")
    parser.add_argument("file", nargs="?", type=Path, default=BOOK, help="a text in UTF-8, packed with xz or not")
    parser.add_argument("--merges", type=int, default=500, metavar="N", help="how many tokens to learn")
    parser.add_argument(
        "--characters", type=int, metavar="N", help="of the text, from its beginning; all of it by default"
    )
    parser.add_argument("--plain", action="store_true", help="run the functions as plain Python only")
    options = parser.parse_args(arguments)
    text = load_text(options.file)[: options.characters]

    learnt, tokens, plain = run(FUNCTIONS, text, options.merges)
    longest = sorted(vocabulary_of(learnt), key=lambda token: (-len(token), token))[:8]
    print(f"{len(learnt)} tokens learnt, the longest: {', '.join(repr(t.decode(errors='replace')) for t in longest)}")
    print(
        f"{len(text.encode())} bytes are {len(tokens)} tokens, {len(text.encode()) / max(1, len(tokens)):.2f} "
        f"bytes each"
    )
    compiled: dict[str, float] = {}
    if not options.plain:
        scripted = {name: tscript.script(function) for name, function in FUNCTIONS.items()}
        start = time.perf_counter()
        for function in scripted.values():
            function.compile_for()
        print(f"compiled in {(time.perf_counter() - start) * 1e3:.0f} ms")
        learnt_again, tokens_again, compiled = run(scripted, text, options.merges)
        for position, (ours, theirs) in enumerate(zip(tokens_again, tokens, strict=True)):
            if ours != theirs:
                raise SystemExit(f"token {position} is {ours} compiled and {theirs} in plain Python")
        if learnt_again != learnt:
            raise SystemExit("what was learnt differs")
        print(f"compiled and plain Python agree on all {len(tokens)} tokens")
    for name, taken in plain.items():
        faster = f", {compiled[name] * 1e3:9.1f} ms compiled, {taken / compiled[name]:.1f} x" if compiled else ""
        print(f"{name:<8} {taken * 1e3:9.1f} ms plain Python{faster}")


if __name__ == "__main__":
    main()
