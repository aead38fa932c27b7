"""The reference interpreter: runs any graph, before or after any pass, without compiling anything.

Tests compare native code with it. It only follows the definition of the IR and the `semantics` of operators; the
meaning of a composite operator is its body. Values are Python ints (wrapped to their type), floats (rounded to it),
bools, tuples, `DType`s and, for tensors, NumPy arrays; views share memory and in-place operators write to their
argument. Control flow runs on a stack of its own, so neither loops nor deep calls use Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from tscript.abi.layout import MAX_DEPTH
from tscript.definitions.opdef import Composite, Leaf, OpDef, OperatorTypeError, natural
from tscript.definitions.shared import Shared
from tscript.definitions.values import is_value_of, type_of_value
from tscript.dialect import machine
from tscript.ir.analysis import builtin_exception, format_message
from tscript.ir.array_checks import check_arrays
from tscript.ir.bodies import LowerBody
from tscript.ir.coercion import BY_TYPES, InterpreterError, coercion
from tscript.ir.graph import (
    REQUIRED,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Graph,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
    Program,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)
from tscript.operators.python.own_keys import Kept, plain_keys
from tscript.types import Type, general, in_python

NO_SEMANTICS = machine.LOAD.semantics
"""The placeholder for operators without a meaning on values."""


class StepLimitError(Exception):
    """A program exceeded its step limit."""


# Values


# Control


PARTS = 3
"""Into how many parts a loop without results is divided."""


class _Scope:
    """One block being run."""

    __slots__ = ("nodes", "owner", "pc", "pending")

    def __init__(self, owner: Node | None, nodes: list[Node]) -> None:
        self.owner = owner
        self.nodes = nodes
        self.pc = 0
        self.pending: range | None = None
        """The remaining counters of a `For`."""


class _Frame:
    """One graph being run."""

    __slots__ = ("env", "graph", "scopes", "slots", "waiting")

    def __init__(self, graph: Graph, args: Sequence[object], waiting: Value | None) -> None:
        self.graph = graph
        self.env: dict[Value, Any] = dict(zip(graph.body.params, args, strict=True))
        self.scopes = [_Scope(None, graph.body.nodes)]
        self.slots: dict[Label, list[Any]] = {}
        self.waiting = waiting
        """The value in the caller's frame for the result."""


class _Task:
    """A forked call that has been run."""

    __slots__ = ("error", "value")

    def __init__(self, value: object, error: Exception | None) -> None:
        self.value = value
        self.error = error

    def result(self) -> object:
        """Its result; raises its exception."""
        if self.error is not None:
            raise self.error
        return self.value


class _Closure:
    """A function value with its captured values; Python can call it, too."""

    __slots__ = ("bodies", "graph", "held", "limit", "program")

    def __init__(self, machine: _Machine, graph: Graph, held: Sequence[object]) -> None:
        self.program = machine.program
        self.limit = machine.limit
        self.bodies = machine.bodies
        self.graph = graph
        self.held = held

    def __call__(self, *args: object) -> object:
        return _Machine(self.program, self.graph, [*self.held, *args], self.limit, self.bodies).run()


class _Machine:
    """The state of one interpretation."""

    __slots__ = ("bodies", "env", "frames", "limit", "program", "result", "scope", "steps")

    def __init__(
        self, program: Program, entry: Graph, args: Sequence[object], limit: int | None, bodies: LowerBody | None
    ) -> None:
        self.program = program
        self.limit = limit
        self.bodies = bodies
        self.steps = 0
        self.frames = [_Frame(entry, args, None)]
        self.result: object = None
        self.env = self.frames[-1].env
        self.scope: _Scope | None = self.frames[-1].scopes[-1]

    def error(self, what: str) -> InterpreterError:
        return InterpreterError(f"@{self.frames[-1].graph.name}: {what}")

    def run(self) -> object:
        while (scope := self.scope) is not None:
            self.steps += 1
            if self.limit is not None and self.steps > self.limit:
                raise StepLimitError(f"more than {self.limit} steps")
            if scope.pc >= len(scope.nodes):
                raise self.error("a block ends without a terminator")
            node = scope.nodes[scope.pc]
            scope.pc += 1
            execute = _EXECUTE.get(type(node))
            if execute is None:
                raise self.error(f"{type(node).__name__} is not a class of nodes")
            try:
                execute(self, node)
            except (InterpreterError, StepLimitError):
                raise
            except OperatorTypeError as refused:
                error = natural(refused)
                if not self.handle(error):
                    raise error from refused
            except BaseException as error:
                if not self.handle(error):
                    raise
        return self.result

    def handle(self, error: BaseException) -> bool:
        """End blocks and calls until a handler catches `error`; returns whether there is one."""
        while self.frames:
            frame = self.frames[-1]
            while frame.scopes:
                scope = frame.scopes.pop()
                owner = scope.owner
                if not isinstance(owner, Try) or scope.nodes is not owner.body.nodes:
                    continue
                for handler in owner.handlers:
                    if any(is_value_of(error, c) for c in handler.classes):
                        self.env = frame.env
                        found = frame.slots[owner.label]
                        self.bind(handler.block.params, found if owner.caught(handler) is None else [*found, error])
                        self.enter(owner, handler.block.nodes)
                        return True
            self.frames.pop()
        return False

    def values(self, node: Node) -> list[Any]:
        env = self.env
        try:
            return [env[v] for v in node.inputs]
        except KeyError as missing:
            raise self.error(f"{missing.args[0]!r} has no value yet") from None

    def enter(self, owner: Node, nodes: list[Node]) -> _Scope:
        scope = _Scope(owner, nodes)
        self.frames[-1].scopes.append(scope)
        self.scope = scope
        return scope

    def leave(self) -> Node | None:
        """End the innermost block; returns its node."""
        scopes = self.frames[-1].scopes
        owner = scopes.pop().owner
        if scopes:
            self.scope = scopes[-1]
        return owner

    def bind(self, values: Sequence[Value], found: Sequence[object]) -> None:
        if len(values) != len(found):
            raise self.error(f"{len(found)} values for {len(values)} names")
        self.env.update(zip(values, found, strict=True))

    def unwind(self, label: Label) -> Loop | For:
        """End blocks until the innermost one is the body of the loop `label`."""
        scopes = self.frames[-1].scopes
        while scopes:
            owner = scopes[-1].owner
            if isinstance(owner, (Loop, For)) and owner.label is label:
                self.scope = scopes[-1]
                return owner
            scopes.pop()
        raise self.error(f"no loop {label.name} is around its exit")

    # Nodes

    def const(self, node: Const) -> None:
        output = node.outputs[0]
        value = node.value
        self.env[output] = value.value(output.type) if isinstance(value, Shared) else coercion(output.type)(value)

    def op(self, node: Op) -> None:
        op = node.op
        args = self.values(node)
        output = node.outputs[0]
        typed = BY_TYPES.get(op)
        if typed is not None:
            found = typed(node, args)
        elif isinstance(op.implementation, Composite):
            found = self.composite(op, op.implementation, args, [general(v.type) for v in node.inputs])
        elif op.semantics is NO_SEMANTICS:
            raise self.error(f"{op.name} has no meaning on values; run native code instead")
        else:
            check_arrays(node, args)
            found = op.semantics(*args)
            if type(found) is int and not -(1 << 63) <= found < 1 << 63 and not isinstance(op.implementation, Leaf):
                raise self.error(f"{op.name} gave {found}, which is no int of 64 bits, in place of an OverflowError")
        try:
            self.env[output] = coercion(output.type)(found)
        except (InterpreterError, TypeError, ValueError) as error:
            raise self.error(f"{op.name} gave {found!r}: {error}") from None

    def composite(self, op: OpDef, implementation: Composite, args: Sequence[object], types: Sequence[Type]) -> object:
        """The result of the body of an operator for arguments of `types`."""
        if self.bodies is None:
            raise self.error(f"{op.name} is a composite operator, and nobody handed down its body")
        program = self.bodies(implementation.body, types, op.name)
        inner = _Machine(program, program.entry, args, self.limit, self.bodies)
        inner.steps = self.steps
        found = inner.run()
        self.steps = inner.steps
        return found

    def call(self, node: Call) -> None:
        callee = self.program.graphs.get(node.callee)
        if callee is None:
            raise self.error(f"there is no graph @{node.callee}")
        if len(self.frames) >= MAX_DEPTH:
            raise RecursionError("maximum recursion depth exceeded")
        self.begin(_Frame(callee, self.values(node), node.outputs[0]))

    def begin(self, frame: _Frame) -> None:
        """Begin a call."""
        self.frames.append(frame)
        self.env = frame.env
        self.scope = frame.scopes[-1]

    def parallel(self, node: ParallelCall) -> None:
        """The parts one after the other, the last one first: each order gives the same. The exception is that of the
        first part that raises."""
        callee = self.program.graphs.get(node.callee)
        if callee is None:
            raise self.error(f"there is no graph @{node.callee}")
        start, stop, step, *others = self.values(node)
        counters = range(start, stop, step)
        size = node.part_size(len(counters)) if node.join else -(-len(counters) // PARTS)
        results: list[Any] = []
        raised: Exception | None = None
        for begin in reversed(range(0, max(1, len(counters)), max(1, size))):
            part = counters[begin : begin + size]
            try:
                results.append(self.apart(callee, [part.start, part.stop, part.step, *others]))
            except (InterpreterError, StepLimitError):
                raise
            except Exception as error:  # noqa: BLE001 - whatever the program raises
                raised = error
        if raised is not None:
            raise raised
        found = results.pop()
        while results:
            joined = results.pop()
            found = self.apart(self.program.graphs[node.join], [found, joined]) if node.join else joined
        self.env[node.outputs[0]] = found

    def apart(self, graph: Graph, args: list[Any]) -> Any:
        """The result of a graph, in a machine of its own."""
        machine = _Machine(self.program, graph, args, self.limit, self.bodies)
        machine.steps = self.steps
        found = machine.run()
        self.steps = machine.steps
        return found

    def fork(self, node: Fork) -> None:
        """A task runs at once, which is one of the allowed orders; its exception is kept for the waiting function."""
        callee = self.program.graphs.get(node.callee)
        if callee is None:
            raise self.error(f"there is no graph @{node.callee}")
        task = _Machine(self.program, callee, self.values(node), self.limit, self.bodies)
        task.steps = self.steps
        try:
            done = _Task(task.run(), None)
        except (InterpreterError, StepLimitError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever the program raises
            done = _Task(None, error)
        self.steps = task.steps
        self.env[node.outputs[0]] = done

    def closure(self, node: Closure) -> None:
        callee = self.program.graphs.get(node.callee)
        if callee is None:
            raise self.error(f"there is no graph @{node.callee}")
        self.env[node.outputs[0]] = _Closure(self, callee, self.values(node))

    def invoke(self, node: Invoke) -> None:
        function, *args = self.values(node)
        if not isinstance(function, _Closure):
            self.env[node.outputs[0]] = coercion(node.output.type)(function(*args))
            return
        if len(self.frames) >= MAX_DEPTH:
            raise RecursionError("maximum recursion depth exceeded")
        self.begin(_Frame(function.graph, [*function.held, *args], node.outputs[0]))

    def if_(self, node: If) -> None:
        (cond,) = self.values(node)
        self.enter(node, (node.then if cond else node.orelse).nodes)

    def loop(self, node: Loop) -> None:
        self.bind(node.body.params, self.values(node))
        self.enter(node, node.body.nodes)

    def for_(self, node: For) -> None:
        start, stop, step, *carried = self.values(node)
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self.bind(node.body.params[1:], carried)
        self.enter(node, node.body.nodes).pending = range(start, stop, step)
        self.next_iteration(node)

    def next_iteration(self, node: For) -> None:
        """Run the body for the next counter, or end the loop with its carried values."""
        scope = self.frames[-1].scopes[-1]
        counter, *carried = node.body.params
        assert scope.pending is not None
        if scope.pending:
            self.env[counter] = scope.pending[0]
            scope.pending = scope.pending[1:]
            scope.pc = 0
        else:
            self.leave()
            self.bind(node.outputs, [self.env[v] for v in carried])

    def fused(self, node: Fused) -> None:
        self.bind(node.body.params, self.values(node))
        self.enter(node, node.body.nodes)

    def try_(self, node: Try) -> None:
        self.frames[-1].slots[node.label] = self.values(node)
        self.enter(node, node.body.nodes)

    def set_slot(self, node: SetSlot) -> None:
        (found,) = self.values(node)
        self.frames[-1].slots[node.label][node.index] = found

    def throw(self, node: Throw) -> NoReturn:
        (error,) = self.values(node)
        raise error

    def yield_(self, node: Yield) -> None:
        found = self.values(node)
        owner = self.leave()
        if not isinstance(owner, (If, Fused, Try)):
            raise self.error("a yield that nothing takes")
        self.bind(owner.outputs, found)

    def break_(self, node: Break) -> None:
        found = self.values(node)
        owner = self.unwind(node.label)
        self.leave()
        self.bind(owner.outputs, found)

    def continue_(self, node: Continue) -> None:
        found = self.values(node)
        owner = self.unwind(node.label)
        if isinstance(owner, For):
            self.bind(owner.body.params[1:], found)
            self.next_iteration(owner)
        else:
            self.bind(owner.body.params, found)
            assert self.scope is not None
            self.scope.pc = 0

    def return_(self, node: Return) -> None:
        (found,) = self.values(node)
        frame = self.frames.pop()
        if not self.frames:
            self.result = found
            self.scope = None
            return
        caller = self.frames[-1]
        self.env = caller.env
        self.scope = caller.scopes[-1]
        assert frame.waiting is not None
        self.env[frame.waiting] = found

    def raise_(self, node: Raise) -> NoReturn:
        exception = builtin_exception(node.exception)
        if exception is None:
            raise self.error(f"{node.exception} is not a builtin exception")
        raise exception() if node.message is None else exception(format_message(node.message, self.values(node)))

    def unreachable(self, node: Unreachable) -> NoReturn:
        raise self.error("control reached what it cannot reach")


_EXECUTE: dict[type[Node], Callable[[_Machine, Any], None]] = {
    Const: _Machine.const,
    Op: _Machine.op,
    Call: _Machine.call,
    ParallelCall: _Machine.parallel,
    Fork: _Machine.fork,
    Closure: _Machine.closure,
    Invoke: _Machine.invoke,
    If: _Machine.if_,
    Loop: _Machine.loop,
    For: _Machine.for_,
    Fused: _Machine.fused,
    Try: _Machine.try_,
    SetSlot: _Machine.set_slot,
    Yield: _Machine.yield_,
    Break: _Machine.break_,
    Continue: _Machine.continue_,
    Return: _Machine.return_,
    Raise: _Machine.raise_,
    Throw: _Machine.throw,
    Unreachable: _Machine.unreachable,
}


def interpret(
    program: Program | Graph,
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    *,
    step_limit: int | None = None,
    bodies: LowerBody | None = None,
) -> Any:
    """Run the entry of a program, or one graph that calls no other.

    Args:
        program: Well-formed IR at any stage.
        args: Positional arguments; tensors as NumPy arrays, which in-place operators write to. Missing ones are
            taken from `kwargs` or the defaults.
        kwargs: Arguments by name.
        step_limit: How many nodes may run; None for any number.
        bodies: Returns the bodies of composite operators; without it a program may have none.

    Returns:
        The result: a Python scalar, None, a NumPy array (0-d for a 0-d tensor), a `DType`, or a tuple of such.

    Raises:
        StepLimitError: After `step_limit` nodes.
        RecursionError: Calls are nested deeper than native code allows.
        InterpreterError: See there.
        Exception: The exception of the program, as the builtin class.

    Example:
        >>> from tscript.ir.parser import parse_program
        >>> table = {op.name: op for op in machine.LEAVES}
        >>> interpret(parse_program("graph @f(%x: int) -> int { %0: int = machine.mul(%x, %x) return %0 }", table), [7])
        49
    """
    if isinstance(program, Graph):
        program = Program(program.name, [program])
    entry = program.entry
    given, kept = bind_arguments(entry, args, kwargs or {}), Kept.made
    machine = _Machine(program, entry, given, step_limit, bodies)
    try:
        return machine.run()
    finally:
        if Kept.made != kept:
            plain_keys([*given, machine.result])


def meaning(op: OpDef, bodies: LowerBody) -> Callable[..., Any]:
    """An operator on values: its `semantics`, or the result of its body."""
    implementation = op.implementation
    if not isinstance(implementation, Composite):
        return op.semantics

    def run(*values: object) -> object:
        types = [general(type_of_value(v)) for v in values]
        return interpret(bodies(implementation.body, types, op.name), values, bodies=bodies)

    return run


def bind_arguments(graph: Graph, args: Sequence[object], kwargs: Mapping[str, object]) -> list[object]:
    """One value per parameter of `graph`, each in the form of its type; ints given for floats become floats.

    Raises:
        TypeError: Too many arguments, one is missing, or a name is not known.
    """
    if len(args) > len(graph.params):
        raise TypeError(f"{graph.name}() takes {len(graph.params)} arguments but {len(args)} were given")
    unknown = set(kwargs) - {p.name for p in graph.params[len(args) :]}
    if unknown:
        raise TypeError(f"{graph.name}() got an unexpected argument {min(unknown)!r}")
    out: list[object] = []
    for i, p in enumerate(graph.params):
        value = args[i] if i < len(args) else kwargs.get(p.name, p.default)
        if value is REQUIRED:
            raise TypeError(f"{graph.name}() is missing the argument {p.name!r}")
        out.append(coercion(p.type)(in_python(value)))
    return out
