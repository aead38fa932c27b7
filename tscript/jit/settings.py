"""What ``torch.jit`` has to choose between its optimisations: programs that say so run, and it changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_STRATEGY = [("STATIC", 2), ("DYNAMIC", 10)]


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context in which nothing changes: what `tscript.script` is told by ``optimize`` holds.

    Args:
        should_optimize: Whether TorchScript would optimise.
    """
    yield


@contextmanager
def fuser(name: str) -> Iterator[None]:
    """A context in which nothing changes: there is one fusion.

    Args:
        name: What TorchScript would fuse with: ``"fuser0"`` to ``"fuser3"``.

    Raises:
        ValueError: It has another name.
    """
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3"):
        raise ValueError(f"{name!r} is no fuser: fuser0, fuser1, fuser2 and fuser3 are, and change nothing")
    yield


class strict_fusion:  # noqa: N801 - as in PyTorch
    """A context in which nothing changes. ``tscript ir --explain-fusion`` says what was not fused, and why."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def set_fusion_strategy(strategy: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Nothing changes: code is made for the dtypes and ranks of each call, and shapes are free.

    Args:
        strategy: Pairs of ``"STATIC"`` or ``"DYNAMIC"`` and a number.

    Returns:
        What PyTorch begins with.
    """
    for kind, _ in strategy:
        if kind not in ("STATIC", "DYNAMIC"):
            raise ValueError(f"a strategy is 'STATIC' or 'DYNAMIC', not {kind!r}; neither changes anything")
    return [*_STRATEGY]


def enable_onednn_fusion(enabled: bool) -> None:
    """Nothing changes: there is no oneDNN here.

    Args:
        enabled: Whether TorchScript would use it.
    """


def onednn_fusion_enabled() -> bool:
    """False: there is no oneDNN here."""
    return False


def run_frozen_optimizations(
    mod: Any, optimize_numerics: bool = True, preserved_methods: Sequence[str] | None = None
) -> None:
    """Nothing is left to do: `tscript.freeze` optimises.

    Args:
        mod: A frozen module.
        optimize_numerics, preserved_methods: See ``torch.jit.run_frozen_optimizations``.
    """


def last_executed_optimized_graph() -> Any:
    """Refused: a function has code for several types of arguments, and runs on several threads.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError("no graph is kept of a call: ask the function, f.graph_for(x), which optimised IR it has for x")


__all__ = [
    "enable_onednn_fusion",
    "fuser",
    "last_executed_optimized_graph",
    "onednn_fusion_enabled",
    "optimized_execution",
    "run_frozen_optimizations",
    "set_fusion_strategy",
    "strict_fusion",
]
