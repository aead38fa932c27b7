"""Calls that may fail, and how errors leave a function.

A native call that returns a status other than 0 branches to the cleanup of the references owned there. Cleanups form
chains that are shared by all places that own the same references. Each cleanup releases one reference and goes on to
the next; the last adds the call's `Site` to the trace and returns the status, or goes to the handlers of the enclosing
`Try` (`tscript.backend.nodes.exceptions`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.layout import CONTEXT, MAX_TRACE
from tscript.abi.status import Status
from tscript.backend.llvm.constants import symbol_name
from tscript.backend.llvm.text import LIKELY
from tscript.backend.llvm.values import native_types
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.phis import merge_edges
from tscript.backend.nodes.references import release
from tscript.backend.nodes.referents import facts_of
from tscript.backend.nodes.state import MAX_EDGES, Cleanup, Operands, Region
from tscript.diagnostics import Span
from tscript.types import (
    BOOL,
    Type,
    is_counted,
)

SHARED_RAISES = 4
"""From so many places on that raise exceptions with arguments, a module has a function that does."""


def _type_of(argument: str) -> str:
    """The LLVM type that an argument begins with; its name may be quoted and hold spaces."""
    return argument.partition(' @"')[0] if argument.endswith('"') else argument.rpartition(" ")[0]


def call_symbol(
    f: FunctionEmitter, symbol: str, args: Sequence[str], results: Sequence[Type], span: Span | None
) -> Operands:
    """Call a native function and leave on an error.

    Args:
        symbol: Its name, or an operand that is its address.
        args: Each with its LLVM type; the context and the out pointers are added.
        results: Types of the results' leaves. References among them belong to the current scope.
        span: The call, for the trace; None when the callee's error names the place by itself.
    """
    text = f.text
    types = [native_types(t)[0] for t in results]
    outs = [text.slot(t, i) for i, t in enumerate(types)]
    name = symbol if symbol.startswith("%") else symbol_name(symbol)
    everything = ["ptr %ctx", *args, *(f"ptr {o}" for o in outs)]
    if not symbol.startswith("%") and symbol not in f.module.defined and symbol not in text.declarations:
        text.declare_function(symbol, "i32", [_type_of(a) for a in everything], "nounwind")
    status = text.let(f"call i32 {name}({', '.join(everything)})", "status")
    check_status(f, status, span)
    return tuple(load_result(f, out, native, t) for out, native, t in zip(outs, types, results, strict=True))


def load_result(f: FunctionEmitter, address: str, native: str, type: Type) -> str:
    """Load a result."""
    found = f.text.let(f"load {native}, ptr {address}{facts_of(type)}")
    if type == BOOL:
        return f.text.let(f"trunc i8 {found} to i1")
    if is_counted(type):
        f.note(found, type)
        f.scopes[-1].append(found)
    return found


def check_status(f: FunctionEmitter, status: str, span: Span | None) -> None:
    """Leave with `status` unless it is 0."""
    text = f.text
    good = text.let(f"icmp eq i32 {status}, 0", "ok")
    going_on = text.fresh_label("go")
    failing = failure_label(f, status, "null" if span is None else f.module.constants.site(span))
    text.terminate(f"br i1 {good}, label %{going_on}, label %{failing}{LIKELY}")
    text.label(going_on)


def failure_label(f: FunctionEmitter, status: str, site: str) -> str:
    """The label that ends the innermost region with `status`, for a branch from the current block."""
    region = f.regions[-1]
    return _cleanup(f, region, _owned(f, region), status, site)


def _owned(f: FunctionEmitter, region: Region) -> Operands:
    """The references that an error in `region` has to release here."""
    owned = tuple(o for scope in f.scopes[region.depth :] for o in scope)
    return owned[region.kept :]


def _cleanup(f: FunctionEmitter, region: Region, owned: Operands, status: str, site: str) -> str:
    cleanups = region.cleanups
    while len(cleanups) <= len(owned):
        cleanups.append({})
    return _edge(f, cleanups[len(owned)], owned, "cleanup" if owned else "fail", status, site)


def _edge(
    f: FunctionEmitter, shared: dict[Operands, list[Cleanup]], owned: Operands, hint: str, status: str, site: str
) -> str:
    """The label of a block that places with the same references share; the current block is one more of them."""
    same = shared.setdefault(owned, [])
    if not same or (f.module.safepoints and len(same[-1].edges) == MAX_EDGES):
        same.append(Cleanup(f.text.fresh_label(hint)))
    same[-1].edges.append((status, site, f.text.block))
    return same[-1].label


def emit_cleanups(f: FunctionEmitter) -> None:
    """Write all cleanups of the innermost region, at its end."""
    text = f.text
    region = f.regions.pop()
    for owned, shared in ((o, c) for o, same in region.raises.items() for c in same):
        text.label(shared.label)
        _raise_at(f, merge_edges(f.text, "ptr", [(s, b) for _, s, b in shared.edges]), 0, region, owned)
    # A cleanup leads to a shorter one, so the longest come first.
    for owned, cleanup in ((o, c) for length in reversed(region.cleanups) for o, same in length.items() for c in same):
        text.label(cleanup.label)
        status = merge_edges(f.text, "i32", [(s, b) for s, _, b in cleanup.edges])
        site = merge_edges(f.text, "ptr", [(s, b) for _, s, b in cleanup.edges])
        if owned:
            release(f, owned[-1])
            text.branch(_cleanup(f, region, owned[:-1], status, site))
        elif region.landing is not None:
            if site != "null":
                _append_to_trace(f, site)
            region.landing.edges.append(((status,), text.block))
            text.branch(region.landing.label)
        else:
            if site != "null":
                _append_to_trace(f, site)
            leave_depth(f)
            text.terminate(f"ret i32 {status}")


def _append_to_trace(f: FunctionEmitter, site: str) -> None:
    text = f.text
    place = f.context_field("ntrace")
    count = text.let(f"load i64, ptr {place}", "ntrace")
    full = text.let(f"icmp uge i64 {count}, {MAX_TRACE}")
    if site.startswith("%"):
        full = text.let(f"or i1 {full}, {text.let(f'icmp eq ptr {site}, null')}")
    append, done = text.fresh_label("append"), text.fresh_label("leave")
    text.branch_if(full, done, append)
    text.label(append)
    cell = text.let(f"getelementptr ptr, ptr {f.context_field('trace')}, i64 {count}")
    text.line(f"store ptr {site}, ptr {cell}")
    text.line(f"store i64 {text.let(f'add i64 {count}, 1')}, ptr {place}")
    text.branch(done)
    text.label(done)


def raise_error(
    f: FunctionEmitter, span: Span, exception: str, message: str | None, args: Sequence[tuple[str, int]] = ()
) -> None:
    """End the block by raising.

    Args:
        args: 64-bit operands with their kinds (`Context.kinds`).
    """
    text, site = f.text, f.module.constants.site(span, exception, message)
    region = f.regions[-1]
    owned = _owned(f, region)
    if not args:
        text.branch(_edge(f, region.raises, owned, "raise", str(int(Status.RAISED)), site))
        return
    kinds = sum(kind << 2 * i for i, (_, kind) in enumerate(args))
    if f.module.raises >= SHARED_RAISES or f.cold:
        function = _raising(f, len(args))
        operands = "".join(f", i64 {operand}" for operand, _ in args)
        text.line(f"call void @{function}(ptr %ctx, ptr {site}, i64 {kinds}{operands})")
        text.branch(_cleanup(f, region, owned, str(int(Status.RAISED)), "null"))
        return
    text.line(f"store i64 {kinds}, ptr {f.context_field('kinds')}")
    for i, (operand, _) in enumerate(args):
        cell = text.let(f"getelementptr i8, ptr %ctx, i64 {CONTEXT.offsets['args'] + 8 * i}")
        text.line(f"store i64 {operand}, ptr {cell}")
    _raise_at(f, site, len(args), region, owned)


def _raising(f: FunctionEmitter, count: int) -> str:
    """The function of the module that fills in the error record of an exception with so many arguments.

    A call of it is two instructions, in a place that is hardly ever reached; the stores were a third of all
    instructions of a program that computes with ints.
    """
    symbol = f"tsd_raise{count}"
    if symbol not in f.module.defined:
        f.module.defined.add(symbol)
        offsets = CONTEXT.offsets
        stores = {"kinds": "i64 %kinds", "nargs": f"i64 {count}", "trace": "ptr %site", "ntrace": "i64 1"}
        cells = [(offsets[name], value) for name, value in stores.items()]
        cells += [(offsets["args"] + 8 * i, f"i64 %a{i}") for i in range(count)]
        lines = []
        for i, (offset, value) in enumerate(cells):
            lines += [f"  %p{i} = getelementptr i8, ptr %ctx, i64 {offset}", f"  store {value}, ptr %p{i}"]
        parameters = "".join(f", i64 %a{i}" for i in range(count))
        head = f"define internal void @{symbol}(ptr %ctx, ptr %site, i64 %kinds{parameters}) cold noinline #0"
        f.module.functions.append("\n".join([head + " {", *lines, "  ret void", "}"]))
    return symbol


def _raise_at(f: FunctionEmitter, site: str, nargs: int, region: Region, owned: Operands) -> None:
    """End the block by raising the exception of a site, whose arguments are already stored."""
    text = f.text
    text.line(f"store i64 {nargs}, ptr {f.context_field('nargs')}")
    text.line(f"store ptr {site}, ptr {f.context_field('trace')}")
    text.line(f"store i64 1, ptr {f.context_field('ntrace')}")
    text.branch(_cleanup(f, region, owned, str(int(Status.RAISED)), "null"))


def leave_depth(f: FunctionEmitter) -> None:
    """Give the level of call depth back, before a return."""
    if f.depth is not None:
        f.text.line(f"store i64 {f.depth}, ptr {f.context_field('depth')}")
