"""All samples, by the path of their operator: those of each module beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from zlib import crc32

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


def sampled_dtypes(family: Sequence[Samples]) -> Iterator[tuple[str, str]]:
    """The operators of a family that a quick run tests with a further dtype, and the dtype: each dtype with one in
    twelve of those that have it, and with one at least. Their names say which."""
    for dtype in sorted({dtype for s in family for dtype in s.dtypes[1:]}):
        having = [s.path for s in family if s.calls and dtype in s.dtypes[1:]]
        having.sort(key=lambda path: crc32(f"{path} {dtype}".encode()))
        for path in having[: -(-len(having) // 12)]:
            yield path, dtype


SAMPLED: dict[str, list[str]] = {path: [] for path in SAMPLES}
"""The dtypes that a quick run tests the first call of an operator with, besides the first."""
for family in FAMILIES:
    for path, dtype in sampled_dtypes(family.SAMPLES):
        SAMPLED[path].append(dtype)
