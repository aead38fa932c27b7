"""Forked calls: the future with its arguments, the function that runs it, and waiting.

A fork allocates a `Future` (`tscript.abi.layout.FUTURE`), stores the arguments in its cells, each with a reference of
its own, and hands it to the pool. The pool runs a small adapter of the callee (`_task`), which loads the arguments from
the cells, calls the callee with the cells of the results as out pointers, and releases the arguments. The future owns
the results; a waiting function retains those that it uses.
"""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.layout import FUTURE
from tscript.abi.leaves import is_tensor, leaves
from tscript.abi.signature_types import result_kinds
from tscript.backend.llvm.constants import symbol_name
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.values import native_types
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.references import retain
from tscript.backend.nodes.values import coerce
from tscript.diagnostics import InternalError
from tscript.ir.graph import Fork, Op
from tscript.types import BOOL, FutureType, is_counted


def emit_fork(f: FunctionEmitter, node: Fork, site: str | None = None) -> None:
    """Start a task; the future belongs to the current scope.

    Args:
        site: Symbol of the `RecordSite` of the call, when it is observed.
    """
    module, text = f.module, f.text
    if node.callee not in module.symbols:
        raise InternalError(f"fork of {node.callee!r}, which is not part of the program", node.span)
    parameters = module.parameter_types[node.callee]
    result = module.result_types[node.callee]
    given = [
        (operand, leaf)
        for value, type in zip(node.inputs, parameters, strict=True)
        for operand, leaf in zip(coerce(f, value, type), leaves(type), strict=True)
    ]
    kinds = module.constants.data(result_kinds(result))
    sizes = [f"i64 {len(leaves(result))}", f"i64 {len(given)}"]
    run = _task(f, node.callee)
    (future,) = call_symbol(
        f, symbols.FUTURE_NEW, [*sizes, f"ptr {run}", f"ptr {kinds}"], (node.output.type,), node.span
    )
    for i, (operand, leaf) in enumerate(given, len(leaves(result))):
        if leaf == BOOL:
            operand = text.let(f"zext i1 {operand} to i8")
        elif is_counted(leaf):
            f.note(operand, leaf)
            retain(f, operand)
        text.line(f"store {native_types(leaf)[0]} {operand}, ptr {_cell(text, future, i)}")
    if module.constants.owner != "null":
        text.line(f"atomicrmw add ptr {module.constants.owner}, i64 1 monotonic")
        place = text.let(f"getelementptr i8, ptr {future}, i64 {FUTURE.offsets['owner']}", "owner")
        text.line(f"store ptr {module.constants.owner}, ptr {place}")
    if site is not None:
        place = text.let(f"getelementptr i8, ptr {future}, i64 {FUTURE.offsets['site']}", "site")
        text.line(f"store ptr {site}, ptr {place}")
    text.declare_function(symbols.FORK, "i32", ["ptr", "ptr"], "nounwind")
    text.line(f"call i32 @{symbols.FORK}(ptr %ctx, ptr {future})")
    f.env[node.output] = (future,)


def emit_wait(f: FunctionEmitter, node: Op) -> None:
    """Wait for a task; what it returned is retained for the current scope."""
    (value,) = node.inputs
    future = f.operand(value)
    call_symbol(f, symbols.WAIT, [f"ptr {future}"], (), node.span)
    assert isinstance(value.type, FutureType)
    operands = []
    for i, leaf in enumerate(leaves(value.type.value)):
        found = f.text.let(f"load {native_types(leaf)[0]}, ptr {_cell(f.text, future, i)}")
        if leaf == BOOL:
            found = f.text.let(f"trunc i8 {found} to i1")
        elif is_counted(leaf):
            f.note(found, leaf)
            retain(f, found)
        operands.append(found)
    f.define(node.output, operands)


def _cell(text: Text, future: str, index: int) -> str:
    return text.let(f"getelementptr i8, ptr {future}, i64 {FUTURE.size + 8 * index}", "cell")


def _task(f: FunctionEmitter, callee: str) -> str:
    """The symbol of the function that runs forked calls of `callee`; written once in a module."""
    module = f.module
    name = f"task.{callee}"
    symbol = symbol_name(name)
    if name in module.defined:
        return symbol
    module.defined.add(name)
    text = Text(module.declarations)
    results = leaves(module.result_types[callee])
    arguments = [leaf for type in module.parameter_types[callee] for leaf in leaves(type)]
    outs = [f"ptr {_cell(text, '%future', i)}" for i in range(len(results))]
    passed: list[str] = []
    owned: list[tuple[str, str]] = []
    for i, leaf in enumerate(arguments, len(results)):
        native = native_types(leaf)[0]
        found = text.let(f"load {native}, ptr {_cell(text, '%future', i)}")
        passed.append(f"{native} {found}")
        if is_counted(leaf):
            owned.append((found, symbols.TENSOR_RELEASE if is_tensor(leaf) else symbols.OBJECT_RELEASE))
    status = text.let(
        f"call i32 {symbol_name(module.symbols[callee])}({', '.join(['ptr %ctx', *passed, *outs])})", "status"
    )
    for argument, release in owned:
        text.declare_function(release, "i32", ["ptr", "ptr"])
        text.line(f"call i32 @{release}(ptr %ctx, ptr {argument})")
    text.terminate(f"ret i32 {status}")
    module.functions.append(text.function(f"define internal i32 {symbol}(ptr %ctx, ptr %future) #0"))
    return symbol
