"""Word frequencies of a book: strings, lists, dicts and sorting.

    python samples/wordcount.py [FILE] [--top N] [--plain]

With ``--plain`` the same functions run as plain Python.
"""

from __future__ import annotations

import argparse
import lzma
import time
from collections.abc import Sequence
from pathlib import Path

import tscript

BOOK = Path(__file__).parent / "data" / "moby_dick.txt.xz"
PUNCTUATION = ".,;:!?\"'()[]{}*_-"
BAR = 30


# -- in the language ---------------------------------------------------------------------------------------------------


def count_words(text: str) -> dict[str, int]:
    """How often each word stands in a text: in lower case, without the punctuation around it."""
    counts: dict[str, int] = {}
    for part in text.lower().replace("—", " ").replace("--", " ").split():
        word = part.strip(PUNCTUATION)
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts


def most_common(counts: dict[str, int], n: int) -> list[tuple[str, int]]:
    """The `n` most frequent words, the most frequent first and equally frequent ones by the alphabet."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:n]


def table(rows: list[tuple[str, int]], total: int) -> str:
    """A line for each word: its rank, how often it stands there, its share, and a bar."""
    if not rows:
        return ""
    width = max(len(word) for word, _ in rows)
    lines: list[str] = []
    for rank, (word, count) in enumerate(rows, 1):
        bar = "#" * max(1, BAR * count // rows[0][1])
        lines.append(f"{rank:>4}  {word:<{width}}  {count:>7}  {100 * count / total:5.2f} %  {bar}")
    return "\n".join(lines)


def report(text: str, n: int) -> str:
    """The table of a text, with a line about the whole above it."""
    counts = count_words(text)
    total = sum(counts.values())
    once = len([word for word, count in counts.items() if count == 1])
    rows = most_common(counts, n)
    return f"{total} words, {len(counts)} different ones, {once} of them once\n{table(rows, total)}"


# -- the program -------------------------------------------------------------------------------------------------------


def load_text(path: Path = BOOK) -> str:
    """A text in UTF-8, which may be packed with xz."""
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Word frequencies of a book.")
    parser.add_argument("file", nargs="?", type=Path, default=BOOK, help="a text in UTF-8, packed with xz or not")
    parser.add_argument("--top", type=int, default=20, metavar="N", help="how many words to show")
    parser.add_argument("--plain", action="store_true", help="run the same functions as plain Python")
    options = parser.parse_args(arguments)
    run = report if options.plain else tscript.script(report)
    text = load_text(options.file)
    run("warm up", 1)
    start = time.perf_counter()
    shown = run(text, options.top)
    taken = time.perf_counter() - start
    print(shown)
    print(f"{'plain Python' if options.plain else 'compiled'}: {len(text)} characters in {taken * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
