"""The observed variant of a function: the same operators, each between two tests for callbacks.

An operator counts down the thread's events of its scope. When a callback is due, `RECORD_BEGIN` runs the enter
functions and returns a record, and after the operator `RECORD_END` runs the exit functions. Otherwise the operator
costs a decrement and two branches. When it raises, the record stays open, and the outermost caller closes it
(``record_unwind``).

The operators themselves have the same code as in the plain variant, so results are the same bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tscript.abi import symbols
from tscript.abi.dispatch import END, DispatchKind
from tscript.abi.layout import CONTEXT, RECORD, STORAGE, STORAGE_SEEN, TENSOR_STRUCT, THREAD
from tscript.abi.places import FOLDER
from tscript.abi.record import RecordScope
from tscript.backend.llvm.text import LIKELY, UNLIKELY
from tscript.backend.nodes import calls, dispatch, futures
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import Segments
from tscript.definitions.opdef import Kernel, Pointwise
from tscript.diagnostics import Span
from tscript.ir.analysis import called_module
from tscript.ir.graph import Call, Const, Fork, Fused, Graph, Node, Op, Value, walk

SHORTEST_SEGMENT = 3
LONGEST_SEGMENT = 32
"""The maximum number of operators with one common test: more make a sample among them likely."""

N = TypeVar("N", Op, Call, Fused)

_SITE = "{ ptr, ptr, ptr, ptr, i32, i32, i32, i32, ptr, ptr, ptr, ptr, i32, i32, ptr }"


def begin_function(f: FunctionEmitter, is_entry: bool) -> None:
    """Get the state of the thread: an entry looks it up, other functions get it from their caller."""
    text = f.text
    place = text.let(f"getelementptr i8, ptr %ctx, i64 {CONTEXT.offsets['observer']}", "observer")
    f.segments = segments_of(f.graph)
    if is_entry:
        text.declare_function(symbols.OBSERVER, "ptr", [])
        f.thread = text.let(f"call ptr @{symbols.OBSERVER}()", "thread")
        text.line(f"store ptr {f.thread}, ptr {place}")
    else:
        f.thread = text.let(f"load ptr, ptr {place}", "thread")


def emit_op(f: FunctionEmitter, node: Op) -> None:
    """An operator, observed if it is one over tensors."""
    if is_observed(node):
        schema = node.op.schema
        _observed(f, node, calls.emit_op, RecordScope.OPERATOR, schema.name, schema.overload)
    else:
        calls.emit_op(f, node)


def emit_call(f: FunctionEmitter, node: Call) -> None:
    """A call of a scripted function."""
    _observed(f, node, calls.emit_call, RecordScope.FUNCTION, node.callee, "")


def emit_fork(f: FunctionEmitter, node: Fork) -> None:
    """A forked call: its record is made where and when it runs, and shows no arguments."""
    futures.emit_fork(f, node, _site(f, node, RecordScope.FUNCTION, (node.callee, ""), (), ([], [])))


def emit_fused(f: FunctionEmitter, node: Fused) -> None:
    """A fused group, as one operator that names its members; a group of one is that operator."""
    schemas = [n.op.schema for n in node.body.nodes if isinstance(n, Op)]
    if len(schemas) == 1:
        _observed(f, node, calls.emit_fused, RecordScope.OPERATOR, schemas[0].name, schemas[0].overload)
    else:
        members = [s.name for s in schemas]
        _observed(f, node, calls.emit_fused, RecordScope.OPERATOR, calls.group_name(node), "", members)


def is_observed(node: Node) -> bool:
    """Whether callbacks see a node: a fused group, or an operator that they see at all and that is not dispatched at
    run time, where the eager operator is seen."""
    if isinstance(node, Fused):
        return True
    if not isinstance(node, Op) or not node.op.is_observed:
        return False
    return not isinstance(node.op.implementation, Kernel | Pointwise) or not dispatch.is_dispatched(node)


def user_span(span: Span) -> Span:
    """The innermost place of an operator that is not inside the body of another operator."""
    own = [frame for frame in span.frames() if not frame.source.name.startswith(FOLDER)]
    return own[0] if own else span


def _observed(
    f: FunctionEmitter,
    node: N,
    emit: Callable[[FunctionEmitter, N], None],
    scope: RecordScope,
    name: str,
    overload: str,
    members: Sequence[str] = (),
) -> None:
    text = f.text
    run, end, go = text.fresh_label("run"), text.fresh_label("end"), text.fresh_label("go")
    quiet = _quiet(f, node)
    edges: list[tuple[str, str]] = []
    if quiet is not None:
        check = text.fresh_label("check")
        edges.append(("null", text.block))
        text.terminate(f"br i1 {quiet}, label %{run}, label %{check}{LIKELY}")
        text.label(check)
    place = countdown(f, scope)
    left = text.let(f"sub i64 {text.let(f'load i64, ptr {place}')}, 1", "left")
    text.line(f"store i64 {left}, ptr {place}")
    due = text.let(f"icmp slt i64 {left}, 1", "due")
    begin = text.fresh_label("begin")
    edges.append(("null", text.block))
    text.terminate(f"br i1 {due}, label %{begin}, label %{run}{UNLIKELY}")
    text.label(begin)
    kinds, cells = _cells(f, node.inputs, 0)
    output_kinds = [kind for value in node.outputs for kind in dispatch.kinds_described(value.type)]
    site = _site(f, node, scope, (name, overload), members, (kinds, output_kinds))
    slot = text.slot("ptr", 0)
    text.line(f"store ptr null, ptr {slot}")
    text.declare_function(symbols.RECORD_BEGIN, "i32", ["ptr"] * 5)
    text.line(f"call i32 @{symbols.RECORD_BEGIN}(ptr %ctx, ptr {f.thread}, ptr {site}, ptr {cells}, ptr {slot})")
    opened = text.let(f"load ptr, ptr {slot}", "opened")
    if isinstance(node, Fused) and node.reuse:
        _keep_inputs(f, node, opened)
    edges.append((opened, text.block))
    text.branch(run)
    text.label(run)
    record = text.let(f"phi ptr {', '.join(f'[ {v}, %{b} ]' for v, b in edges)}", "record")
    emit(f, node)
    if text.terminated:
        return
    if quiet is not None:
        maybe = text.fresh_label("maybe")
        text.terminate(f"br i1 {quiet}, label %{go}, label %{maybe}{LIKELY}")
        text.label(maybe)
    unobserved = text.let(f"icmp eq ptr {record}, null", "unobserved")
    text.terminate(f"br i1 {unobserved}, label %{go}, label %{end}{LIKELY}")
    text.label(end)
    _, results = _cells(f, node.outputs, 1)
    text.declare_function(symbols.RECORD_END, "i32", ["ptr"] * 4)
    text.line(f"call i32 @{symbols.RECORD_END}(ptr %ctx, ptr {f.thread}, ptr {record}, ptr {results})")
    text.branch(go)
    text.label(go)


def _keep_inputs(f: FunctionEmitter, node: Fused, record: str) -> None:
    """Let no result take the memory of what a callback may still look at when the operator has ended."""
    text = f.text
    look, seen, following = (text.fresh_label(name) for name in ("look", "seen", "following"))
    text.branch_if(text.let(f"icmp eq ptr {record}, null"), following, look)
    text.label(look)
    inputs = text.let(f"getelementptr i8, ptr {record}, i64 {RECORD.offsets['inputs']}")
    text.branch_if(text.let(f"icmp eq ptr {text.let(f'load ptr, ptr {inputs}')}, null"), following, seen)
    text.label(seen)
    for param, value in zip(node.body.params, node.inputs, strict=True):
        if param in node.reuse:
            place = text.let(f"getelementptr i8, ptr {f.operands(value)[0]}, i64 {TENSOR_STRUCT.offsets['storage']}")
            storage = text.let(f"load ptr, ptr {place}")
            flags = text.let(f"getelementptr i8, ptr {storage}, i64 {STORAGE.offsets['flags']}")
            kept = text.let(f"or i64 {text.let(f'load i64, ptr {flags}')}, {STORAGE_SEEN}")
            text.line(f"store i64 {kept}, ptr {flags}")
    text.branch(following)
    text.label(following)


def countdown(f: FunctionEmitter, scope: RecordScope) -> str:
    """Address of the thread's countdown of a scope."""
    assert f.thread is not None
    return f.text.let(f"getelementptr i8, ptr {f.thread}, i64 {THREAD.offsets['countdown'] + 8 * scope}", "countdown")


def segments_of(graph: Graph) -> Segments:
    """The runs of operators of a graph.

    At the beginning of a run one test decides whether a callback can be due for any of its operators. If not, the
    entire run is counted at once, and each operator costs two branches on the result.
    """
    found = Segments()
    for block in (graph.body, *(b for n in walk(graph.body) if not isinstance(n, Fused) for b in n.blocks)):
        run: list[Node] = []
        for node in block.nodes:
            if isinstance(node, Fused) or (isinstance(node, Op) and is_observed(node)):
                run.append(node)
            if len(run) == LONGEST_SEGMENT or not isinstance(node, Op | Fused | Const):
                _close(found, run)
                run = []
        _close(found, run)
    return found


def _close(segments: Segments, run: Sequence[Node]) -> None:
    """Record a run that ends."""
    if len(run) >= SHORTEST_SEGMENT:
        segments.lengths[run[0]] = len(run)
        segments.members.update(dict.fromkeys(run, run[0]))


def _quiet(f: FunctionEmitter, node: Node) -> str | None:
    """An i1: no callback is due in the run that `node` belongs to, which is counted; None for a node on its own."""
    segments = f.segments
    first = None if segments is None else segments.members.get(node)
    if segments is None or first is None:
        return None
    if node is first:
        text, place = f.text, countdown(f, RecordScope.OPERATOR)
        before = text.let(f"load i64, ptr {place}", "before")
        after = text.let(f"sub i64 {before}, {segments.lengths[node]}", "after")
        answer = segments.answers[node] = text.let(f"icmp sgt i64 {after}, 0", "quiet")
        text.line(f"store i64 {text.let(f'select i1 {answer}, i64 {after}, i64 {before}')}, ptr {place}")
    return segments.answers[first]


def _cells(f: FunctionEmitter, values: Sequence[Value], which: int) -> tuple[list[DispatchKind], str]:
    """The kinds of values, and an array of them, the first or second of its length; emitted to the current block."""
    kinds: list[DispatchKind] = []
    cells: list[str] = []
    for value in values:
        dispatch.add_cells(f, value, kinds, cells)
    if not cells:
        return kinds, "null"
    array = f.text.slot(f"[{len(cells)} x i64]", which)
    for i, cell in enumerate(cells):
        f.text.line(f"store {cell}, ptr {f.text.let(f'getelementptr i64, ptr {array}, i64 {i}') if i else array}")
    return kinds, array


def _site(
    f: FunctionEmitter,
    node: Node,
    scope: RecordScope,
    name: tuple[str, str],
    members: Sequence[str],
    kinds: tuple[list[DispatchKind], list[DispatchKind]],
) -> str:
    """The `RecordSite` of a node, one for each: the loader has replaced the module's own, which may be freed."""
    constants = f.module.constants
    array = "null"
    if members:
        array = f"@members.{len(constants.lines)}"
        texts = ", ".join(f"ptr {constants.text(m)}" for m in members)
        constants.lines.append(f"{array} = private unnamed_addr constant [{len(members)} x ptr] [ {texts} ]")
    span = user_span(node.span)
    inner = called_module(node, f.graph) if isinstance(node, Call) else ""
    fields = (
        *(f"ptr {constants.text(t)}" for t in (*name, span.source.name, span.function)),
        *(f"i32 {n}" for n in (span.line, int(scope), len(node.inputs), len(members))),
        f"ptr {array}",
        f"ptr {constants.text('.'.join(filter(None, (node.span.module_path, inner))))}",
        *(f"ptr {constants.data(bytes([*k, END]))}" for k in kinds),
        *(f"i32 {len(k)}" for k in kinds),
        "ptr null",
    )
    symbol = f"@record.{len(constants.lines)}"
    constants.lines.append(f"{symbol} = private global {_SITE} {{ {', '.join(fields)} }}")
    place = f"getelementptr inbounds (i8, ptr @{symbols.SITES}, i64 {8 + 8 * len(constants.sites)})"
    constants.sites.append(symbol)
    return f.text.let(f"load ptr, ptr {place}", "site")
