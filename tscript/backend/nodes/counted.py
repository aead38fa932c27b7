"""`For` to basic blocks.

An innermost loop with safepoints runs in chunks, so that its body is unchanged and can be vectorised::

    for i in range(n):            rest = n
        body             =>       while rest:
                                      chunk = min(rest, BUDGET)
                                      for i in the next chunk: body
                                      rest -= chunk
                                      if rest: safepoint
                                  budget -= the last chunk

The loop around it finds the budget used up, and comes to a safepoint.

Any other loop is a header with phis for the counter and the carried values, the body, and a latch. Headers look like
those of C loops, and facts about the counter that chunks hide are stated as assumptions. So LLVM sees that ``0 <= i <
n`` and removes bounds checks, and that the number of iterations is cheap to compute, as it must be to unroll a loop.
"""

from __future__ import annotations

from tscript.abi.mode import IS_CHECKED
from tscript.backend.llvm.text import LIKELY, Text
from tscript.backend.llvm.types import literal, llvm_type
from tscript.backend.nodes.control import Phis, bind, carried, emit_body, finish, leave, owned_of
from tscript.backend.nodes.cost import Chunked, Counted
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.passing import pass_in
from tscript.backend.nodes.phis import begin_join
from tscript.backend.nodes.safepoints import budget_slot, count_down, pause
from tscript.backend.nodes.state import Join, LoopState, Operands, Typed
from tscript.backend.nodes.values import hint_of
from tscript.definitions.opdef import Extern, Leaf, Structural
from tscript.ir.analysis import trip_count
from tscript.ir.graph import Block, Const, For, If, Node, Op, Raise, Terminator, walk
from tscript.late import dataclass
from tscript.operators.python.references import REFERENCES
from tscript.types import dtype_of

SHORT = 16
"""Inner loops of so many budgets run without chunks: some milliseconds between two safepoints at most."""

MOST_COPIED = 24
"""The maximum number of nodes of an inner loop that has a copy without chunks."""

COLD = 100_000
"""The numbers of the metadata of loops in code that hardly ever runs are higher than this."""


def emit_for(f: FunctionEmitter, node: For) -> None:
    """A counted loop."""
    text = f.text
    types = carried(f, node.body.params[1:]).types
    inits = pass_in(f, node.inputs[3:], types)
    exit = Join(text.fresh_label("endfor"), types)
    trips = trip_count(node)
    if trips == 0:
        leave(f, exit, inits)
        finish(f, node, exit)
        return
    counter = _counter(f, node)
    plan = f.costs.plan(node)
    chunked = isinstance(plan, Chunked)
    if chunked and trips is None and _is_entered_often(f, node, counter):
        _emit_short(f, node, counter, inits, exit)
    if trips is None and (chunked or not counter.is_simple):
        before = text.fresh_label("for")
        exit.edges.append((inits, text.block))
        text.branch_if(counter.nonempty(text), before, exit.label)
        text.label(before)
    if chunked:
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
        constant: The step when it is known.
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
    constant: int | None
    hint: str

    @property
    def is_simple(self) -> bool:
        """Whether the step is 1: then the counter itself ends the loop."""
        return self.constant == 1

    def less(self, text: Text, a: str, b: str) -> str:
        """Whether a < b."""
        return text.let(f"icmp {'slt' if self.signed else 'ult'} {self.native} {a}, {b}")

    def nonempty(self, text: Text) -> str:
        """Whether there is a first iteration."""
        return self.less(text, self.low, self.high)

    def trips(self, text: Text) -> str:
        """The number of iterations, as an unsigned number of the counter's type. Not for empty ranges."""
        length = text.let(f"sub {self.native} {self.high}, {self.low}", "length")
        if self.size == "1":
            return length
        whole = text.let(f"udiv {self.native} {text.let(f'sub {self.native} {length}, 1')}, {self.size}")
        return text.let(f"add {self.native} {whole}, 1", "trips")

    def advance(self, text: Text, current: str) -> str:
        """The next value. With step 1 it ends at `stop` and so does not wrap."""
        return text.let(f"add {self.flag if self.is_simple else ''}{self.native} {current}, {self.step}", self.hint)

    @property
    def flag(self) -> str:
        """The flags that a sum does not wrap."""
        return "nsw " if self.signed else "nuw "

    def widened(self, text: Text, value: str) -> str:
        """A number of iterations as an i64."""
        return value if self.native == "i64" else text.let(f"zext {self.native} {value} to i64")

    def typed(self, *further: str) -> tuple[Typed, ...]:
        """All its operands and `further` ones of its type."""
        own = (self.start, self.stop, self.step, self.low, self.high, self.size)
        return tuple((self.native, operand) for operand in (*own, *further))

    def assume_inside(self, text: Text, index: str) -> None:
        """State that `index` lies in the range, for steps of known sign."""
        if self.constant is None:
            return
        ahead = self.constant > 0
        kind = f"{'s' if self.signed else 'u'}{'ge' if ahead else 'le'}"
        _assume(text, text.let(f"icmp {kind} {self.native} {index}, {self.start}"))
        _assume(text, self.less(text, index, self.stop) if ahead else self.less(text, self.stop, index))


def _assume(text: Text, condition: str) -> None:
    text.declare_function("llvm.assume", "void", ["i1"])
    text.line(f"call void @llvm.assume(i1 {condition})")


def _counter(f: FunctionEmitter, node: For) -> _Counter:
    text = f.text
    start, stop, step = (f.operand(v) for v in node.inputs[:3])
    type = node.inputs[0].type
    native, dtype = llvm_type(type), dtype_of(type)
    assert dtype is not None
    constant = node.inputs[2].constant
    if isinstance(constant, int) and constant:
        low, high = (start, stop) if constant > 0 else (stop, start)
        size = literal(abs(constant), type)
    else:
        constant = None
        text.declare_function(f"llvm.umax.{native}", native, [native, native])
        low, high, size = start, stop, step
        if dtype.signed:
            up = text.let(f"icmp sgt {native} {step}, 0", "up")
            low = text.let(f"select i1 {up}, {native} {start}, {native} {stop}", "low")
            high = text.let(f"select i1 {up}, {native} {stop}, {native} {start}", "high")
            down = text.let(f"sub {native} 0, {step}")
            size = text.let(f"select i1 {up}, {native} {step}, {native} {down}")
        # A step of zero is ruled out before the loop; still nothing here may be undefined.
        size = text.let(f"call {native} @llvm.umax.{native}({native} {size}, {native} 1)", "size")
    hint = hint_of(node.body.params[0])
    return _Counter(native, dtype.signed, start, stop, step, low, high, size, constant, hint)


class _Header:
    """Header of an inner loop: phis for the counter, a count of iterations where the step is not 1, and carried
    values."""

    def __init__(self, f: FunctionEmitter, node: For, counter: _Counter, count_type: str) -> None:
        self._f = f
        self._counter = counter
        self._count_type = count_type
        self.params = node.body.params[1:]
        self.shape = carried(f, self.params)
        counted = () if counter.is_simple else (count_type,)
        hints = [counter.hint, *("k" for _ in counted), *self.shape.hints]
        self._phis = Phis(f, [counter.native, *counted, *self.shape.native], hints)
        self._first = 1 + len(counted)
        self.index = self._phis.names[0]
        self.carried: Operands = self._phis.names[self._first :]
        f.env[node.body.params[0]] = (self.index,)

    @property
    def count(self) -> str:
        """The number of iterations before this one; not for step 1."""
        return self._phis.names[1]

    def enter(self, start: str, inits: Operands, block: str) -> None:
        """The edge into the loop."""
        self._phis.add([start, *("0" for _ in range(self._first - 1)), *inits], block)

    def test(self, end: str, leaving: str) -> None:
        """Continue with the body unless the counter (the count) has reached `end`."""
        text, counter = self._f.text, self._counter
        body = text.fresh_label("body")
        if counter.is_simple:
            more = counter.less(text, self.index, end)
        else:
            more = text.let(f"icmp ult {self._count_type} {self.count}, {end}")
        text.branch_if(more, body, leaving)
        text.label(body)
        if not counter.is_simple:
            counter.assume_inside(text, self.index)

    def repeat(self, again: Operands, label: str) -> None:
        """The back edge, from the current block."""
        text = self._f.text
        step = [self._counter.advance(text, self.index)]
        if not self._counter.is_simple:
            step.append(text.let(f"add nuw {self._count_type} {self.count}, 1", "k"))
        self._phis.add([*step, *again], text.block)
        text.terminate(f"br label %{label}{_left_alone(self._f)}")

    def write(self) -> None:
        """All edges are known."""
        self._phis.write()


def _emit_plain(f: FunctionEmitter, node: For, counter: _Counter, inits: Operands, exit: Join, cost: int) -> None:
    text = f.text
    end = counter.stop if counter.is_simple else counter.trips(text)
    head = text.fresh_label("head")
    before = text.block
    text.branch(head)
    text.label(head)
    header = _Header(f, node, counter, counter.native)
    header.enter(counter.start, inits, before)
    exit.edges.append((header.carried, head))
    header.test(end, exit.label)
    kept = counter.typed(header.index, end, *(() if counter.is_simple else (header.count,)))
    state = LoopState(len(f.scopes), Join(text.fresh_label("latch"), header.shape.types), exit, kept=kept)
    emit_body(f, node, bind(f, header.params, header.carried), state)
    if state.latch.edges:
        again = begin_join(f, state.latch)
        if cost:
            needed = (*kept, *zip(header.shape.native, again, strict=True))
            count_down(f, cost, owned_of(f, again, header.shape.types), node, needed)
        header.repeat(again, head)
    header.write()


def _is_entered_often(f: FunctionEmitter, node: For, counter: _Counter) -> bool:
    """Whether a loop in chunks gets a copy for few iterations: it is in another loop, and what it does is little."""
    if not f.loops or f.cold or f.module.observed or IS_CHECKED or not counter.is_simple:
        return False
    inside = [n for n in walk(node.body) if not isinstance(n, Const)]
    return counter.native == "i64" and len(inside) <= MOST_COPIED and all(map(_is_plain, inside))


def _is_plain(node: Node) -> bool:
    """Whether a node is arithmetic, an access to an element, or control flow."""
    if not isinstance(node, Op):
        return isinstance(node, If | Terminator)
    plain = isinstance(node.op.implementation, Leaf | Extern | Structural) and node.op not in REFERENCES
    return plain or node.op.name in _PROVED


def _emit_short(f: FunctionEmitter, node: For, counter: _Counter, inits: Operands, exit: Join) -> None:
    """The loop without chunks, for few iterations; for more, and for none, the code goes on behind it.

    One test finds both. Where it does not change in the loop around, LLVM moves it out, and counts for both loops at
    once.
    """
    text = f.text
    trips = text.let(f"sub i64 {counter.stop}, {counter.start}", "trips")
    short = text.let(f"icmp ult i64 {text.let(f'sub i64 {trips}, 1')}, {f.module.budget * SHORT}", "short")
    few, many, head = text.fresh_label("few"), text.fresh_label("many"), text.fresh_label("head")
    finished = text.fresh_label("end")
    text.terminate(f"br i1 {short}, label %{few}, label %{many}{LIKELY}")
    text.label(few)
    text.branch(head)
    text.label(head)
    header = _Header(f, node, counter, "i64")
    header.enter(counter.start, inits, few)
    header.test(counter.stop, finished)

    def used() -> str:
        return text.let(f"sub i64 {header.index}, {counter.start}")

    kept = counter.typed(header.index)
    state = LoopState(len(f.scopes), Join(text.fresh_label("latch"), header.shape.types), exit, used, kept)
    emit_body(f, node, bind(f, header.params, header.carried), state)
    if state.latch.edges:
        header.repeat(begin_join(f, state.latch), head)
    header.write()
    text.label(finished)
    less = text.let(f"sub i64 0, {trips}")
    left = text.let(f"load i64, ptr {budget_slot(f)}", "left")
    text.line(f"store i64 {text.let(f'add i64 {left}, {less}')}, ptr {budget_slot(f)}")
    leave(f, exit, header.carried)
    text.label(many)


def _emit_chunked(f: FunctionEmitter, node: For, counter: _Counter, inits: Operands, exit: Join) -> None:
    text, native = f.text, counter.native
    shape = carried(f, node.body.params[1:])
    total = "" if counter.is_simple else counter.widened(text, counter.trips(text))
    outer, head, following = text.fresh_label("chunk"), text.fresh_label("head"), text.fresh_label("rest")
    # The ends are computed before the chunks: where a loop is around this one, the first often does not change.
    until = _end_of_chunk(f, counter, counter.start) if counter.is_simple else _chunk_of(f, total)
    before = text.block
    text.branch(outer)
    text.label(outer)
    # With step 1 the rest follows from the counter; LLVM then knows more of it.
    counted = () if counter.is_simple else ("i64",)
    limit = native if counter.is_simple else "i64"
    hints = [counter.hint, "end", *("rest" for _ in counted), *shape.hints]
    chunks = Phis(f, [native, limit, *counted, *shape.native], hints)
    chunks.add([counter.start, until, *(total for _ in counted), *inits], before)
    first, end, values = chunks.names[0], chunks.names[1], chunks.names[2 + len(counted) :]
    if counter.is_simple:
        counter.assume_inside(text, first)
        _assume(text, counter.less(text, first, end))
    text.branch(head)
    text.label(head)
    header = _Header(f, node, counter, "i64")
    header.enter(first, values, outer)
    header.test(end, following)

    def used() -> str:
        if not counter.is_simple:
            return header.count
        return counter.widened(text, text.let(f"sub {native} {header.index}, {first}"))

    if counter.is_simple and _has_checks(node.body):
        _assume(text, counter.less(text, header.index, counter.stop))
    state = LoopState(len(f.scopes), Join(text.fresh_label("latch"), shape.types), exit, used)
    emit_body(f, node, bind(f, header.params, header.carried), state)
    if state.latch.edges:
        header.repeat(begin_join(f, state.latch), head)
    header.write()

    text.label(following)
    rest: tuple[str, ...] = ()
    if counter.is_simple:
        length = counter.widened(text, text.let(f"sub {native} {end}, {first}", "length"))
        whole = text.let(f"icmp eq {native} {end}, {counter.stop}")
    else:
        length = end
        rest = (text.let(f"sub i64 {chunks.names[2]}, {end}", "rest"),)
        whole = text.let(f"icmp eq i64 {rest[0]}, 0")
    finished, stop = text.fresh_label("end"), text.fresh_label("pause")
    text.terminate(f"br i1 {whole}, label %{finished}, label %{stop}{LIKELY}")
    text.label(finished)
    left = text.let(f"load i64, ptr {budget_slot(f)}", "left")
    text.line(f"store i64 {text.let(f'sub i64 {left}, {length}')}, ptr {budget_slot(f)}")
    leave(f, exit, header.carried)
    text.label(stop)
    # Where the chunk ended is where the counter stands; LLVM knows more of the former.
    at = end if counter.is_simple else header.index
    needed = [*counter.typed(at), *(("i64", r) for r in rest), *zip(shape.native, header.carried, strict=True)]
    pause(f, owned_of(f, header.carried, shape.types), node, needed)
    again = text.fresh_label("again")
    text.branch(again)
    text.label(again)
    until = _end_of_chunk(f, counter, at) if counter.is_simple else _chunk_of(f, rest[0])
    chunks.add([at, until, *rest, *header.carried], text.block)
    text.branch(outer)
    chunks.write()


def _left_alone(f: FunctionEmitter) -> str:
    """Metadata of the branch that closes a loop: in code that hardly ever runs LLVM spends no time on it."""
    if not f.cold:
        return ""
    f.module.cold_loops += 1
    number = COLD + f.module.cold_loops
    never = '!{!"llvm.loop.vectorize.enable", i1 false}, !{!"llvm.loop.unroll.disable"}'
    f.text.declare(f"!{number}", f"!{number} = distinct !{{!{number}, {never}}}")
    return f", !llvm.loop !{number}"


def _chunk_of(f: FunctionEmitter, rest: str) -> str:
    """The iterations of the next chunk, an i64."""
    f.text.declare_function("llvm.umin.i64", "i64", ["i64", "i64"])
    return f.text.let(f"call i64 @llvm.umin.i64(i64 {rest}, i64 {f.module.budget})", "chunk")


def _end_of_chunk(f: FunctionEmitter, counter: _Counter, first: str) -> str:
    """Where the chunk ends that begins with `first`, for step 1."""
    text, native = f.text, counter.native
    chunk = _chunk_of(f, counter.widened(text, text.let(f"sub {native} {counter.stop}, {first}", "rest")))
    length = chunk if native == "i64" else text.let(f"trunc i64 {chunk} to {native}")
    return text.let(f"add {counter.flag}{native} {first}, {length}", "end")


def _has_checks(block: Block) -> bool:
    """Whether anything in a block may raise."""
    return any(
        isinstance(n, Raise) or (isinstance(n, Op) and n.op.effects.raises and n.op.name not in _PROVED)
        for n in walk(block)
    )


_PROVED = frozenset({"element_at", "set_element_at", "item_in.list", "set_item_in.list", "code_in.str"})
"""Reads and writes that are said to raise so that they stay where they are."""
