"""`For` to basic blocks.

A loop that must let signals in and has no loop inside runs in chunks, so that its body stays as it was written and can
be vectorised::

    for i in range(n):            rest = n
        body             =>       while rest:
                                      chunk = min(rest, budget)
                                      for i in the next chunk: body
                                      rest -= chunk; budget -= chunk
                                      if rest: safepoint

Any other loop is a header with phis for the counter and the carried values, the body, and a latch.
"""

from __future__ import annotations

from dataclasses import dataclass

from tscript.backend.control import Phis, bind, carried, count_down, emit_body, finish, leave, owned_of, pause
from tscript.backend.cost import Chunked, Counted, trip_count
from tscript.backend.function import FunctionEmitter, Join, LoopState, Operands
from tscript.backend.machine import literal, llvm_type
from tscript.backend.text import Text
from tscript.ir.graph import For
from tscript.types import dtype_of


def emit_for(f: FunctionEmitter, node: For) -> None:
    """A counted loop."""
    text = f.text
    types = carried(f, node.body.params[1:]).types
    inits = f.pass_in(node, node.inputs[3:], types)
    exit = Join(text.fresh_label("endfor"), types)
    trips = trip_count(node)
    if trips == 0:
        leave(f, exit, inits)
    else:
        counter = _counter(f, node)
        before = text.fresh_label("for")
        if trips is None:
            exit.edges.append((inits, text.block))
            text.branch_if(counter.nonempty(text), before, exit.label)
        else:
            text.branch(before)
        text.label(before)
        plan = f.costs.plan(node)
        if isinstance(plan, Chunked):
            _emit_chunked(f, node, counter, inits, exit)
        else:
            _emit_plain(f, node, counter, inits, exit, plan.cost if isinstance(plan, Counted) else 0)
    finish(f, node, exit)


@dataclass(frozen=True, slots=True)
class _Counter:
    """The arithmetic of a loop's counter.

    Attributes:
        native: Its LLVM type.
        signed: Whether it is signed.
        start, stop, step: Operands.
        low, high: The ends in ascending order.
        size: The step without its sign, at least 1.
        is_simple: Whether the step is 1: the counter itself then says when to stop.
        hint: For names.
    """

    native: str
    signed: bool
    start: str
    stop: str
    step: str
    low: str
    high: str
    size: str
    is_simple: bool
    hint: str

    def nonempty(self, text: Text) -> str:
        """Whether there is a first iteration."""
        return text.let(f"icmp {'slt' if self.signed else 'ult'} {self.native} {self.low}, {self.high}")

    def trips(self, text: Text) -> str:
        """The number of iterations, as an unsigned number of the counter's type. Not for empty ranges."""
        length = text.let(f"sub {self.native} {self.high}, {self.low}", "length")
        if self.size == "1":
            return length
        whole = text.let(f"udiv {self.native} {text.let(f'sub {self.native} {length}, 1')}, {self.size}")
        return text.let(f"add {self.native} {whole}, 1", "trips")

    def advance(self, text: Text, current: str) -> str:
        """The next value. With step 1 it ends at `stop` and so does not wrap."""
        flag = f"{'nsw' if self.signed else 'nuw'} " if self.is_simple else ""
        return text.let(f"add {flag}{self.native} {current}, {self.step}", self.hint)

    def widened(self, text: Text, value: str) -> str:
        """A number of iterations as an i64."""
        return value if self.native == "i64" else text.let(f"zext {self.native} {value} to i64")


def _counter(f: FunctionEmitter, node: For) -> _Counter:
    text = f.text
    start, stop, step = (f.operand(v) for v in node.inputs[:3])
    type = node.inputs[0].type
    native, dtype = llvm_type(type), dtype_of(type)
    assert dtype is not None
    constant = node.inputs[2].constant
    if isinstance(constant, int):
        low, high = (start, stop) if constant > 0 else (stop, start)
        size = literal(max(1, abs(constant)), type)
    else:
        text.declare(f"declare {native} @llvm.umax.{native}({native}, {native})")
        low, high, size = start, stop, step
        if dtype.signed:
            up = text.let(f"icmp sgt {native} {step}, 0", "up")
            low = text.let(f"select i1 {up}, {native} {start}, {native} {stop}", "low")
            high = text.let(f"select i1 {up}, {native} {stop}, {native} {start}", "high")
            down = text.let(f"sub {native} 0, {step}")
            size = text.let(f"select i1 {up}, {native} {step}, {native} {down}")
        # A step of zero is ruled out before the loop; still nothing here may be undefined.
        size = text.let(f"call {native} @llvm.umax.{native}({native} {size}, {native} 1)", "size")
    hint = f.hint(node.body.params[0])
    return _Counter(native, dtype.signed, start, stop, step, low, high, size, constant == 1, hint)


def _emit_plain(
    f: FunctionEmitter, node: For, counter: _Counter, inits: Operands, exit: Join, cost: int
) -> None:
    text, native = f.text, counter.native
    params = node.body.params[1:]
    shape = carried(f, params)
    # How the end is seen: by the counter itself, or by a count of iterations beside it.
    counted = () if counter.is_simple else (native,)
    trips = "" if counter.is_simple else counter.trips(text)
    head = text.fresh_label("head")
    before = text.block
    text.branch(head)
    text.label(head)
    phis = Phis(f, [native, *counted, *shape.native], [counter.hint, *("k" for _ in counted), *shape.hints])
    phis.add([counter.start, *("0" for _ in counted), *inits], before)
    f.env[node.body.params[0]] = phis.names[:1]
    owned = bind(f, params, phis.names[1 + len(counted) :])
    state = LoopState(len(f.scopes), Join(text.fresh_label("latch"), shape.types), exit)
    emit_body(f, node, owned, state)
    if state.latch.edges:
        again = f.join(state.latch)
        step = [counter.advance(text, phis.names[0])]
        if counter.is_simple:
            done = text.let(f"icmp eq {native} {step[0]}, {counter.stop}", "done")
        else:
            step.append(text.let(f"add nuw {native} {phis.names[1]}, 1", "k"))
            done = text.let(f"icmp eq {native} {step[1]}, {trips}", "done")
        exit.edges.append((again, text.block))
        if cost:
            more = text.fresh_label("more")
            text.branch_if(done, exit.label, more)
            text.label(more)
            count_down(f, cost, owned_of(again, shape.types), node.span)
            text.branch(head)
        else:
            text.branch_if(done, exit.label, head)
        phis.add([*step, *again], text.block)
    phis.write()


def _emit_chunked(f: FunctionEmitter, node: For, counter: _Counter, inits: Operands, exit: Join) -> None:
    text, native = f.text, counter.native
    params = node.body.params[1:]
    shape = carried(f, params)
    rest = counter.widened(text, counter.trips(text))
    outer, head, following = text.fresh_label("chunk"), text.fresh_label("head"), text.fresh_label("rest")
    before = text.block
    text.branch(outer)
    text.label(outer)
    chunks = Phis(f, [native, "i64", *shape.native], [counter.hint, "rest", *shape.hints])
    chunks.add([counter.start, rest, *inits], before)
    first, rest = chunks.names[:2]
    left = text.let(f"load i64, ptr {f.budget()}", "left")
    text.declare("declare i64 @llvm.umin.i64(i64, i64)")
    chunk = text.let(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {left})", "chunk")
    end = ""
    if counter.is_simple:
        length = chunk if native == "i64" else text.let(f"trunc i64 {chunk} to {native}")
        end = text.let(f"add {'nsw' if counter.signed else 'nuw'} {native} {first}, {length}", "end")
    text.branch(head)
    text.label(head)
    counted = () if counter.is_simple else ("i64",)
    phis = Phis(f, [native, *counted, *shape.native], [counter.hint, *("k" for _ in counted), *shape.hints])
    phis.add([first, *("0" for _ in counted), *chunks.names[2:]], outer)
    index = phis.names[0]
    f.env[node.body.params[0]] = (index,)
    owned = bind(f, params, phis.names[1 + len(counted) :])

    def used() -> str:
        if not counter.is_simple:
            return phis.names[1]
        return counter.widened(text, text.let(f"sub {native} {index}, {first}"))

    state = LoopState(len(f.scopes), Join(text.fresh_label("latch"), shape.types), exit, used)
    emit_body(f, node, owned, state)
    if state.latch.edges:
        again = f.join(state.latch)
        step = [counter.advance(text, index)]
        if counter.is_simple:
            done = text.let(f"icmp eq {native} {step[0]}, {end}", "done")
        else:
            step.append(text.let(f"add nuw i64 {phis.names[1]}, 1", "k"))
            done = text.let(f"icmp eq i64 {step[1]}, {chunk}", "done")
        phis.add([*step, *again], text.block)
        text.branch_if(done, following, head)
        _emit_rest(f, node, (rest, chunk, left, following), owned_of(again, shape.types), again, exit)
        chunks.add([step[0], f"{rest}.next", *again], text.block)
        text.branch(outer)
    phis.write()
    chunks.write()


def _emit_rest(
    f: FunctionEmitter, node: For, chunk: tuple[str, str, str, str], owned: list[str], again: Operands, exit: Join
) -> None:
    """Behind a chunk: leave when nothing is left, else pause and go on in the current block."""
    text = f.text
    rest, length, left, label = chunk
    text.label(label)
    text.line(f"{rest}.next = sub i64 {rest}, {length}")
    finished = text.let(f"icmp eq i64 {rest}.next, 0", "finished")
    end, stop = text.fresh_label("end"), text.fresh_label("pause")
    text.branch_if(finished, end, stop)
    text.label(end)
    text.declare("declare i64 @llvm.umax.i64(i64, i64)")
    remaining = text.let(f"sub i64 {left}, {length}")
    text.line(f"store i64 {text.let(f'call i64 @llvm.umax.i64(i64 {remaining}, i64 1)')}, ptr {f.budget()}")
    leave(f, exit, again)
    text.label(stop)
    pause(f, owned, node.span)
