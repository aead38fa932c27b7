"""The parts of the prebuilt native library that are eager operators: one for each name, with the code of all its forms.

Calls that come to the same program, such as ``x.sum(1)`` and ``x.sum(dim=1)``, have the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tscript.abi.signature import Signature
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import whole_module
from tscript.backend.loader.prebuilt_linker import Part
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OperatorTypeError
from tscript.definitions.return_types import return_type_text
from tscript.diagnostics import CompileError
from tscript.ir.graph import Call, Closure, Fork, Graph, Program, walk
from tscript.late import dataclass
from tscript.operators.table import TABLE
from tscript.pipeline import Compiler
from tscript.pipeline.compiler import LIBRARY, keep_reachable
from tscript.runtime.session.eager import always_raises, documentation, is_decided, operator_program
from tscript.runtime.session.eager_forms import Form, forms
from tscript.runtime.session.linker import changes_objects, signature_for
from tscript.runtime.session.shipped import DOCUMENTATION, NAMES, OperatorRecord
from tscript.types import Type


@dataclass(frozen=True, slots=True)
class Entry:
    """The code of some forms.

    Attributes:
        symbol: Its symbol.
        program: It, specialised and then optimised.
        types: Types of its parameters.
        overload: Which one it is.
        is_observed: Whether callbacks see it.
        names: Of the class of its results (`return_type_text`).
        forms: The calls.
    """

    symbol: str
    program: Program
    types: tuple[Type, ...]
    overload: str
    is_observed: bool
    names: str
    forms: list[Form]


def entries(compiler: Compiler, name: str, chosen: Callable[[Form], bool] = lambda form: True) -> list[Entry]:
    """The code of an operator, one for all calls that come to the same; of the calls that are `chosen`."""
    found: dict[str, Entry] = {}
    for form in filter(chosen, forms(name)):
        try:
            program, op = operator_program(TABLE, name, form.arguments, form.names)
            types = tuple(p.type for p in program.entry.params)
            program = compiler.specialise(program, types, {})
        except (OperatorTypeError, CompileError):
            continue
        if not is_decided(program) or always_raises(program):
            continue
        text = str(program)
        if text not in found:
            symbol = f"tse_{name}_{len(found)}"
            found[text] = Entry(symbol, program, types, op.schema.overload, op.is_observed, return_type_text(op), [])
        found[text].forms.append(form)
    return list(found.values())


def operator_part(compiler: Compiler, name: str, chosen: Callable[[Form], bool] = lambda form: True) -> Part:
    """The part with the operator of this name, for the calls that are `chosen`."""
    records = {f"{DOCUMENTATION}{name}": documentation(TABLE, name).encode()}
    graphs: list[Graph] = []
    symbols: dict[str, str] = {}
    for entry in entries(compiler, name, chosen):
        program = compiler.optimise(entry.program)
        signatures = [_signature(entry, form) for form in entry.forms]
        if any(s.has_objects for s in signatures):
            continue
        result = str(program.entry.result)
        for form, signature in zip(entry.forms, signatures, strict=True):
            record = OperatorRecord(
                entry.symbol, str(signature), result, entry.overload, entry.is_observed, entry.names
            )
            records[form.key] = record.packed()
        compiler.lower(program)
        keep_reachable(program, {})
        symbols[_named(program, entry.symbol)] = entry.symbol
        graphs += program.graphs.values()
    if not symbols:
        return Part(name, _nothing(compiler), (), records=records)
    module = compiler.emit_lowered(Program(next(iter(symbols)), graphs), symbols, safepoints=False)
    return Part(name, compiler.build(module), tuple(symbols.values()), records=records)


def signatures(compiler: Compiler, names: Iterable[str]) -> list[Signature]:
    """The signatures of operators."""
    pairs = ((entry, form) for name in names for entry in entries(compiler, name) for form in entry.forms)
    named = ((_signature(entry, form), entry.names) for entry, form in pairs)
    found = dict.fromkeys(signature.named() if names else signature for signature, names in named)
    return [s for s in found if not s.has_objects]


def names_part(compiler: Compiler, name: str) -> Part:
    """The part with the names of all operators, and which library it is."""
    lines = (f"{path}\t{plain}" for path, plain in TABLE.paths.items())
    records = {NAMES: "\n".join(lines).encode(), LIBRARY: compiler.library.encode()}
    return Part(name, _nothing(compiler), (), records=records)


def _nothing(compiler: Compiler) -> bytes:
    """An object with nothing in it."""
    return compiler.build(whole_module(compiler.target, {}, (), Effort.LIGHT))


def _signature(entry: Entry, form: Form) -> Signature:
    """How the arguments of a call reach the code of an entry."""
    program = entry.program
    types = [v.type for v in program.entry.body.params]
    static = [a.constant is not MISSING for a in form.arguments]
    given = [a.type for a in form.arguments]
    return signature_for(types, given, static, program.entry.result, changes_objects(program))


def _named(program: Program, symbol: str) -> str:
    """Give the graphs of a program names that no other program's graphs have; the new name of the entry."""
    names = {name: f"{symbol}.{name}" for name in program.graphs}
    for graph in program.graphs.values():
        graph.name = names[graph.name]
        for node in walk(graph.body):
            if isinstance(node, Call | Fork | Closure):
                node.callee = names[node.callee]
    return names[program.main]
