"""Eager operators: each is a callable whose specialisations are one-operator programs.

``tscript.add(x, y)``, ``x + y`` and ``x.add(y)`` are one native object: its table maps dtypes and ranks to code, its
slow path resolves the overload, builds the graph of that single operator and compiles it like any scripted function,
but for tensors of any rank: rows for other ranks have the same code. Only that a tensor is 0-d is known to the code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tscript.abi.record import RecordScope
from tscript.arrays import is_array
from tscript.definitions.absent import MISSING
from tscript.runtime.boundary.native.keys import Flag
from tscript.runtime.session.call import Dispatcher, Specialisation
from tscript.runtime.session.shipped import ShippedOperators, of_any_rank, with_names
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.arguments import Argument, complex_as_tensors, describe, plain
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import DType
from tscript.types.dtypes import FIRST_DEFAULT, compiled_for, default_float

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tscript.definitions.opdef import OpDef
    from tscript.definitions.operator_names import OperatorNames
    from tscript.definitions.table import OperatorTable
    from tscript.ir.graph import Program
    from tscript.pipeline.tiers import Tier
    from tscript.room import Room
    from tscript.runtime.boundary.boundary import Boundary
    from tscript.runtime.session.linker import Linker
    from tscript.runtime.session.watch import CompileWatch


class EagerOperator:
    """An operator by its plain name, as a callee.

    Args:
        tensor: The tensor type.
        linker: Gives what compiles it.
        name: Operator name in the table.
        over: Makes a tensor over an array.
        shipped: Has code for many arguments; None: all is compiled.
    """

    def __init__(
        self,
        tensor: type,
        linker: Callable[[], Linker],
        name: str,
        over: Callable[[Any], Any],
        shipped: ShippedOperators | None = None,
    ) -> None:
        self.name = name
        self._linker = linker
        self._shipped = shipped
        self._tensor = tensor
        self._over = over
        self._made: dict[tuple[DType, tuple[str, ...], tuple[Argument, ...]], Specialisation] = {}

    def prepare(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[list[object], list[Argument], tuple[str, ...]]:
        """See `tscript.runtime.session.call.Callee`."""
        log_api_usage_once("tscript.operator.run")
        tensor = self._tensor
        try:
            values = [plain(v) for v in (*args, *kwargs.values())]
        except TypeError as error:
            raise TypeError(f"{self.name}() does not take the array: {error}") from None
        if complex in map(type, values):
            found = complex_as_tensors(values)
            if not any(map(is_array, values)):  # results are arrays where there is one among the arguments
                found = [self._over(v) if is_array(v) else v for v in found]
            values = found
        try:
            described = [describe(v, tensor, static_bool=True) for v in values]
        except TypeError:
            wrong = next(v for v in values if not _is_described(v, tensor))
            hint = ": wrap it with tscript.from_numpy(…)" if type(wrong).__module__ == "numpy" else ""
            what = f"a {type(wrong).__name__}"
            if isinstance(wrong, type):
                what, hint = f"the type {wrong.__name__}", ": a dtype is one of ours, such as tscript.float32"
            raise TypeError(f"{self.name}() does not take {what}{hint}") from None
        return values, described, tuple(kwargs)

    def is_keyed(self, described: Sequence[Argument]) -> bool:
        """See `tscript.runtime.session.call.Callee`. Keys hold the addresses of strings, and of those alone that Python
        keeps once: others would make a row for each call."""
        strings = (d.constant for d in described if isinstance(d.constant, str))
        return all(sys.intern(s) is s for s in strings)

    def specialise(
        self, described: Sequence[Argument], names: tuple[str, ...], tier: Tier | None = None
    ) -> Specialisation:
        """See `tscript.runtime.session.call.Callee`. Code for any rank is made where that can be, and is kept for
        arguments of other ranks."""
        general = tuple(map(of_any_rank, described))
        default = default_float()
        found = self._made.get((default, names, general))
        if found is None and self._shipped is not None and self._is_usual(general, names, described):
            found = self._shipped.find(self.name, described, names)
        if found is None:
            program, op = self._program(general, names, described)
            # what always raises has the ranks in its message
            is_general = op.library is None and is_decided(program) and not always_raises(program)
            if not is_general and general != tuple(described):
                return self._linked(*self._program(described, names, described), described)
            found = self._made[default, names, general] = self._linked(program, op, general)
        return found

    def _is_usual(self, general: Sequence[Argument], names: tuple[str, ...], described: Sequence[Argument]) -> bool:
        """Whether the default dtype, if it is another one than that which shipped code was made for, makes no
        difference to the operator."""
        if default_float() is FIRST_DEFAULT:
            return True
        program = str(self._program(general, names, described)[0])
        with compiled_for(FIRST_DEFAULT):
            return str(self._program(general, names, described)[0]) == program

    @raises_user_errors
    def _program(
        self, described: Sequence[Argument], names: tuple[str, ...], given: Sequence[Argument]
    ) -> tuple[Program, OpDef]:
        """The specialised program for these arguments, and the operator; errors name the ranks that were given."""
        from tscript.definitions.opdef import OperatorTypeError, natural

        table = self._linker().compiler.table
        try:
            try:
                program, op = operator_program(table, self.name, described, names)
            except OperatorTypeError:
                operator_program(table, self.name, given, names)
                raise
        except OperatorTypeError as error:
            raise natural(error) from None
        types = [p.type for p in program.entry.params]
        return self._linker().compiler.specialise(program, types, {}), op

    def _linked(self, program: Program, op: OpDef, described: Sequence[Argument]) -> Specialisation:
        from tscript.definitions.return_types import return_type_text

        linker = self._linker()
        static = [d.constant is not MISSING for d in described]
        observation = linker.observation
        with observation.range(RecordScope.COMPILE, self.name):
            site = observation.sites.site(RecordScope.OPERATOR, self.name, op.schema.overload) if op.is_observed else 0
            made = linker.link(
                program, [d.type for d in described], static, site=site, tier=linker.compiler.options.library_tier
            )
            return with_names(made, return_type_text(op))


def is_decided(program: Program) -> bool:
    """Whether the dtypes of all operators of a specialised program are known."""
    from tscript.backend.nodes.dispatch import is_dispatched
    from tscript.definitions.opdef import Kernel, Pointwise
    from tscript.ir.graph import Op, walk

    nodes = (n for g in program.graphs.values() for n in walk(g.body))
    return not any(
        isinstance(n, Op) and isinstance(n.op.implementation, Kernel | Pointwise) and is_dispatched(n) for n in nodes
    )


def always_raises(program: Program) -> bool:
    """Whether calls of a specialised program do nothing else."""
    from tscript.ir.graph import Return

    return not any(isinstance(n, Return) for n in program.entry.body.nodes)


def _is_described(value: object, tensor: type) -> bool:
    try:
        describe(value, tensor)
    except TypeError:
        return False
    return True


def operator_program(
    table: OperatorTable, name: str, described: Sequence[Argument], names: tuple[str, ...] = ()
) -> tuple[Program, OpDef]:
    """The program that applies one operator, and the operator that was found.

    Args:
        table: The operators.
        name: Plain name of an operator, or the whole one of one that users cannot name.
        described: The arguments; constants among them are built in, the others become parameters.
        names: Keywords of the last ``len(names)`` arguments.

    Raises:
        TypeError: No overload takes them (`OperatorTypeError`).
    """
    from tscript.definitions.resolve import resolve
    from tscript.ir.builder import Builder
    from tscript.ir.graph import Graph, Param, Program

    dynamic = [d for d in described if d.constant is MISSING]
    graph = Graph(name, [Param(f"a{i}", d.type) for i, d in enumerate(dynamic)])
    build = Builder(graph.body)
    params = iter(graph.body.params)
    values = [next(params) if d.constant is MISSING else build.const(d.constant) for d in described]
    split = len(values) - len(names)
    named = dict(zip(names, values[split:], strict=True))
    resolved = resolve(table, name, values[:split], named)
    result = build.apply(resolved)
    build.return_(result)
    graph.result = result.type
    return Program(name, [graph]), resolved.op


class EagerOperators:
    """The eager operators of this process.

    Args:
        native: The boundary.
        linker: Gives what compiles them.
        compiling: Held meanwhile.
        room: Runs the compiler.
        watch: Is told about compiles.
        shipped: Has code for many; None: all are compiled.
    """

    def __init__(
        self,
        native: Boundary,
        linker: Callable[[], Linker],
        compiling: AbstractContextManager[object],
        room: Room,
        watch: CompileWatch,
        shipped: ShippedOperators | None = None,
    ) -> None:
        self._native = native
        self._linker = linker
        self._compiling, self._room, self._watch = compiling, room, watch
        self._shipped = shipped
        self._made: dict[str, Any] = {}

    @property
    def names(self) -> OperatorNames:
        """The names of all operators that are built in."""
        found = None if self._shipped is None else self._shipped.names
        return self._linker().compiler.table.called if found is None else found

    def of(self, name: str) -> Any:
        """The native callable of the operator `name`, made at its first use; one per name."""
        found = self._made.get(name)
        if found is None:
            native = self._native
            callee = EagerOperator(native.Tensor, self._linker, name, native.arrays.as_tensor, self._shipped)
            dispatcher = Dispatcher(native, callee, self._compiling, self._room, self._watch, takes_lists=True)
            flags = [Flag.STATIC_BOOL | Flag.LIST | Flag.STRING]
            found = native.callables.new(name, 1, flags, dispatcher.miss, variadic=True)
            found.__module__ = "tscript"
            found.__tscript_operator__ = name
            found = self._made.setdefault(name, found)
        return found

    def function(self, path: str) -> Any:
        """The operator ``tscript.<path>``, or None if there is none."""
        op = self.names.function(f"tscript.{path}")
        if op is None:
            return None
        found = self.of(op)
        text = None if self._shipped is None else self._shipped.documentation(op)
        found.__doc__ = documentation(self._linker().compiler.table, op) if text is None else text
        return found

    def function_in(self, space: str, name: str) -> Any:
        """The operator ``tscript.<space>.<name>``.

        Raises:
            AttributeError: There is none.
        """
        found = None if name.startswith("_") else self.function(f"{space}.{name}")
        if found is None:
            homes = self.names.homes(name)
            instead = f": it is 'tscript.{homes[0].partition('.')[2]}'" if homes else ""
            raise AttributeError(f"module 'tscript.{space}' has no attribute {name!r}{instead}")
        return found

    def functions_of(self, space: str) -> list[str]:
        """The names of the operators in ``tscript.<space>``."""
        prefix = f"torch.{space}."
        paths = self.names.paths
        return sorted(path.removeprefix(prefix) for path in paths if path.startswith(prefix))

    def return_type(self, name: str) -> type:
        """The class of results ``tscript.return_types.<name>``.

        Raises:
            AttributeError: There is none.
        """
        from tscript.definitions.return_types import return_type, return_type_text

        table = self._linker().compiler.table
        for path in (name, name.replace("_", ".", 1)):
            for op in table.overloads(self.names.function(f"tscript.{path}") or ""):
                if return_type_text(op).split()[:1] == [name]:
                    return return_type(return_type_text(op))
        raise AttributeError(f"module 'tscript.return_types' has no attribute {name!r}")

    def return_types(self) -> list[str]:
        """The names of these classes."""
        from tscript.definitions.return_types import return_type_text

        table = self._linker().compiler.table
        return sorted({
            return_type_text(op).split()[0]
            for name in table.names
            for op in table.overloads(name)
            if op.names.paths and op.schema.result_names
        })  # fmt: skip


def documentation(table: OperatorTable, name: str) -> str:
    """The overloads of an operator, each with its description."""
    from textwrap import indent

    return "\n\n".join(f"{op.schema}\n{indent(op.doc, '    ')}".rstrip() for op in table.overloads(name))
