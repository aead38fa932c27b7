"""Names: bindings of local names, and symbols of all others."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.errors import FrontendError
from tscript.frontend.diagnostics.type_names import same_type_help, shown
from tscript.frontend.lowering.frames import TryFrame
from tscript.frontend.lowering.hints import meant_name
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import as_declared, is_listed
from tscript.frontend.lowering.scopes import POISONED, Bound, Conflicting, Given, PartlyBound, Poisoned, assigned_names
from tscript.frontend.source.functions import ELEMENTS, VectorizedSymbol, is_cache_around
from tscript.frontend.source.symbols import LocalFunction, LocalSymbol, ObjectSymbol, Symbol, UnknownSymbol
from tscript.ir.graph import SetSlot, Value
from tscript.types import ANY, NONE, OptionalType, Type, UnionType, members_of
from tscript.types.inference import has_open_part, is_open


def bind(lowering: Lowering, name: str, value: Value, span: Span) -> None:
    """Assign a value to a local name. A declared float takes an int. A declared union is narrowed to the type of the
    value."""
    if name in lowering.contents and is_open(value.type):
        lowering.settle(value, lowering.contents[name])
    declared, origin = lowering.declared.get(name), None
    if declared is not None and value.type != declared:
        member = _as_member(lowering, value, declared, span)
        converted = lowering.coerce(value if member is None else member, declared, span)
        if converted is None:
            if not is_listed(value.type, declared):
                del lowering.declared[name]
        elif member is None:
            value = converted
        else:
            value, origin = member, Bound(converted, span)
    if not value.name and value.node is not None:
        value.name = name
    if not has_open_part(value.type):
        lowering.unassigned.types.setdefault(name, value.type)
    if name in lowering.unassigned.names and NONE in members_of(value.type):  # None says that it is not assigned
        raise lowering.failure(lowering.unassigned.names[name])
    bound = lowering.scope[name] = Bound(value, span, origin)
    for frame in lowering.tries:
        if name in frame.slots:
            _set_slot(lowering, frame, name, bound)


def unbind(lowering: Lowering, name: str, span: Span) -> None:
    """End the binding of a local name."""
    value = None
    if name in lowering.unassigned.names:
        value = lowering.not_assigned(name, lowering.unassigned.types.get(name), span)
    if value is None:
        lowering.scope.pop(name, None)
    else:
        lowering.scope[name] = Bound(value, span)


def _set_slot(lowering: Lowering, frame: TryFrame, name: str, bound: Bound) -> None:
    """Tell the handlers of a `try` that a name has a new value."""
    index, type = frame.slots[name]
    value = as_declared(lowering, frame.exits, name, type, bound)
    if value is None:
        frame.changed.setdefault(name, bound)
    else:
        lowering.block.nodes.append(SetSlot(frame.exits.label, index, value, bound.span))


def _as_member(lowering: Lowering, value: Value, declared: Type, span: Span) -> Value | None:
    """A value as one of the members of a declared union, if it has such a type; None stays optional."""
    if not isinstance(declared, OptionalType | UnionType) or isinstance(value.type, OptionalType | UnionType):
        return None
    members = [member for member in members_of(declared) if member != NONE]
    if value.type in members:
        return value
    return lowering.coerce(value, members[0], span) if len(members) == 1 and value.type not in (NONE, ANY) else None


def read(lowering: Lowering, node: ast.Name) -> Value | None:
    """The value of a local name; None when the name is not local."""
    name = node.id
    found = lowering.scope.get(name)
    match found:
        case Bound() if name in lowering.unassigned.names and NONE in members_of(found.value.type):
            return lowering.assigned(name, found, lowering.span(node))
        case Bound():
            return found.value
        case Given():
            return None
        case None:
            if name not in lowering.local_names:
                return None
            assigned = lowering.local_names[name]
            at = lowering.span(assigned)
            close = close_matches(name, [n for n, b in lowering.scope.items() if isinstance(b, Bound)])
            instead = f"did you mean '{close[0]}'?" if close else f"assign '{name}' first"
            problem = errors.UsedBeforeAssignment(lowering.span(node), name, instead, at)
            raise _not_assigned(lowering, name, problem) if lowering.loops else lowering.failure(problem)
        case Poisoned():
            raise Abandoned
        case LocalFunction():
            made = lowering.function_named(found, node)
            if made is not None:
                return made
            instead = f"call it: {name}(...), or take it as a parameter of type Callable"
            raise lowering.failure(errors.NotAValue(lowering.span(node), f"the function '{name}'", instead))
        case PartlyBound(span=assigned_at, in_loop=True):
            lowering.scope[name] = POISONED
            raise _not_assigned(lowering, name, errors.DefinedInLoop(lowering.span(node), name, assigned_at))
        case PartlyBound(span=assigned_at):
            lowering.scope[name] = POISONED
            raise _not_assigned(lowering, name, errors.DefinedInOneBranch(lowering.span(node), name, assigned_at))
        case Conflicting(first=first, second=second):
            lowering.scope[name] = POISONED
            a, b = first.value.type, second.value.type
            raise lowering.failure(
                type_errors.BranchTypes(
                    second.span,
                    name,
                    shown(a),
                    shown(b),
                    same_type_help(name, a, b, first.value.constant),
                    first.span,
                    lowering.span(node),
                )
            )
    raise AssertionError(found)


def _not_assigned(lowering: Lowering, name: str, problem: FrontendError) -> Abandoned:
    """Report that a name may not have been assigned, unless the function can be lowered with a test."""
    lowering.unassigned.found.setdefault(name, problem)
    return lowering.failure(problem)


def symbol_of(lowering: Lowering, node: ast.Name) -> Symbol:
    """The symbol of a name that is not local."""
    name = node.id
    function = lowering.function
    if name == ELEMENTS and function.elements is not None:
        return VectorizedSymbol(function.elements)
    if isinstance(given := lowering.scope.get(name), Given):
        return given.symbol
    try:
        found = function.environment.lookup(name)
    except KeyError:
        if name == function.name and not function.is_cached():
            return lowering.program.own_symbol(function)
        names = [*lowering.scope, *function.environment.names()]
        close = meant_name(function, lowering.scope, node, names)
        instead = f"did you mean '{close}'?" if close else f"define '{name}', or take it as a parameter"
        if name in sys.stdlib_module_names:
            instead = f"import it at the top of the file: 'import {name}'"
        raise lowering.failure(errors.UnknownName(lowering.span(node), name, instead)) from None
    if name == function.name and function.is_cached():
        if not is_cache_around(found, function):
            instead = f"call it once '{name}' stands for the cached function"
            raise lowering.failure(errors.UnknownName(lowering.span(node), name, instead))
    elif name == function.name and function.qualname == name:
        return lowering.program.own_symbol(function)
    symbol = lowering.library_refusal(node) or lowering.program.resolver.symbol(found)
    if isinstance(symbol, UnknownSymbol):
        raise lowering.failure(
            errors.UnsupportedGlobal(
                lowering.span(node), name, symbol.what.rstrip(","), symbol.instead or "leave it out"
            )
        )
    return symbol


def static(lowering: Lowering, node: ast.expr) -> Symbol | None:
    """The symbol of a name or dotted name that is not a value; None for all other expressions."""
    found = named(lowering, node)
    return None if isinstance(found, ObjectSymbol) else found


def named(lowering: Lowering, node: ast.expr) -> Symbol | None:
    """The symbol of a name or dotted name that is not a local value; None for all other expressions."""
    if isinstance(node, ast.Name):
        binding = lowering.scope.get(node.id)
        if isinstance(binding, LocalFunction):
            return LocalSymbol(binding, node.id)
        if isinstance(binding, Given):
            return binding.symbol
        if node.id in lowering.scope or node.id in lowering.local_names:
            return None
        return symbol_of(lowering, node)
    if isinstance(node, ast.Attribute):
        refused = lowering.library_refusal(node)
        if refused is not None:
            name = ast.unparse(node)
            raise lowering.failure(errors.UnsupportedGlobal(lowering.span(node), name, refused.what, refused.instead))
        owner = named(lowering, node.value)
        if owner is None or isinstance(owner, ObjectSymbol):
            return None
        found = lowering.program.resolver.member(owner, node.attr)
        if isinstance(found, UnknownSymbol):
            raise lowering.failure(
                errors.UnknownMember(lowering.span(node), ast.unparse(node.value), node.attr, found.instead)
            )
        return found
    return None


def poison(lowering: Lowering, nodes: Sequence[ast.AST]) -> None:
    """Poison every name that `nodes` assign: their statement had an error."""
    for name in assigned_names(nodes, lowering.function.has_walrus):
        lowering.scope[name] = POISONED
