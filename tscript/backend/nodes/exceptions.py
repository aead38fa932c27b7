"""`Try`, `SetSlot` and `Throw` to basic blocks.

The body of a `Try` is a `Region` of its own. An error inside releases the references of the body, adds to the trace and
goes to the landing, which compares the number of the exception's class with those of the handlers. If none matches, it
continues with the enclosing region.

Slots are stack slots. They own their references: these come first in the scope of the body, until a handler takes them
over.

`Context.trace[0]` describes the exception in flight: the `Site` that raised it names the class, unless an object was
raised, which is in ``Context.args[0]`` then. It becomes an object in handlers that need one.
"""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.exceptions import NUMBER_SHIFT, is_builtin, range_of
from tscript.abi.layout import OBJECT_STRUCT, SITE, THREAD, TYPEINFO
from tscript.abi.leaves import leaves
from tscript.abi.status import Status
from tscript.backend.llvm.text import LIKELY, UNLIKELY
from tscript.backend.llvm.types import llvm_type
from tscript.backend.nodes.blocks import emit_block
from tscript.backend.nodes.control import finish
from tscript.backend.nodes.failing import call_symbol, emit_cleanups, failure_label
from tscript.backend.nodes.function import FunctionEmitter, OpEmitter
from tscript.backend.nodes.passing import pass_in
from tscript.backend.nodes.phis import merge_edges
from tscript.backend.nodes.references import release, retain_all
from tscript.backend.nodes.state import SLOT, Join, Region, Slots
from tscript.backend.nodes.values import coerce, hint_of
from tscript.ir.graph import Handler, Op, SetSlot, Throw, Try
from tscript.operators.python import exceptions as exception_ops
from tscript.types import BOOL, ClassType, is_counted


def emit_try(f: FunctionEmitter, node: Try) -> None:
    """A body, its landing and its handlers."""
    text = f.text
    types = tuple(p.type for p in node.slots(node.handlers[0]))
    flat = [leaf for t in types for leaf in leaves(t)]
    inits = pass_in(f, node.inputs, types)
    slots = [text.alloca(llvm_type(leaf), "slot") for leaf in flat]
    for operand, slot, leaf in zip(inits, slots, flat, strict=True):
        text.line(f"store {llvm_type(leaf)} {operand}, ptr {slot}")
    owned = []
    for slot, leaf in zip(slots, flat, strict=True):
        if is_counted(leaf):
            f.note(SLOT + slot, leaf)
            owned.append(SLOT + slot)
    f.slots[node.label] = Slots(slots, types)
    opened = _open_record(f)
    join = Join(text.fresh_label("endtry"), tuple(v.type for v in node.outputs))
    landing = Join(text.fresh_label("landing"), ())
    f.regions.append(Region(len(f.scopes), len(owned), landing))
    f.yields.append(join)
    f.scopes.append(list(owned))
    emit_block(f, node.body)
    f.scopes.pop()
    emit_cleanups(f)
    if landing.edges:
        text.label(landing.label)
        status = merge_edges(f.text, "i32", [(operands[0], block) for operands, block in landing.edges])
        _dispatch(f, node, status, opened, slots, owned)
    f.yields.pop()
    del f.slots[node.label]
    finish(f, node, join)


def _open_record(f: FunctionEmitter) -> str | None:
    """In observed variants, the innermost record that is open."""
    if f.thread is None:
        return None
    return f.text.let(f"load ptr, ptr {_field(f, f.thread, THREAD.offsets['open'])}", "open")


def _close_records(f: FunctionEmitter, until: str) -> None:
    """Run the exit callbacks of the operators that the exception left."""
    symbol = symbols.RECORD_UNWIND
    f.text.declare_function(symbol, "i32", ["ptr", "ptr", "ptr"])
    f.text.line(f"call i32 @{symbol}(ptr %ctx, ptr {f.thread}, ptr {until})")


def emit_set_slot(f: FunctionEmitter, node: SetSlot) -> None:
    """The new value is retained before the old one is released: they may be the same."""
    value, slots = node.inputs[0], f.slots[node.label]
    at, type = sum(len(leaves(t)) for t in slots.types[: node.index]), slots.types[node.index]
    operands = coerce(f, value, type)
    retain_all(f, operands, type)
    for operand, slot, leaf in zip(operands, slots.places[at:], leaves(type), strict=False):
        if is_counted(leaf):
            release(f, SLOT + slot)
        f.text.line(f"store {llvm_type(leaf)} {operand}, ptr {slot}")


def emit_throw(f: FunctionEmitter, node: Throw) -> None:
    """Raise an object: a reference to it goes to the context."""
    text = f.text
    value = node.inputs[0]
    retain_all(f, f.operands(value), value.type)
    exception = text.let(f"ptrtoint ptr {f.operand(value)} to i64")
    text.line(f"store i64 0, ptr {f.context_field('nargs')}")
    text.line(f"store i64 {exception}, ptr {f.context_field('args')}")
    text.line(f"store ptr {f.module.constants.site(node.span)}, ptr {f.context_field('trace')}")
    text.line(f"store i64 1, ptr {f.context_field('ntrace')}")
    text.branch(failure_label(f, str(int(Status.RAISED)), "null"))


def _dispatch(
    f: FunctionEmitter, node: Try, status: str, opened: str | None, slots: list[str], owned: list[str]
) -> None:
    """Jump from the landing to the first matching handler, or to the enclosing region."""
    text = f.text
    lost = text.fresh_label("lost")
    status, edges = _native(f, status, lost)
    if opened is not None:
        _close_records(f, opened)
    site = text.let(f"load ptr, ptr {f.context_field('trace')}", "site")
    number = text.let(f"load i64, ptr {_field(f, site, SITE.offsets['number'])}", "number")
    is_object = text.let(f"icmp slt i64 {number}, 0", "object")
    found, same = text.fresh_label("object"), text.fresh_label("dispatch")
    before = text.block
    text.terminate(f"br i1 {is_object}, label %{found}, label %{same}{UNLIKELY}")
    text.label(found)
    of_object = _number_of_object(f)
    after = text.block
    text.branch(same)
    text.label(same)
    number = text.let(f"phi i64 [ {number}, %{before} ], [ {of_object}, %{after} ]", "number")
    for handler in node.handlers:
        taken, other = text.fresh_label("except"), text.fresh_label("next")
        for wanted in handler.classes:
            again = text.fresh_label("or")
            text.branch_if(_matches(f, number, wanted), taken, again)
            text.label(again)
        text.branch(other)
        text.label(taken)
        _handle(f, node, handler, is_object, slots)
        text.label(other)
    edges.append((status, text.block))
    text.branch(lost)
    text.label(lost)
    status = merge_edges(f.text, "i32", edges)
    f.scopes.append(list(owned))
    text.branch(failure_label(f, status, "null"))
    f.scopes.pop()


def _in_flight(f: FunctionEmitter) -> str:
    """The exception object in flight."""
    return f.text.let(f"load ptr, ptr {f.context_field('args')}", "exception")


def _number_of_object(f: FunctionEmitter) -> str:
    """The number of the class of the exception object in flight."""
    text = f.text
    info = text.let(f"load ptr, ptr {_field(f, _in_flight(f), OBJECT_STRUCT.offsets['typeinfo'])}")
    flags = text.let(f"load i64, ptr {_field(f, info, TYPEINFO.offsets['flags'])}")
    return text.let(f"ashr i64 {flags}, {NUMBER_SHIFT}")


def _field(f: FunctionEmitter, base: str, offset: int) -> str:
    return f.text.let(f"getelementptr i8, ptr {base}, i64 {offset}")


def _native(f: FunctionEmitter, status: str, lost: str) -> tuple[str, list[tuple[str, str]]]:
    """The status after converting a Python exception to a native one, and the edges to `lost`, if that failed."""
    text = f.text
    if status == str(int(Status.RAISED)):
        return status, []
    python, go = text.fresh_label("python"), text.fresh_label("raised")
    before = text.block
    is_ours = text.let(f"icmp eq i32 {status}, {int(Status.RAISED)}")
    text.terminate(f"br i1 {is_ours}, label %{go}, label %{python}{LIKELY}")
    text.label(python)
    symbol = symbols.EXCEPTION_FETCH
    text.declare_function(symbol, "i32", ["ptr"], "nounwind")
    fetched = text.let(f"call i32 @{symbol}(ptr %ctx)", "status")
    text.branch_if(text.let(f"icmp eq i32 {fetched}, {int(Status.RAISED)}"), go, lost)
    text.label(go)
    return text.let(f"phi i32 [ {status}, %{before} ], [ {fetched}, %{python} ]", "status"), [(fetched, python)]


def _matches(f: FunctionEmitter, number: str, wanted: ClassType) -> str:
    """Whether the exception in flight is of a class."""
    text = f.text
    if not is_builtin(wanted.info):
        return call_symbol(f, symbols.EXCEPTION_IS, [f"ptr {f.declare_type(wanted)}"], (BOOL,), None)[0]
    first, last = range_of(wanted.info)
    distance = text.let(f"sub i64 {number}, {first}") if first else number
    return text.let(f"icmp ule i64 {distance}, {last - first}")


def _handle(f: FunctionEmitter, node: Try, handler: Handler, is_object: str, slots: list[str]) -> None:
    """A handler: it takes over the slots and, if it needs one, the exception object."""
    text = f.text
    block = handler.block
    scope: list[str] = []
    f.scopes.append(scope)
    at = 0
    for param in node.slots(handler):
        operands: list[str] = []
        for leaf in leaves(param.type):
            operands.append(text.let(f"load {llvm_type(leaf)}, ptr {slots[at]}", hint_of(param)))
            at += 1
        f.define(param, operands)
    caught = node.caught(handler)
    if caught is not None:
        f.env[caught] = call_symbol(f, symbols.EXCEPTION_TAKE, (), (caught.type,), None)
    else:
        _drop(f, is_object)
    text.line(f"store i64 0, ptr {f.context_field('ntrace')}")
    emit_block(f, block)
    f.scopes.pop()


def _drop(f: FunctionEmitter, is_object: str) -> None:
    """Release an exception object that the handler does not need."""
    text = f.text
    drop, go = text.fresh_label("drop"), text.fresh_label("go")
    text.terminate(f"br i1 {is_object}, label %{drop}, label %{go}{UNLIKELY}")
    text.label(drop)
    release(f, _in_flight(f))
    text.branch(go)
    text.label(go)


def _new_exception(f: FunctionEmitter, node: Op) -> None:
    """A new exception."""
    args, type = node.inputs[0], node.output.type
    given = f.operands(args)[0] if leaves(args.type) else "null"
    f.env[node.output] = call_symbol(
        f, symbols.EXCEPTION_NEW, [f"ptr {f.declare_type(type)}", f"ptr {given}"], (type,), node.span
    )


def _chain_exception(f: FunctionEmitter, node: Op) -> None:
    """Set the cause of an exception."""
    call_symbol(f, symbols.EXCEPTION_CHAIN, [f"ptr {f.operand(v)}" for v in node.inputs], (), node.span)
    f.env[node.output] = ()


MAKERS: dict[str, OpEmitter] = {
    exception_ops.NEW.name: _new_exception,
    exception_ops.CHAIN.name: _chain_exception,
}
"""What writes operators whose results own what they refer to, or refer to nothing."""
