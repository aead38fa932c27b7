"""The parts of an expression that are not reached because another part has an error. They are checked for errors too.

An error leaves its statement (`Abandoned`), because the value is missing. The other parts were not lowered then, or
only begun. `look` lowers those parts by themselves, into a discarded block. If the meaning of a part depends on the
others (a literal that takes its type from the context, a name that a condition in the same expression narrows), only
its subexpressions are checked, so that no error is reported that follows from another one.

Example:
    ``f(a.missing, g(unknown))`` reports ``missing`` and ``unknown``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import kind_of_receiver
from tscript.frontend.lowering import method_names
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.iterables import is_iterator
from tscript.frontend.lowering.names import poison, read, static, symbol_of
from tscript.frontend.lowering.scopes import POISONED, Bound
from tscript.frontend.source.classes import class_definition
from tscript.frontend.source.symbols import ConstantSymbol, LocalFunction
from tscript.ir.graph import Block
from tscript.operators.python.conversions import is_object
from tscript.types import ClassType, TensorType, members_of

T = TypeVar("T")


def look(lowering: FunctionLowering, node: ast.AST) -> None:
    """Report the errors in the unreached parts of an abandoned statement or expression."""
    block, scope, go_back = lowering.block, lowering.scope, lowering.snapshot()
    parts = _parts(node) if isinstance(node, ast.stmt) else [node] if isinstance(node, ast.expr) else []
    for part in parts:
        lowering.block, lowering.scope = Block(), dict(scope)
        poison(lowering, [part])
        _Look(lowering).at(part)
    for names, statements in _bodies(node):
        lowering.block, lowering.scope = Block(), dict(scope)
        poison(lowering, names)
        lower_statements(lowering, statements)
    lowering.block, lowering.scope = block, scope
    go_back()


def or_look(
    lowering: FunctionLowering, run: Callable[[], T], parts: Sequence[ast.expr], unknown: Sequence[ast.expr] = ()
) -> T:
    """The result of `run`. If it is abandoned, `parts` are checked with the current bindings, except for names of the
    targets, which are `unknown`."""
    try:
        return run()
    except Abandoned:
        poison(lowering, unknown)
        for part in parts:
            look(lowering, part)
        raise


def _bodies(node: ast.AST) -> Iterator[tuple[Sequence[ast.AST], Sequence[ast.stmt]]]:
    """The bodies of a statement that was left before them, each with the nodes that assign names at its beginning."""
    match node:
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            yield [item.optional_vars for item in items if item.optional_vars is not None], body
        case ast.AsyncFor(target=target, body=body):
            yield [target], body
        case ast.Match(cases=cases):
            for case in cases:
                yield [case.pattern], case.body


def silence(lowering: FunctionLowering, test: ast.expr) -> None:
    """Poison the names that a condition with an error may narrow."""
    for name in ast.walk(test):
        if isinstance(name, ast.Name):
            bound = lowering.scope.get(name.id)
            if isinstance(bound, Bound) and (is_object(bound.value.type) or len(members_of(bound.value.type)) > 1):
                lowering.scope[name.id] = POISONED


def _parts(node: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement that are evaluated when it is reached, its target's last."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield value
            for target in targets:
                yield from _places(target)
        case ast.AugAssign(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            yield value
            yield from _places(target)
        case ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
            yield value
        case ast.Assert(test=test, msg=message):
            yield test
            if message is not None:
                yield message
        case ast.Raise(exc=ast.Call() as error):
            yield from _children(error)
        case ast.Delete(targets=targets):
            for target in targets:
                yield from _places(target)
        case ast.With(items=items):
            yield from (item.context_expr for item in items)
        case ast.Match(subject=subject):
            yield subject


def _places(target: ast.expr) -> Iterator[ast.expr]:
    """The parts of a target that are evaluated."""
    match target:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _places(element)
        case ast.Starred(value=value):
            yield from _places(value)
        case ast.Attribute(value=value):
            yield value
        case ast.Subscript():
            yield from _children(target)


def _children(node: ast.expr) -> Iterator[ast.expr]:
    """The parts of an expression that are evaluated independently of the others."""
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            if isinstance(function, ast.Attribute):
                yield function.value
            elif not isinstance(function, ast.Name):
                yield function
            yield from args
            yield from (keyword.value for keyword in keywords)
        case ast.Subscript(value=value, slice=index):
            yield value
            for part in index.elts if isinstance(index, ast.Tuple) else [index]:
                if isinstance(part, ast.Slice):
                    yield from (bound for bound in (part.lower, part.upper, part.step) if bound is not None)
                else:
                    yield part
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield node.generators[0].iter
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                yield from [value] if key is None else [key, value]
        case ast.JoinedStr(values=values):
            for text in values:
                if isinstance(text, ast.FormattedValue):
                    yield text.value
                    if text.format_spec is not None:
                        yield from _children(text.format_spec)
        case ast.Lambda():
            return
        case _:
            yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


class _Look:
    """One check of an expression.

    Args:
        lowering: Its function; nodes go into the current block.
    """

    def __init__(self, lowering: FunctionLowering) -> None:
        self._lowering = lowering

    def at(self, node: ast.expr) -> None:
        """Report the errors of an expression, as far as it was not lowered."""
        if node in self._lowering.lowered:
            return
        match node:
            case ast.Constant() | ast.Lambda():
                return
            case ast.Name():
                self._name(node)
            case ast.BoolOp(values=[first, *rest], op=op):
                self.at(first)
                for i, value in enumerate(rest, 1):
                    self._under(node.values[:i], isinstance(op, ast.And), value)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.at(test)
                self._under([test], True, body)
                self._under([test], False, orelse)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.Starred() | ast.NamedExpr():
                self._children(node)
            case _ if node in self._lowering.begun or not self._stands_alone(node):
                self._children(node)
            case _ if not self._lowered(node):
                self._children(node)

    def _children(self, node: ast.expr) -> None:
        for child in _children(node):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and child is node.func.value
            if not (called and self._is_module(child)):
                self.at(child)

    def _is_module(self, node: ast.expr) -> bool:
        """Whether an expression in front of a called function is not a local value."""
        while isinstance(node, ast.Attribute):
            node = node.value
        scope, local = self._lowering.scope, self._lowering.local_names
        return isinstance(node, ast.Name) and node.id not in scope and node.id not in local

    def _lowered(self, node: ast.expr) -> bool:
        """Lower an expression; whether it had no error."""
        if isinstance(node, ast.GeneratorExp):
            node = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        try:
            self._lowering.value(node)
        except Abandoned:
            return False
        return True

    def _name(self, node: ast.Name) -> None:
        """Report a name without a meaning. A name of a type or a function is not reported."""
        lowering = self._lowering
        try:
            if isinstance(lowering.scope.get(node.id), LocalFunction):
                return
            lowering.reads.note(node, lowering.scope)
            if read(lowering, node) is not None:
                return
            try:
                lowering.function.environment.lookup(node.id)
            except KeyError:
                symbol_of(lowering, node)
        except Abandoned:
            return

    def _under(self, tests: Sequence[ast.expr], holds: bool, node: ast.expr) -> None:
        """Check the parts that are evaluated only if conditions hold. Parts that depend on conditions with an error are
        skipped."""
        lowering = self._lowering
        if not all(test in lowering.lowered for test in tests):
            read = {name.id for test in tests for name in ast.walk(test) if isinstance(name, ast.Name)}
            if any(isinstance(name, ast.Name) and name.id in read for name in ast.walk(node)):
                return
        try:
            lowering.branch(lambda: self._refined(tests, holds, node))
        except Abandoned:
            return

    def _refined(self, tests: Sequence[ast.expr], holds: bool, node: ast.expr) -> None:
        for test in tests:
            if test in self._lowering.lowered:
                self._lowering.refine(test, holds)
        self.at(node)

    def _stands_alone(self, node: ast.expr) -> bool:
        """Whether an expression that was not begun is a value in any context: not a type, a method or an iterator."""
        lowering = self._lowering
        match node:
            case ast.GeneratorExp():
                return True
            case ast.Call():
                if isinstance(node.func, ast.Name) and node.func.id in ("super", "type"):
                    return False

                try:
                    return not is_iterator(lowering, node)
                except Abandoned:
                    return False
            case ast.Subscript(value=value) | ast.BinOp(op=ast.BitOr(), left=value):
                return not self._is_type(value)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="type"))):
                return False
            case ast.Attribute(value=owner):
                return (
                    self._is_module(node) and lowering.library_refusal(node) is not None
                ) or not self._names_function(owner, node.attr)
        return True

    def _is_type(self, node: ast.expr) -> bool:
        """Whether a name means an object of the module that is not a constant."""
        try:
            symbol = static(self._lowering, node)
        except Abandoned:
            return True
        return symbol is not None and not isinstance(symbol, ConstantSymbol)

    def _names_function(self, owner: ast.expr, name: str) -> bool:
        lowering = self._lowering
        try:
            if static(lowering, owner) is not None:
                return True
            type = lowering.value(owner).type
        except Abandoned:
            return True
        if isinstance(type, ClassType):
            definition = class_definition(type)
            return definition is not None and definition.method(name) is not None
        if isinstance(type, TensorType):
            return name in lowering.program.resolver.table.methods
        kind = kind_of_receiver(type)
        return bool(kind) and name in method_names.methods_of(lowering, kind)
