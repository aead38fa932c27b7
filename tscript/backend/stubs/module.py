"""Modules of stubs, for new signatures."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.signature import Signature
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted, whole_module
from tscript.backend.llvm.target import Target
from tscript.backend.stubs.call import call_stub
from tscript.backend.stubs.fork import fork_stub


def stubs_module(signatures: Sequence[Signature], tuple_items: int, target: Target) -> Emitted:
    """A module with the stubs of `signatures`.

    Args:
        signatures: The signatures.
        tuple_items: Offset of the first item of a Python tuple.
        target: What it is compiled for.
    """
    declared: dict[str, str] = {}
    stubs = [call_stub(s, declared, tuple_items) for s in signatures]
    return whole_module(target, declared, stubs, Effort.LIGHT)


def fork_module(signature: Signature, tuple_items: int, target: Target) -> Emitted:
    """A module with the fork stub of `signature`; see `stubs_module`."""
    declared: dict[str, str] = {}
    stub = fork_stub(signature, declared, tuple_items)
    return whole_module(target, declared, [stub], Effort.LIGHT)
