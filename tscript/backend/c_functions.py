"""Functions of the low-level dialect in C's calling convention: no context, no status, one result.

The boundary to CPython consists of them. The functions of one program become one module. Internal ones use the internal
calling convention, exported ones that of C. None of them raises, so there are no cleanups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tscript.abi.signature import Signature
from tscript.abi.sizes import sizeof
from tscript.backend.emitters import EMITTERS
from tscript.backend.llvm.constants import quoted, symbol_name
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted, whole_module
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.types import llvm_type, memory_type
from tscript.backend.nodes.blocks import emit_block
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import ModuleState
from tscript.backend.nodes.values import hint_of
from tscript.backend.stubs.call import call_stub
from tscript.diagnostics import InternalError
from tscript.dialect.linkage import FRAMED, Linkage, Variable
from tscript.ir.graph import Call, Graph, Program, Raise, Return, Throw
from tscript.late import dataclass, replace
from tscript.types import BOOL, NONE, StructType, Type


class _NoBodies:
    """There are no pointwise operators in C functions."""

    def scalar_graph(self, body: Callable[..., object], types: tuple[Type, ...]) -> Graph:
        raise InternalError("a pointwise operator in a C function")


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions of a module as LLVM text.

    Attributes:
        definitions: The functions, by symbol.
        declarations: The lines they need, by symbol: constants, and declarations of symbols that another part of the
            module may define.
    """

    definitions: Mapping[str, str]
    declarations: Mapping[str, str]


def emit_module(
    program: Program,
    linkage: Mapping[str, Linkage],
    variables: Iterable[Variable],
    target: Target,
    stubs: Sequence[Signature] = (),
    tuple_items: int = 0,
) -> Emitted:
    """A complete module of C functions.

    Args:
        program: Lowered from the dialect.
        linkage: How each graph is linked; one that is not named is internal.
        variables: Its variables.
        target: The machine.
        stubs: Signatures whose stubs it contains, each under `Signature.symbol`.
        tuple_items: Offset of the first item of a Python tuple, for stubs.

    Raises:
        InternalError: A function raises, or an exported one has no C signature.
    """
    functions = emit_functions(program, linkage, target)
    own = emit_variables(variables)
    needed = dict(functions.declarations)
    written = [call_stub(signature, needed, tuple_items) for signature in stubs]
    declared = {s: line for s, line in needed.items() if s not in own and s not in functions.definitions}
    parts = (*own.values(), *functions.definitions.values(), *written)
    return whole_module(target, declared, parts, Effort.FULL)


def emit_functions(program: Program, linkage: Mapping[str, Linkage], target: Target) -> Functions:
    """LLVM text of all graphs of `program`.

    Args:
        program: Lowered from the dialect.
        linkage: How each graph is linked; one that is not named is internal.
        target: What it is compiled for.

    Raises:
        InternalError: A function raises, or an exported one has no C signature.
    """
    links = {name: linkage.get(name, Linkage()) for name in program.graphs}
    symbols = {name: link.symbol or name for name, link in links.items()}
    module = ModuleState(
        target=target,
        bodies=_NoBodies(),
        symbols=symbols,
        parameter_types={n: tuple(v.type for v in g.body.params) for n, g in program.graphs.items()},
        result_types={n: g.result for n, g in program.graphs.items()},
        recursive=frozenset(),
        safepoints=False,
    )
    definitions = {symbols[n]: _function(module, g, links[n]) for n, g in program.graphs.items()}
    declarations = {s: line for s, line in module.declarations.items() if s not in definitions}
    return Functions(definitions, declarations)


def emit_variables(variables: Iterable[Variable]) -> dict[str, str]:
    """LLVM text of the variables of a module, by symbol."""
    return {variable.symbol: _variable(variable) for variable in variables}


def _variable(variable: Variable) -> str:
    native = f"[{sizeof(variable.type)} x i8]" if isinstance(variable.type, StructType) else memory_type(variable.type)
    name = symbol_name(variable.symbol)
    if variable.is_external:
        return f"{name} = external global {native}"
    linkage = "" if variable.is_exported else "internal "
    align = 64 if isinstance(variable.type, StructType) else 8
    if variable.initial:
        size = sizeof(variable.type) * variable.count
        data = quoted(variable.initial.ljust(size, b"\0"))
        return f'{name} = {linkage}global [{size} x i8] c"{data}", align {align}'
    whole = native if variable.count == 1 else f"[{variable.count} x {native}]"
    return f"{name} = {linkage}global {whole} zeroinitializer, align {align}"


def _function(module: ModuleState, graph: Graph, link: Linkage) -> str:
    f = FunctionEmitter(module, graph, _EMITTERS)
    types = [v.type for v in graph.body.params]
    if link.symbol and BOOL in (*types, graph.result):
        raise InternalError("a bool is no parameter or result of an exported function", graph.span)
    params = []
    for i, value in enumerate(graph.body.params):
        name = f"%{hint_of(value)}.p{i}"
        params.append(f"{llvm_type(value.type)} {name}")
        f.env[value] = (name,)
    emit_block(f, graph.body)
    if not f.text.terminated:
        raise InternalError(f"graph @{graph.name} does not end", graph.span)
    symbol = symbol_name(module.symbols[graph.name])
    common = module.target.attributes if FRAMED in link.attributes else "nounwind"
    attributes = " ".join([*(a.value for a in link.attributes if a is not FRAMED), common])
    internal = "" if link.symbol else "internal "
    return f.text.function(f"define {internal}{llvm_type(graph.result)} {symbol}({', '.join(params)}) {attributes}")


def _call(f: FunctionEmitter, node: Call) -> None:
    native = llvm_type(node.output.type)
    args = ", ".join(f"{llvm_type(v.type)} {f.operand(v)}" for v in node.inputs)
    call = f"call {native} {symbol_name(f.module.symbols[node.callee])}({args})"
    if node.output.type == NONE:
        f.text.line(call)
        f.env[node.output] = ()
    else:
        f.env[node.output] = (f.text.let(call),)


def _return(f: FunctionEmitter, node: Return) -> None:
    result = f.graph.result
    f.text.terminate("ret void" if result == NONE else f"ret {llvm_type(result)} {f.operand(node.inputs[0])}")


def _raise(f: FunctionEmitter, node: Raise | Throw) -> None:
    raise InternalError("a C function has nowhere to raise to", node.span)


_EMITTERS = replace(
    EMITTERS,
    nodes={**EMITTERS.nodes, Call: _call, Return: _return, Raise: _raise, Throw: _raise},
)
