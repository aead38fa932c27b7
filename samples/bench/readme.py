"""The example of README.md: two texts of 1,000 letters, with and without its decorator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from harness import Row, interleave
from language import load_text

README = Path(__file__).resolve().parents[2] / "README.md"


def example() -> Any:
    """The first function of the README."""
    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert found is not None
    text = found[1]
    import linecache

    linecache.cache["<README.md>"] = (len(text), None, text.splitlines(True), "<README.md>")
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(text, "<README.md>", "exec"), names)  # noqa: S102 - our own source
    return names["distance"]


def run(letters: int = 1_000, rounds: int = 5) -> list[Row]:
    """Time it.

    Args:
        letters: Of each text.
        rounds: How many turns the variants take.
    """
    book = load_text()
    texts = book[200_000 : 200_000 + letters], book[300_000 : 300_000 + letters]
    distance = example()
    if distance(*texts) != distance.__wrapped__(*texts):
        raise SystemExit("the example of the README differs from Python")
    variants = {"tscript": (distance, texts), "CPython": (distance.__wrapped__, texts)}
    return [interleave(f"distance of two texts of {letters:,} letters", variants, rounds=rounds)]
