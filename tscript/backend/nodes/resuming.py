"""Where better code can take over: the safepoints of loops, with what is alive there.

A line of the text, a comment to LLVM, stands before the branch that ends a safepoint. It has the number of the place,
then what the rest of the function may need: operands with their types, and the stack slots of open `Try`s::

    ; resume 2: i64 %i.7, ptr %xs.p0.0, ptr %out0 | double %slot.3
    br label %again.9

Quick code gets a call there (`tscript.backend.llvm.counting`), and better code a function that begins there
(`tscript.backend.llvm.continuation`).
"""

from __future__ import annotations

from collections.abc import Iterable

from tscript.abi.leaves import leaves
from tscript.backend.llvm.types import llvm_type
from tscript.backend.llvm.values import native_types, register_types
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import SLOT, Typed
from tscript.ir.graph import For, Loop
from tscript.ir.liveness import Crossing


def mark(f: FunctionEmitter, loop: Loop | For, own: Iterable[Typed]) -> None:
    """Say what is alive at the end of the current block, which goes on with the next iteration of `loop`.

    Args:
        own: What the loop itself needs.
    """
    if not f.module.resumable:
        return
    if f.crossing is None:
        f.crossing = Crossing(f.graph)
    found: dict[str, str] = {}
    for value in f.crossing.at(loop):
        found.update(zip(f.operands(value), register_types(value.type), strict=True))
    found.update((operand, type) for state in f.loops.values() for type, operand in state.kept)
    found.update((operand, type) for type, operand in own)
    owned = [o for scope in f.scopes for o in scope if not o.startswith(SLOT)]
    found = {operand: type for operand, type in found.items() if operand.startswith("%")}
    found.update((operand, "ptr") for operand in owned if operand != "null")
    found.update((f"%out{i}", "ptr") for i in range(len(native_types(f.graph.result))))
    slots = [
        f"{llvm_type(leaf)} {place}"
        for slots in f.slots.values()
        for place, leaf in zip(slots.places, [leaf for t in slots.types for leaf in leaves(t)], strict=True)
    ]
    values = [f"{type} {operand}" for operand, type in found.items()]
    f.text.line(f"; resume {f.module.marks}: {', '.join(values)} | {', '.join(slots)}")
    f.module.marks += 1
