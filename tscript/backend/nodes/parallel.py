"""Calls that run a loop in parts, on several threads (`tscript.ir.graph.ParallelCall`).

The caller puts the range and the arguments into a *task*, cells on its stack, and hands it to ``ts_parallel_v1``
together with a function that calls the graph for a part of the range. If there are results, the items that are divided
are parts of fixed size (`ParallelCall.part_size`). Each leaves its results in cells of its own, and the caller joins
them in order. What is too short for a second thread goes to the same function without the pool.
"""

from __future__ import annotations

from collections.abc import Callable

from tscript.abi import symbols
from tscript.abi.leaves import leaves
from tscript.backend.llvm.constants import symbol_name
from tscript.backend.llvm.text import UNLIKELY, Text
from tscript.backend.llvm.types import memory_type
from tscript.backend.nodes.failing import check_status
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.loops import GRAIN, LOOP_PARAMETERS
from tscript.backend.nodes.values import coerce, convert
from tscript.diagnostics import InternalError
from tscript.ir.graph import ParallelCall
from tscript.ir.nodes import BLOCKS, SHARED_KINDS, WORTH
from tscript.types import BOOL, Type

START, STEP, STOP, COUNT, SIZE, PARTS, LOCK, ARGUMENTS = range(8)
"""The cells of a task: the range, its length, the size of parts, where their results are, who joins copies, then the
arguments."""


def emit_parallel(f: FunctionEmitter, node: ParallelCall) -> None:
    """Run the loop, on several threads if it is long."""
    text = f.text
    results = leaves(f.module.result_types[node.callee])
    task = _task(f, node)
    count = text.let(f"load i64, ptr {_cell(text, task, COUNT)}", "count")
    items, grain = count, max(1, GRAIN // node.work)
    if results:
        size = _part_size(f, node, count)
        text.line(f"store i64 {size}, ptr {_cell(text, task, SIZE)}")
        up = text.let(f"add i64 {count}, {text.let(f'sub i64 {size}, 1')}")
        # A loop without iterations is one part, whose results are those of none.
        items = _larger(text, text.let(f"udiv i64 {up}, {size}"), "1")
        grain = max(1, GRAIN // max(WORTH, node.work))
        parts = text.alloca(f"[{BLOCKS * len(results)} x i64], align 16", "parts")
        text.line(f"store ptr {parts}, ptr {_cell(text, task, PARTS)}")
    run = _runner(f, node, results)
    _divide(f, node, run, task, items, grain)
    if results:
        _join(f, node, parts, items, results)
    else:
        f.env[node.output] = ()


def _cell(text: Text, task: str, index: int | str) -> str:
    return text.let(f"getelementptr i64, ptr {task}, i64 {index}", "cell")


def _larger(text: Text, a: str, b: str) -> str:
    text.declare_function("llvm.smax.i64", "i64", ["i64", "i64"])
    return text.let(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")


def _task(f: FunctionEmitter, node: ParallelCall) -> str:
    """The task of a call."""
    text = f.text
    start, stop, step = (f.operand(v) for v in node.inputs[:3])
    parameters = f.module.parameter_types[node.callee][3:]
    arguments = [
        (operand, leaf)
        for value, type in zip(node.inputs[3:], parameters, strict=True)
        for operand, leaf in zip(coerce(f, value, type), leaves(type), strict=True)
    ]
    task = text.alloca(f"[{ARGUMENTS + len(arguments)} x i64], align 16", "task")
    text.line(f"store i64 0, ptr {_cell(text, task, LOCK)}")
    up = text.let(f"icmp sgt i64 {step}, 0")
    low = text.let(f"select i1 {up}, i64 {start}, i64 {stop}", "low")
    high = text.let(f"select i1 {up}, i64 {stop}, i64 {start}", "high")
    size = text.let(f"select i1 {up}, i64 {step}, i64 {text.let(f'sub i64 0, {step}')}", "size")
    text.declare_function("llvm.umax.i64", "i64", ["i64", "i64"])
    size = text.let(f"call i64 @llvm.umax.i64(i64 {size}, i64 1)")
    length = text.let(f"sub i64 {text.let(f'sub i64 {high}, {low}')}, 1")
    trips = text.let(f"add i64 {text.let(f'udiv i64 {length}, {size}')}, 1")
    count = text.let(f"select i1 {text.let(f'icmp slt i64 {low}, {high}')}, i64 {trips}, i64 0", "count")
    for index, operand in ((START, start), (STEP, step), (STOP, stop), (COUNT, count)):
        text.line(f"store i64 {operand}, ptr {_cell(text, task, index)}")
    for i, (operand, leaf) in enumerate(arguments):
        if leaf == BOOL:
            operand = text.let(f"zext i1 {operand} to i8")
        text.line(f"store {memory_type(leaf)} {operand}, ptr {_cell(text, task, ARGUMENTS + i)}")
    return task


def _part_size(f: FunctionEmitter, node: ParallelCall, count: str) -> str:
    text = f.text
    wanted = text.let(f"udiv i64 {text.let(f'add i64 {count}, {BLOCKS - 1}')}, {BLOCKS}")
    return _larger(text, wanted, str(node.least))


def _divide(f: FunctionEmitter, node: ParallelCall, run: str, task: str, items: str, grain: int) -> None:
    """Call the runner for all items."""
    text = f.text
    if f.module.observed:
        _check(f, text.let(f"call i32 {run}(ptr %ctx, ptr {task}, i64 0, i64 {items})", "status"))
        return
    long, short, following = (text.fresh_label(n) for n in ("long", "short", "following"))
    is_long = text.let(f"icmp sge i64 {items}, {2 * grain}")
    text.terminate(f"br i1 {is_long}, label %{long}, label %{short}{UNLIKELY}")
    text.label(short)
    done = text.let(f"call i32 {run}(ptr %ctx, ptr {task}, i64 0, i64 {items})", "status")
    at_short = text.block
    text.branch(following)
    text.label(long)
    # The parts may count references and call Python.
    text.declare_function(symbols.RELEASE_GIL, "i32", ["ptr"], "nounwind")
    text.line(f"call i32 @{symbols.RELEASE_GIL}(ptr %ctx)")
    text.declare_function(symbols.PARALLEL, "i32", ["ptr", "ptr", "ptr", "i64", "i64"], "nounwind")
    divided = _with_copies(f, node, run) if node.shared else run
    arguments = f"ptr %ctx, ptr {divided}, ptr {task}, i64 {items}, i64 {grain}"
    divided = text.let(f"call i32 @{symbols.PARALLEL}({arguments})", "status")
    at_long = text.block
    text.branch(following)
    text.label(following)
    _check(f, text.let(f"phi i32 [ {done}, %{at_short} ], [ {divided}, %{at_long} ]", "status"))


def _check(f: FunctionEmitter, status: str) -> None:
    # The sites of errors are those of the body, as if the loop were here.
    check_status(f, status, None)


def _runner(f: FunctionEmitter, node: ParallelCall, results: tuple[Type, ...]) -> str:
    """The function that runs some items of a task; written once in a module."""
    module = f.module
    if node.callee not in module.symbols:
        raise InternalError(f"call of {node.callee!r}, which is not part of the program", node.span)
    name = f"run.{node.callee}"
    symbol = symbol_name(name)
    if name in module.defined:
        return symbol
    module.defined.add(name)
    text = Text(module.declarations)
    start, step, stop, count = (
        text.let(f"load i64, ptr {_cell(text, '%task', i)}") for i in (START, STEP, STOP, COUNT)
    )
    passed = []
    arguments = [leaf for type in module.parameter_types[node.callee][3:] for leaf in leaves(type)]
    for i, leaf in enumerate(arguments):
        native = memory_type(leaf)
        cell = _cell(text, "%task", ARGUMENTS + i)
        passed.append(f"{native} {text.let(f'load {native}, ptr {cell}')}")
    callee = symbol_name(module.symbols[node.callee])

    def call(begin: str, end: str, outs: list[str]) -> str:
        """Call the graph for the iterations from `begin` to `end`."""
        first = text.let(f"add i64 {start}, {text.let(f'mul i64 {begin}, {step}')}", "first")
        last = text.let(f"add i64 {start}, {text.let(f'mul i64 {end}, {step}')}", "last")
        is_all = text.let(f"icmp eq i64 {end}, {count}")
        last = text.let(f"select i1 {is_all}, i64 {stop}, i64 {last}", "last")
        given = ["ptr %ctx", f"i64 {first}", f"i64 {last}", f"i64 {step}", *passed, *outs]
        return text.let(f"call i32 {callee}({', '.join(given)})", "status")

    if not results:
        text.terminate(f"ret i32 {call('%begin', '%end', [])}")
    else:
        _run_parts(text, call, count, results)
    module.functions.append(text.function(f"define internal i32 {symbol}({LOOP_PARAMETERS}) #0"))
    return symbol


def _with_copies(f: FunctionEmitter, node: ParallelCall, run: str) -> str:
    """The function that runs some items of a task with copies of the arrays that all update, and joins these."""
    module = f.module
    name = f"shared.{node.callee}"
    symbol = symbol_name(name)
    if name in module.defined:
        return symbol
    module.defined.add(name)
    text = Text(module.declarations)
    counts = [len(leaves(type)) for type in module.parameter_types[node.callee][3:]]
    cells = ARGUMENTS + sum(counts)
    own = text.alloca(f"[{cells} x i64], align 16", "own")
    copies = text.alloca(f"[{len(node.shared)} x ptr], align 16", "copies")
    text.declare_function("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
    text.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {own}, ptr %task, i64 {8 * cells}, i1 false)")
    begin = text.declare_function(
        symbols.kernel_symbol("shared_begin"), "i32", ["ptr", "ptr", "i64", "ptr"], "nounwind"
    )
    end = text.declare_function(
        symbols.kernel_symbol("shared_end"), "i32", ["ptr", "ptr", "ptr", "i64", "ptr"], "nounwind"
    )
    places = [ARGUMENTS + sum(counts[: position - 3]) for position, _ in node.shared]
    kinds = [SHARED_KINDS.index(kind) for _, kind in node.shared]
    slots = [_cell(text, copies, i) for i in range(len(places))]
    for slot in slots:
        text.line(f"store ptr null, ptr {slot}")
    done = text.fresh_label("done")
    found: list[tuple[str, str]] = []
    for place, kind, slot in zip(places, kinds, slots, strict=True):
        array = text.let(f"load ptr, ptr {_cell(text, '%task', place)}")
        status = text.let(f"call i32 {begin}(ptr %ctx, ptr {array}, i64 {kind}, ptr {slot})", "status")
        found.append((status, text.block))
        going_on = text.fresh_label("go")
        text.branch_if(text.let(f"icmp eq i32 {status}, 0"), going_on, done)
        text.label(going_on)
        text.line(f"store ptr {text.let(f'load ptr, ptr {slot}')}, ptr {_cell(text, own, place)}")
    ran = text.let(f"call i32 {run}(ptr %ctx, ptr {own}, i64 %begin, i64 %end)", "status")
    found.append((ran, text.block))
    text.branch(done)
    text.label(done)
    status = text.let(f"phi i32 {', '.join(f'[ {s}, %{block} ]' for s, block in found)}", "status")
    lock = _cell(text, "%task", LOCK)
    for place, kind, slot in zip(places, kinds, slots, strict=True):
        array = text.let(f"load ptr, ptr {_cell(text, '%task', place)}")
        copy = text.let(f"load ptr, ptr {slot}")
        text.line(f"call i32 {end}(ptr %ctx, ptr {array}, ptr {copy}, i64 {kind}, ptr {lock})")
    text.terminate(f"ret i32 {status}")
    module.functions.append(text.function(f"define internal i32 {symbol}({LOOP_PARAMETERS}) #0"))
    return symbol


def _run_parts(text: Text, call: Callable[[str, str, list[str]], str], count: str, results: tuple[Type, ...]) -> None:
    """One part after the other."""
    size = text.let(f"load i64, ptr {_cell(text, '%task', SIZE)}", "size")
    parts = text.let(f"load ptr, ptr {_cell(text, '%task', PARTS)}", "parts")
    text.declare_function("llvm.smin.i64", "i64", ["i64", "i64"])
    part, failed, done = (text.fresh_label(n) for n in ("part", "failed", "done"))
    following = text.fresh_label("following")
    text.branch(part)
    text.label(part)
    number, after = text.fresh("k"), text.fresh("k")
    text.line(f"{number} = phi i64 [ %begin, %entry ], [ {after}, %{following} ]")
    begin = text.let(f"mul i64 {number}, {size}", "begin")
    end = text.let(f"call i64 @llvm.smin.i64(i64 {text.let(f'add i64 {begin}, {size}')}, i64 {count})", "end")
    first = text.let(f"mul i64 {number}, {len(results)}")
    outs = [f"ptr {_cell(text, parts, text.let(f'add i64 {first}, {i}'))}" for i in range(len(results))]
    status = call(begin, end, outs)
    text.branch_if(text.let(f"icmp eq i32 {status}, 0"), following, failed)
    text.label(following)
    text.line(f"{after} = add i64 {number}, 1")
    text.branch_if(text.let(f"icmp slt i64 {after}, %end"), part, done)
    text.label(failed)
    text.terminate(f"ret i32 {status}")
    text.label(done)
    text.terminate("ret i32 0")


def _join(f: FunctionEmitter, node: ParallelCall, parts: str, items: str, results: tuple[Type, ...]) -> None:
    """Join the results of all parts, in order."""
    text, count = f.text, len(results)
    natives = [memory_type(leaf) for leaf in results]
    sums = [text.alloca(native, "joined") for native in natives]
    for i, (native, slot) in enumerate(zip(natives, sums, strict=True)):
        text.line(f"store {native} {text.let(f'load {native}, ptr {_cell(text, parts, i)}')}, ptr {slot}")
    again, body, done = (text.fresh_label(n) for n in ("again", "join", "joined"))
    before = text.block
    text.branch(again)
    text.label(again)
    place = text.reserve()
    number, after = text.fresh("k"), text.fresh("k")
    text.branch_if(text.let(f"icmp slt i64 {number}, {items}"), body, done)
    text.label(body)
    first = text.let(f"mul i64 {number}, {count}")
    given = [f"{native} {text.let(f'load {native}, ptr {slot}')}" for native, slot in zip(natives, sums, strict=True)]
    for i, native in enumerate(natives):
        cell = _cell(text, parts, text.let(f"add i64 {first}, {i}"))
        given.append(f"{native} {text.let(f'load {native}, ptr {cell}')}")
    join = symbol_name(f.module.symbols[node.join])
    outs = [f"ptr {slot}" for slot in sums]
    _check(f, text.let(f"call i32 {join}({', '.join(['ptr %ctx', *given, *outs])})", "status"))
    text.line(f"{after} = add i64 {number}, 1")
    end = text.block
    text.branch(again)
    text.fill(place, [f"{number} = phi i64 [ 1, %{before} ], [ {after}, %{end} ]"])
    text.label(done)
    found = []
    for native, slot, leaf in zip(natives, sums, results, strict=True):
        value = text.let(f"load {native}, ptr {slot}")
        found.append(text.let(f"trunc i8 {value} to i1") if leaf == BOOL else value)
    result = f.module.result_types[node.callee]
    f.env[node.output] = convert(f, tuple(found), result, node.output.type)


__all__ = ["emit_parallel"]
