"""`Bodies`: bodies of operators and kernels as IR."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING

from tscript.definitions.opdef import Composite, OpDef
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program
from tscript.once import once
from tscript.types import Type, dtype_of

if TYPE_CHECKING:
    from tscript.definitions.table import OperatorTable
    from tscript.passes.base import PassContext


class Bodies:
    """Bodies of operators and kernels as IR, lowered once each."""

    def __init__(self, table: OperatorTable) -> None:
        self._table = table
        self._programs: dict[tuple[object, ...], Program] = {}
        self._scalars: dict[tuple[object, ...], Graph] = {}

    def over(self, table: OperatorTable) -> Bodies:
        """The same over a table that has more operators; what was lowered is shared."""
        found = Bodies(table)
        found._programs, found._scalars = self._programs, self._scalars
        return found

    @once
    def context(self) -> PassContext:
        """A context for passes over bodies."""
        from tscript.passes import PassContext

        return PassContext(self._table, self.lower_body)

    def lower_body(self, body: Callable[..., object], types: Sequence[Type], name: str) -> Program:
        """The body of a `Scalar` or `Pointwise` operator (dialect) or of a `Composite` (the language) as IR; shared,
        clone before use."""
        from tscript.dialect import ByType, Intrinsic
        from tscript.frontend import PythonFunction, lower, lower_dialect

        key = (body, name, *types)
        program = self._programs.get(key)
        if program is None:
            if isinstance(self._table[name].implementation, Composite):
                function = PythonFunction.from_callable(body)
                arguments = function.tree.args
                names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
                program = lower(function, self._table, types=dict(zip(names, types, strict=True)))
            else:
                dtype = dtype_of(types[0]) if isinstance(body, ByType) else None
                one = body.by_dtype[dtype] if isinstance(body, ByType) and dtype is not None else body
                if isinstance(one, Intrinsic):
                    program = Program("body", [_leaf_graph(one.op, types)])
                else:
                    program = lower_dialect(one, dict(zip("T", types, strict=False)), one.__name__)
            self._programs[key] = program
        return program

    def scalar_graph(self, body: Callable[..., object], types: tuple[Type, ...]) -> Graph:
        """A `Pointwise` body for compute type ``types[0]`` (further ones bind U, V) as one straight-line graph."""
        from tscript.dialect import ByType, Intrinsic
        from tscript.frontend import lower_dialect
        from tscript.passes import SIMPLIFY, Inline, run_pipeline

        key = (body, *types)
        graph = self._scalars.get(key)
        if graph is None:
            dtype = dtype_of(types[0])
            function = body.by_dtype[dtype] if isinstance(body, ByType) and dtype is not None else body
            if isinstance(function, Intrinsic):
                graph = _leaf_graph(function.op, types[:1] * len(function.op.schema.parameters))
            else:
                bindings = dict(zip(("T", "U", "V"), types, strict=False))
                program = lower_dialect(function, bindings, getattr(function, "__name__", "body"))
                run_pipeline(program, (Inline(max_callee=10**6, max_depth=10**6), *SIMPLIFY), self.context)
                graph = program.entry
            self._scalars[key] = graph
        return graph

    def kernel(
        self,
        body: Callable[..., object],
        bindings: Mapping[str, Type],
        name: str,
        outside: Container[tuple[str, str]] = (),
    ) -> Program:
        """A kernel of the runtime with its type variables bound, and all it calls but for the bodies of what is
        `outside`: functions that are called by symbol, by their names and files."""
        from tscript.frontend import lower_dialect
        from tscript.passes import SIMPLIFY, run_pipeline

        program = lower_dialect(body, bindings, name, outside)
        run_pipeline(program, SIMPLIFY, self.context)
        return program


def _leaf_graph(op: OpDef, types: Sequence[Type]) -> Graph:
    """A graph that is one leaf operator, or one call of a C function."""
    graph = Graph("body", [Param(p.name, type) for p, type in zip(op.schema.parameters, types, strict=True)])
    builder = Builder(graph.body)
    result = builder.op(op, *graph.body.params)
    builder.return_(result)
    graph.result = result.type
    return graph
