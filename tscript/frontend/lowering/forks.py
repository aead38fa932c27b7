"""``fork`` and ``wait``: calls of functions, methods and modules as tasks.

A task takes only what never changes, and tensors. So a module is not given to it: the task gets the attributes that the
called methods read, and makes a module of its own of them (`_Task`). It gets a list as a tuple, of which it makes a
list of its own. That is the same as long as it changes neither modules nor lists that it is given, which is checked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import calls, functions, keywords, receivers
from tscript.frontend.lowering.arguments import refuse_stars, values
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol
from tscript.frontend.source.symbols import ForkSymbol, LocalSymbol, Symbol, WaitSymbol
from tscript.ir.graph import Call, Closure, Fork, Op, Param, Return, Value, walk
from tscript.operators.python.classes import GET_FIELD, OBJECT_NEW, SET_FIELD
from tscript.operators.python.container_literals import LIST_MAKE
from tscript.operators.python.futures import WAIT
from tscript.types import (
    NONE,
    STR,
    TYPE,
    ClassInfo,
    ClassType,
    DictType,
    FutureType,
    ListType,
    SetType,
    TupleType,
    Type,
    is_given,
    is_taken,
)
from tscript.types import waited as given

_Call = tuple[str, list[Value], Type]
"""A graph, its inputs, and the type of its result."""


def fork(lowering: FunctionLowering, node: ast.Call, symbol: ForkSymbol) -> Value:
    """``fork(function, arguments)``, and ``_awaitable_nowait(value)``."""
    refuse_stars(lowering, node)
    span = lowering.span(node)
    if symbol.is_ready:
        (value,) = values(lowering, node, symbol.shown, 1, 1)
        graph, inputs, result = _same(lowering, value, span), [value], value.type
    elif node.args:
        graph, inputs, result = _called(lowering, node, symbol)
    else:
        problem, instead = "takes a function first", "fork(f, x) runs f(x)"
        raise lowering.failure(errors.BuiltinArguments(span, symbol.shown, problem, instead))
    if not is_given(result):
        problem = (
            f"cannot give a Future of {article(result)}: tasks give numbers, strings, tensors and whatever else never "
            "changes, tuples of them and lists of them"
        )
        instead = "call the function, or return what it can give"
        if isinstance(result, DictType | SetType):
            what = "list(d.items()), and make a dict" if isinstance(result, DictType) else "list(s), and make a set"
            instead = f"return {what} of it behind wait"
        raise lowering.failure(errors.BuiltinArguments(span, symbol.shown, problem, instead))
    if any(_is_module(value.type) or _is_list(value.type) for value in inputs):
        graph, inputs = _Task(lowering, symbol, span).of(graph, inputs, result)
    for value in inputs:
        if not is_taken(value.type):
            problem = f"cannot share {article(value.type)} with a task: the task may change it"
            instead = "give it numbers, strings, tensors, tuples of them, modules, or lists that it does not change"
            raise lowering.failure(errors.BuiltinArguments(span, symbol.shown, problem, instead))
    return lowering.emit(Fork(graph, inputs, FutureType(result), span))


def wait(lowering: FunctionLowering, node: ast.Call, symbol: WaitSymbol) -> Value:
    """``wait(future)``."""
    (value,) = values(lowering, node, symbol.shown, 1, 1)
    return waited(lowering, value, lowering.span(node), symbol.shown)


def waited(lowering: FunctionLowering, value: Value, span: Span, name: str = "wait") -> Value:
    """The result of a future; `name` is what waits for it, in messages."""
    if not isinstance(value.type, FutureType):
        problem, instead = f"takes a Future, not {article(value.type)}", "fork(f, x) gives one"
        raise lowering.failure(errors.BuiltinArguments(span, name, problem, instead))
    return _own(lowering, lowering.leaf(WAIT, [value], given(value.type.value), span), value.type.value, span)


def _own(lowering: FunctionLowering, value: Value, wanted: Type, span: Span) -> Value:
    """What a task gave with lists of its own."""
    if value.type == wanted:
        return value
    if isinstance(wanted, ListType):
        return lowering.apply("to_list", [value], span)
    assert isinstance(wanted, TupleType)
    parts = zip(tuple_elements(lowering, value, span), wanted.elements, strict=True)
    return make_tuple(lowering, [_own(lowering, part, type, span) for part, type in parts], span)


def _is_module(type: Type) -> bool:
    return isinstance(type, ClassType) and type.info.is_module


def _called(lowering: FunctionLowering, node: ast.Call, symbol: ForkSymbol) -> _Call:
    """The call that a task makes."""
    first = node.args[0]
    called = ast.copy_location(ast.Call(first, node.args[1:], node.keywords), node)
    target = static(lowering, first)
    if isinstance(target, FunctionSymbol):
        return calls.bound_call(lowering, called, target.function)
    if isinstance(target, LocalSymbol) and isinstance(target.function.node, ast.FunctionDef):
        inner, called = keywords.of_local(lowering, target.function, called)
        function, instance, called = functions.local_instance(lowering, inner, called)
        return calls.bound_to(lowering, called, function, instance)
    found = None if isinstance(first, ast.Lambda) else _of_module(lowering, called, target)
    if found is None:
        what = "a lambda" if isinstance(first, ast.Lambda) else None if target is None else shown_symbol(target)
        what = what or article(lowering.value(first).type)
        instead = "write a function that does it, and fork that"
        problem = f"takes a function, a module or a method of one first, not {what}"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(first), symbol.shown, problem, instead))
    return found


def _of_module(lowering: FunctionLowering, node: ast.Call, target: Symbol | None) -> _Call | None:
    """A call of a module, or of a method of one; None if it is neither."""
    if target is not None:
        return None
    name, callee = "__call__", node.func
    receiver: Value | None = None
    if isinstance(callee, ast.Attribute) and static(lowering, callee.value) is None:
        owner = lowering.value(callee.value)
        definition = receivers.definition_of(owner)
        if definition is not None and definition.method(callee.attr) is not None:
            name, receiver = callee.attr, owner
    if receiver is None:
        receiver = lowering.value(callee)
    definition = receivers.definition_of(receiver)
    found = None if definition is None or not _is_module(receiver.type) else definition.method(name)
    if found is None or definition is None or found[1].kind == "property" or found[1].mark == "ignore":
        return None
    receivers.usable_or_reading(lowering, definition)
    owner_definition, method = found
    method, node = keywords.of_method(lowering, method, node)
    is_bound = method.kind == "method"
    instance = calls.instance_of(lowering, owner_definition, method, lowering.span(node), node, int(is_bound))
    with receivers.values_named(lowering, [receiver] if is_bound else [], callee) as names:
        call = ast.copy_location(ast.Call(callee, [*names, *node.args], node.keywords), node)
        return calls.bound_to(lowering, call, instance.function, instance)


def _is_list(type: Type) -> bool:
    """Whether it is a list of what a task may be given."""
    return isinstance(type, ListType) and not type.frozen and is_taken(type.element)


def _same(lowering: FunctionLowering, value: Value, span: Span) -> str:
    """The graph of a task that gives what it takes."""
    graph = lowering.program.new_graph("same", [Param("value", value.type)], value.type, span)
    graph.body.nodes.append(Return(graph.body.params[0], span))
    return graph.name


class _Task:
    """A task that makes the modules and lists which a function takes: modules of the attributes that it reads."""

    def __init__(self, lowering: FunctionLowering, symbol: ForkSymbol, span: Span) -> None:
        self.lowering, self.symbol, self.span = lowering, symbol, span
        self.read: dict[ClassInfo, dict[str, None]] = {}
        self.changed: set[Type] = set()
        self.given: list[Value] = []

    def of(self, name: str, inputs: Sequence[Value], result: Type) -> tuple[str, list[Value]]:
        """The graph that calls the graph `name`, and its inputs."""
        self._look(name)
        made = [self._argument(value) for value in inputs]
        parameters = [Param(f"given_{i}", value.type) for i, value in enumerate(self.given)]
        graph = self.lowering.program.new_graph(f"{name}.task", parameters, result, self.span)
        block, self.lowering.block = self.lowering.block, graph.body
        try:
            arguments = [make(graph.body.params) for make in made]
            out = self.lowering.emit(Call(name, arguments, result, self.span))
            graph.body.nodes.append(Return(out, self.span))
        finally:
            self.lowering.block = block
        return graph.name, self.given

    def _argument(self, value: Value) -> Callable[[Sequence[Value]], Value]:
        """Give an argument to the task."""
        if _is_module(value.type):
            return self._taken(value, "")
        return self._listed(value) if self._stays(value.type) else self._given(value)

    def _stays(self, type: Type) -> bool:
        """Whether it is a list that the task does not change."""
        return _is_list(type) and type not in self.changed

    def _look(self, name: str) -> None:
        """Find the attributes of modules that a graph reads, and refuse it if it changes any."""
        pending, seen = [name], {name}
        while pending:
            graph = self.lowering.program.graph_named(pending.pop())
            if graph is None or not graph.body.is_terminated:
                raise self._refused("cannot start a function that is being compiled: it calls itself this way")
            own = {
                id(out)
                for node in walk(graph.body)
                if isinstance(node, Op) and node.op is LIST_MAKE
                for out in node.outputs
            }
            for node in walk(graph.body):
                if isinstance(node, Call | Closure | Fork) and node.callee not in seen:
                    seen.add(node.callee)
                    pending.append(node.callee)
                elif isinstance(node, Op):
                    self._look_at(node, own)

    def _look_at(self, node: Op, own: Collection[int]) -> None:
        """The same of one operator; lists in `own` are new ones."""
        for i, value in enumerate(node.inputs):
            type = value.type
            changes = node.op.effects.world or i in node.op.effects.writes
            if isinstance(type, ListType | DictType | SetType) and changes and id(value) not in own:
                self.changed.add(type)
            if not isinstance(type, ClassType) or not type.info.is_module:
                continue
            if node.op is GET_FIELD and i == 0:
                self.read.setdefault(type.info, {})[str(node.inputs[1].constant)] = None
            elif changes:
                what = f"'{node.inputs[1].constant}'" if node.op is SET_FIELD else "attributes"
                raise self._refused(f"starts a task that may change {what} of a module, which others use")

    def _refused(self, problem: str) -> Abandoned:
        instead = "call it without fork, or return what is new and assign it after wait"
        return self.lowering.failure(errors.BuiltinArguments(self.span, self.symbol.shown, problem, instead))

    def _given(self, value: Value) -> Callable[[Sequence[Value]], Value]:
        """Give a value to the task; returns what finds it there."""
        self.given.append(value)
        position = len(self.given) - 1
        return lambda parameters: parameters[position]

    def _taken(self, module: Value, path: str) -> Callable[[Sequence[Value]], Value]:
        """Give what is read of a module to the task; returns what makes the module there."""
        type = module.type
        assert isinstance(type, ClassType)
        parts: dict[str, Callable[[Sequence[Value]], Value]] = {}
        for name in self.read.get(type.info, ()):
            held = type.info.fields[name]
            value = self.lowering.leaf(GET_FIELD, [module, self._text(name)], held, self.span)
            if _is_module(held):
                parts[name] = self._taken(value, f"{path}{name}.")
            elif is_taken(held):
                parts[name] = self._given(value)
            elif self._stays(held):
                parts[name] = self._listed(value)
            else:
                what = f"'{path}{name}', {article(held)},"
                raise self._refused(f"cannot share {what} with a task: the task may change it")

        def make(parameters: Sequence[Value]) -> Value:
            self_type = self.lowering.const(type, TYPE, self.span)
            made = self.lowering.leaf(OBJECT_NEW, [self_type], type, self.span)
            for name, part in parts.items():
                inputs = [made, self._text(name), part(parameters)]
                self.lowering.leaf(SET_FIELD, inputs, NONE, self.span)
            return made

        return make

    def _listed(self, value: Value) -> Callable[[Sequence[Value]], Value]:
        """Give a list to the task as a tuple, of which it makes a list."""
        found = self._given(self.lowering.apply("to_tuple", [value], self.span))
        return lambda parameters: self.lowering.apply("to_list", [found(parameters)], self.span)

    def _text(self, name: str) -> Value:
        return self.lowering.const(name, STR, self.span)


__all__ = ["fork", "wait", "waited"]
