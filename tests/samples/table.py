"""All samples, by the path of their operator: those of each module beside this one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.samples.base import Samples

OTHERS = frozenset({"__init__", "base", "table"})
"""Modules that have no samples."""

FAMILIES = tuple(
    import_module(f"tests.samples.{file.stem}")
    for file in sorted(Path(__file__).parent.glob("*.py"))
    if file.stem not in OTHERS
)
"""The modules with samples."""

SAMPLES: dict[str, Samples] = {s.path: s for family in FAMILIES for s in family.SAMPLES}
assert len(SAMPLES) == sum(len(family.SAMPLES) for family in FAMILIES), "a path has two entries"
