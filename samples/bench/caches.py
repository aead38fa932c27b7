"""What a hit in a cache costs, in a loop that is compiled and in CPython, and a table that recursion fills."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from harness import Row, interleave

HITS = 1000
"""In each call."""


def workloads(name: str) -> Any:
    """The module `caches_workloads` under a name."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("caches_workloads.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run() -> list[Row]:
    """Time all of it."""
    modules = {"tscript": workloads("native"), "CPython": workloads("plain")}
    words = [f"word {i}" for i in range(64)]
    rows: list[tuple[str, str, tuple[Any, ...]]] = [
        (f"{HITS} hits, an int", "squares", (HITS,)),
        (f"{HITS} hits, two ints, in order of use", "products", (HITS,)),
        (f"{HITS} hits, a str", "texts", (words, HITS)),
        ("a hit from Python, an int", "square", (7,)),
        ("a hit from Python, a str", "shout", ("word",)),
        ("a table of 200 times 200, by recursion", "table", (200,)),
    ]
    return [
        interleave(title, {variant: (getattr(module, name), arguments) for variant, module in modules.items()})
        for title, name, arguments in rows
    ]
