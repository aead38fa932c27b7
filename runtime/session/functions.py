"""Function values at the boundary: a scripted function where compiled code takes a `Callable`, and Python objects for
function values that compiled code returns."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from tscript.abi.symbols import kernel_symbol
from tscript.definitions.absent import REQUIRED
from tscript.definitions.resolve import resolve
from tscript.definitions.table import OperatorTable
from tscript.ir.builder import Builder
from tscript.ir.graph import Call, Closure, Graph, Invoke, Op, Param, Program, Return, Value
from tscript.operators.python.conversions import is_object, widen_operator
from tscript.runtime.session.call import Specialisation
from tscript.runtime.session.linker import Linker
from tscript.runtime.values.binding import bind, convert
from tscript.runtime.values.function_value import FunctionValue
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    TYPE,
    CallableType,
    OptionalType,
    Type,
    TypeTable,
    by_name,
    is_heap,
    is_subtype,
    passes_as,
)

_NUMBERS: dict[tuple[Type, Type], str] = {(INT, FLOAT): "float", (BOOL, FLOAT): "float", (BOOL, INT): "int"}
"""Implicit conversions of numbers, with their operators."""


class FunctionValues:
    """The function values of this process that cross the boundary.

    Args:
        linker: Makes code that creates and calls them.
    """

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._made: WeakKeyDictionary[Any, dict[CallableType, FunctionValue]] = WeakKeyDictionary()
        self._originals: WeakValueDictionary[int, Any] = WeakValueDictionary()
        """The Python functions behind native ones, by address; a native one lives as long as its Python one."""
        self._held: WeakValueDictionary[int, FunctionValue] = WeakValueDictionary()
        self._kernels: dict[str, Callable[[None, int], int]] = {}
        self._calls: TypeTable[Specialisation] = TypeTable()

    def _kernel(self, name: str) -> Callable[[None, int], int]:
        """A kernel that cannot raise, for one object; it needs no context."""
        found = self._kernels.get(name)
        if found is None:
            address = self._linker.library.address(kernel_symbol(name))
            found = self._kernels[name] = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
        return found

    def release(self, address: int) -> None:
        """Release a reference of a native function."""
        self._kernel("object_release")(None, address)
        self._linker.compiler.session.store.sweep()

    def python(self, address: int, type: CallableType) -> object:
        """See `tscript.runtime.values.conversion.Functions`."""
        known = self._originals.get(address) or self._held.get(address)
        if known is not None:
            self.release(address)
            return known
        found = self._held[address] = FunctionValue(self, address, type)
        return found

    def native(self, value: object, type: CallableType) -> int:
        """See `tscript.runtime.values.conversion.Functions`.

        Raises:
            TypeError: It is a function of another type.
        """
        found = value if isinstance(value, FunctionValue) else self._function(value, type)
        if found is None:
            return 0
        if found.type != type:
            raise TypeError(f"the function is a {found.type}, and not a {type}")
        self._kernel("object_retain")(None, found.address)
        return found.address

    def _function(self, value: object, type: CallableType) -> FunctionValue | None:
        """A scripted function, or one that stays in Python, as a value of a type; created once."""
        scripted = getattr(value, "_scripted", None)
        try:
            made_of = self._made.setdefault(value if scripted is None else scripted, {})
        except TypeError:  # a value without hash or weak references is not a scripted function
            return None
        found = made_of.get(type)
        if found is None:
            if scripted is not None:
                version = scripted.of_types(_types_for(scripted.params, type))
                program = of_program(version.program, type, self._linker.compiler.table)
            elif getattr(value, "__tscript_mark__", "") == "ignore" and callable(value):
                name = getattr(value, "__qualname__", "function")
                parameters = [(f"a{i}", t) for i, t in enumerate(type.parameters)]
                op = self._linker.compiler.functions.operator(name, value, parameters, type.result)
                graph = Graph("value", [Param(n, t) for n, t in parameters], type.result)
                call = Op(op, graph.body.params, type.result)
                graph.body.nodes += [call, Return(call.output)]
                program = _maker(graph, type, ())
            else:
                return None
            compiler = self._linker.compiler
            code = self._linker.link_apart(lambda: compiler.specialise(program, (), {}))
            made = self._linker.native.stubs.invoke(code.signature, code.address, constants=code.constants)
            assert isinstance(made, FunctionValue)
            found = made_of[type] = made
            self._originals[found.address] = value
        return found

    def _caller(self, type: CallableType) -> Program:
        """A program that calls functions of a type."""
        params = [Param(f"a{i}", t, positional_only=True) for i, t in enumerate(type.parameters)]
        graph = Graph("function", [Param("f", type), *params], type.result)
        call = Invoke(graph.body.params, type.result)
        graph.body.nodes += [call, Return(call.output)]
        return Program(graph.name, [graph])

    def call(self, function: FunctionValue, args: Sequence[object]) -> object:
        """Call a function from Python.

        Raises:
            TypeError: The arguments do not fit its type.
        """
        type = function.type
        params = [Param(f"a{i}", t, positional_only=True) for i, t in enumerate(type.parameters)]
        native = self._linker.native
        values = [
            convert("function", p, v, native.Tensor)
            for p, v in zip(params, bind("function", params, args, {}), strict=True)
        ]
        code = self._calls.get(type)
        if code is None:
            code = self._calls.add(type, self._linker.link_apart(partial(self._caller, type)))
        values = [
            float(v) if t == FLOAT and isinstance(v, int) else v for v, t in zip(values, type.parameters, strict=True)
        ]
        return native.stubs.invoke(code.signature, code.address, function, *values, constants=code.constants)


def _types_for(params: Sequence[Param], type: CallableType) -> list[Type]:
    """The types of parameters that get those of a function value, as far as these go."""
    given = iter(type.parameters)
    return [p.type if p.keyword_only or p.variadic else next(given, p.type) for p in params]


def _maker(graph: Graph, type: CallableType, others: Sequence[Graph]) -> Program:
    """A program that returns a graph as a function value."""
    taken = {g.name for g in others} | {graph.name}
    name = next(n for i in range(len(taken) + 1) if (n := f"make{i or ''}") not in taken)
    make = Graph(name, [], type)
    made = Closure(graph.name, [], type)
    make.body.nodes += [made, Return(made.output)]
    return Program(name, [make, graph, *others])


def of_program(program: Program, type: CallableType, table: OperatorTable) -> Program:
    """A program that returns the entry of another one as a value of a type.

    Raises:
        TypeError: It does not take such arguments, or returns another type.
    """
    entry = program.entry
    graph = Graph(f"{entry.name}.value", [Param(f"a{i}", t) for i, t in enumerate(type.parameters)], type.result)
    builder = Builder(graph.body, entry.span)
    inputs: list[Value] = []
    given = list(graph.body.params)
    for param in entry.params:
        value = given.pop(0) if given and not param.keyword_only and not param.variadic else None
        if value is None and not (param.default is None and _takes_none(param.type)):
            if (
                param.default is REQUIRED
                or param.variadic
                or isinstance(param.type, OptionalType)
                or is_object(param.type)
            ):
                raise TypeError(_mismatch(program, type))
        if value is None:
            inputs.append(builder.const(by_name(param.default), type=param.type))
            continue
        found = _converted(builder, value, param.type, table)
        if found is None:
            raise TypeError(_mismatch(program, type))
        inputs.append(found)
    if given:
        raise TypeError(_mismatch(program, type))
    call = builder.append(Call(entry.name, inputs, entry.result, entry.span))
    out = _converted(builder, call.output, type.result, table)
    if out is None:
        raise TypeError(_mismatch(program, type))
    builder.return_(out)
    return _maker(graph, type, list(program.graphs.values()))


def _takes_none(type: Type) -> bool:
    return type == NONE or isinstance(type, OptionalType) or is_object(type)


def _mismatch(program: Program, type: CallableType) -> str:
    entry = program.entry
    params = ", ".join(f"{p.name}: {p.type}" for p in entry.params)
    return f"{entry.name}({params}) -> {entry.result} is not a {type}"


def _converted(builder: Builder, value: Value, target: Type, table: OperatorTable) -> Value | None:
    """A value as one of another type, where that is implicit and needs no branches."""
    found = value.type
    if passes_as(found, target):
        return value
    if (found, target) in _NUMBERS:
        return builder.op(resolve(table, _NUMBERS[found, target], [value]).op, value)
    if not is_subtype(found, target) or (isinstance(found, OptionalType) and not is_heap(found)):
        return None
    return builder.op(widen_operator(found, target), value, builder.const(target, type=TYPE))


__all__ = ["FunctionValues", "of_program"]
