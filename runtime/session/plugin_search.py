"""The search for distributions with plugins (`tscript.runtime.session.plugins`).

Most processes have none, and must find that out fast: importing and querying `importlib.metadata` takes longer than
opening an archive. So this module scans the folders of `sys.path` for distributions whose ``entry_points.txt`` names
one of the groups, and imports `importlib.metadata` only for those. Entries that cannot be scanned (zip files, other
finders) are left to it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution

HOOKS = "tscript.hooks"
OPS = "tscript.ops"

_SECTIONS = tuple(f"[{group}]".encode() for group in (HOOKS, OPS))


@cache
def candidates() -> tuple[Distribution, ...]:
    """The distributions that may have plugins."""
    return tuple(_distributions())


def _distributions() -> Iterator[Distribution]:
    """The distributions that may have plugins: the first of each name, in the order of `sys.path`."""
    seen: set[str] = set()
    for entry in sys.path:
        if not isinstance(entry, str):
            continue
        try:
            names = sorted(os.listdir(entry or "."))
        except NotADirectoryError:
            yield from _found_by_others(seen, path=[entry])
            continue
        except OSError:
            continue
        folders = [os.path.join(entry, name) for name in names if name.lower().endswith((".dist-info", ".egg-info"))]
        if entry.rstrip(os.sep).lower().endswith(".egg"):
            folders.append(os.path.join(entry, "EGG-INFO"))
        for folder in folders:
            if _is_new(name_of(folder), seen) and _names_a_group(folder):
                from importlib.metadata import Distribution
                from pathlib import Path

                yield Distribution.at(Path(folder))
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            yield from _found_by_others(seen, finder=finder)


def name_of(folder: str) -> str:
    """The normalised name of the distribution that a folder is of: ``lib/My_Ops-1.0.dist-info`` is ``my-ops``."""
    parent, base = os.path.split(folder)
    if base == "EGG-INFO":
        base = os.path.basename(parent)
    return _normalised(base.rpartition(".")[0].partition("-")[0])


def _normalised(name: str) -> str:
    """The normalised name of a distribution, for comparisons."""
    return "-".join(filter(None, name.lower().replace("_", "-").replace(".", "-").split("-")))


def _is_new(name: str, seen: set[str]) -> bool:
    is_new = name not in seen
    seen.add(name)
    return is_new


def _names_a_group(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            return any(line.strip() in _SECTIONS for line in file)
    except OSError:
        return False


def _found_by_others(seen: set[str], *, path: list[str] | None = None, finder: object = None) -> Iterator[Distribution]:
    """The results of `importlib.metadata`, or of another finder."""
    from importlib.metadata import DistributionFinder, distributions

    try:
        if path is not None:
            found = list(distributions(path=path))
        else:
            found = list(finder.find_distributions(DistributionFinder.Context()))  # type: ignore[attr-defined]
        names = [_normalised(d.metadata["Name"] or "") for d in found]
    except Exception as error:  # noqa: BLE001 - files and finders of others, in whatever state
        from tscript.runtime.session import faults

        faults.warn(f"distributions cannot be listed, their plugins are skipped: {faults.one_line(error)}")
        return
    for name, distribution in zip(names, found, strict=True):
        if _is_new(name, seen):
            yield distribution
