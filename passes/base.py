"""`Pass`, `PassContext`, and the loop that runs a tuple of passes.

Before and after each pass the program is valid IR. A pass changes it in place and returns whether it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from tscript.definitions.table import ByOperator, OperatorTable
from tscript.diagnostics import CompileError, InternalError, compile_error
from tscript.ir.bodies import LowerBody
from tscript.ir.graph import Graph, Program
from tscript.late import dataclass, field
from tscript.passes.errors import NestedTooDeeply
from tscript.passes.fusion_report import FusionReport
from tscript.types import Type

R = TypeVar("R")


@dataclass(slots=True)
class PassContext:
    """The context of all passes of one compilation.

    Attributes:
        table: All operators by qualified name.
        lower_body: Compiles the body of a `Scalar` or `Composite` operator.
        lowered: Bodies of scalar operators as `lower_scalars` prepared them; shared by everything that is compiled with
            one context.
        results: Result types of composite operators, by operator, types and constants of arguments; see `result_type`.
        fusion: Where fusion writes what it does.
    """

    table: OperatorTable
    lower_body: LowerBody
    lowered: dict[tuple[object, ...], Program] = field(default_factory=dict, repr=False)
    results: dict[tuple[object, ...], Type] = field(default_factory=dict, repr=False)
    fusion: FusionReport | None = None
    _bodies: dict[tuple[object, ...], Program] = field(default_factory=dict, repr=False)

    def body(self, body: Callable[..., object], types: Sequence[Type], name: str) -> Program:
        """The program of an operator's body for arguments of `types`. Shared: clone what you take from it."""
        key = (body, *types)
        found = self._bodies.get(key)
        if found is None:
            found = self._bodies[key] = self.lower_body(body, types, name)
        return found

    def by_operator(self, rules: Mapping[str, R]) -> ByOperator[R]:
        """`rules`, whose keys are qualified names, for the operators that the table has."""
        return ByOperator(rules, self.table)


@dataclass(frozen=True, slots=True)
class Pass:
    """A transformation of IR; fields of subclasses are its options.

    A pass over single graphs overrides `run_graph`; one that looks at several graphs at once overrides `run`.
    """

    name: ClassVar[str] = ""

    def run(self, program: Program, context: PassContext) -> bool:
        """Transform `program` in place; True when anything changed."""
        step = self.knowing(program)
        changed = False
        for graph in list(program.graphs.values()):
            changed |= guarded(step, graph, program, context)
        return changed

    def knowing(self, program: Program) -> Pass:
        """The pass with what it has to know of the whole program, which is looked at once for all graphs."""
        return self

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Transform one graph in place; True when anything changed."""
        raise NotImplementedError


def guarded(step: Pass, graph: Graph, program: Program, context: PassContext) -> bool:
    """Run `step` on one graph; a bug in it becomes an `InternalError` that names the function and line compiled."""
    try:
        return step.run_graph(graph, program, context)
    except (CompileError, InternalError):
        raise
    except RecursionError:
        raise compile_error([NestedTooDeeply(graph.span)]) from None
    except Exception as error:  # any error in a pass is a bug of the compiler, and is reported as one
        raise InternalError(f"pass '{step.name}': {type(error).__name__}: {error}", graph.span) from error


Observer = Callable[[Pass, Program], None]


def run_pipeline(
    program: Program,
    passes: Sequence[Pass],
    context: PassContext,
    *,
    verify: bool = False,
    observer: Observer | None = None,
) -> bool:
    """Run `passes` in order on `program`, in place.

    Args:
        program: Valid IR.
        passes: For instance `tscript.passes.OPTIMISE`.
        context: Operator table, bodies of operators, options.
        verify: Check the IR after each pass.
        observer: Called as ``observer(pass, program)`` after each pass (``--print-after``).

    Returns:
        Whether any pass changed anything.

    Raises:
        InternalError: A pass failed or left invalid IR; names the pass, the function and its line.
        CompileError: A pass found an error of the user.

    Example:
        >>> run_pipeline(program, OPTIMISE, PassContext(TABLE, lower_body))
    """
    changed = False
    for step in passes:
        try:
            changed |= step.run(program, context)
            if verify:
                _verify(program)
        except (CompileError, InternalError):
            raise
        except RecursionError:
            raise compile_error([NestedTooDeeply(program.entry.span)]) from None
        except Exception as error:
            what = f"pass '{step.name}': {type(error).__name__}: {error}"
            raise InternalError(what, program.entry.span) from error
        if observer is not None:
            observer(step, program)
    return changed


def _verify(program: Program) -> None:
    from tscript.ir.verifier import verify

    verify(program)
