"""Whole modules of stubs, for signatures that nothing has met before."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.signature import Signature
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.stubs.call import call_stub
from tscript.backend.stubs.fork import fork_stub


def stubs_module(signatures: Sequence[Signature], tuple_items: int) -> Emitted:
    """A module with the stubs of `signatures`."""
    declarations: dict[str, str] = {}
    return _module(declarations, [call_stub(s, declarations, tuple_items) for s in signatures])


def fork_module(signature: Signature, tuple_items: int) -> Emitted:
    """A module with the fork stub of `signature`."""
    declarations: dict[str, str] = {}
    return _module(declarations, [fork_stub(signature, declarations, tuple_items)])


def _module(declarations: dict[str, str], functions: Sequence[str]) -> Emitted:
    text = "\n".join([*declarations.values(), *functions]) + "\n"
    return Emitted(text, Effort.LIGHT, tuple(declarations))
