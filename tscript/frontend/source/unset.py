"""Attributes that may be read before they are set, found by an analysis of ``__init__`` once its class is known.

While only ``__init__`` has the instance, the frontend checks that every attribute is assigned before it is read. The
instance escapes when one of its methods is called, or when it is stored or passed on. An attribute that is not assigned
then, or that ``__init__`` never assigns, may be read too early. Such an attribute is *late*: each instance records
whether it is set (`tscript.types.ClassInfo.late`). If the class has a value for it, new instances begin with this value
instead.

Late attributes determine the memory layout of instances, also of derived classes. So a class is refused if its
``__init__`` lets the instance escape before that of its base has set attributes that are not late there.

Example:
    In ``def __init__(self, n: int): self.a = n; self.show(); self.b = n`` the attribute ``b`` is late.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, field

from tscript.abi.exceptions import FIELDS, is_exception
from tscript.diagnostics import CompileError
from tscript.frontend.source.classes import ClassDefinition, Method
from tscript.late import dataclass


@dataclass(slots=True)
class Unset:
    """The result of the analysis.

    Attributes:
        late: Attributes of the class itself that are late.
        preset: Attributes that begin with the value of the class.
        refused: Attributes of a base that would have to be late there.
    """

    late: frozenset[str]
    preset: tuple[str, ...]
    refused: tuple[str, ...]


def find_unset(definition: ClassDefinition) -> Unset:
    """Analyse the construction of an instance of a class."""
    found = _Making(definition)
    found.initialise(definition)
    found.escapes()  # afterwards the instance has escaped
    constant = {name for name in found.early if definition.constant(name) is not None}
    inherited = {} if definition.base is None else definition.base.info.fields
    late = found.early - constant
    ours = late - inherited.keys()
    known = frozenset() if definition.base is None else definition.base.info.late
    return Unset(frozenset(ours), tuple(sorted(constant)), tuple(sorted(late - ours - known)))


@dataclass(slots=True)
class _Making:
    """An instance being made.

    Attributes:
        definition: Its class.
        early: Attributes that something may read before they are set.
    """

    definition: ClassDefinition
    early: set[str] = field(default_factory=set)
    _assigned: set[str] = field(default_factory=set)
    _owner: ClassDefinition = field(init=False)
    _self: str = ""

    def __post_init__(self) -> None:
        self._owner = self.definition
        if is_exception(self.definition.type):
            self._assigned |= FIELDS.keys()

    def initialise(self, definition: ClassDefinition | None) -> None:
        """Analyse the ``__init__`` of a class."""
        if definition is None:
            return
        found = definition.method("__init__")
        if found is not None:
            self._run(*found)
            own = found[0].info.fields
            self._assigned |= {name for name in own if self.definition.constant(name) is None}  # or it is an error
            return
        generator = definition.generator("__init__")
        if generator is None:
            return
        for spec in generator.fields or ():
            if spec.init or spec.default is not MISSING or spec.factory is not MISSING:
                self._assigned.add(spec.name)
        post = self.definition.method("__post_init__")
        if post is not None:
            self._run(*post)

    def escapes(self) -> None:
        """The instance escapes."""
        self.early |= self.definition.info.fields.keys() - self._assigned

    def _run(self, owner: ClassDefinition, method: Method) -> None:
        tree = _tree(method)
        name = None if tree is None or method.mark == "ignore" else _first(tree)
        if tree is None or name is None:
            self.escapes()
            return
        before = self._owner, self._self
        self._owner, self._self = owner, name
        self._statements(tree.body)
        self._owner, self._self = before

    def _calls(self, found: tuple[ClassDefinition, Method] | None) -> None:
        """A method gets the instance: of the attributes that bases have not set yet, only those it reads count."""
        if found is None:
            self.escapes()
        elif found[1].kind not in ("static", "class"):
            missing = self.definition.info.fields.keys() - self._assigned
            base = {} if self.definition.base is None else self.definition.base.info.fields
            read = _Reads(self.definition)
            read.method(*found)
            self.early |= {name for name in missing if name not in base or read.has(name)}

    # ---- statements

    @contextmanager
    def _aside(self) -> Iterator[set[str]]:
        """A body that may not run; returns the attributes assigned before it."""
        before = set(self._assigned)
        yield before
        self._assigned = before

    def _one_of(self, ways: Iterable[Iterable[ast.stmt]]) -> None:
        """Only one of several paths is taken."""
        before, ends = self._assigned, list[set[str]]()
        for way in ways:
            self._assigned = set(before)
            self._statements(way)
            ends.append(self._assigned)
        self._assigned = set.intersection(*ends)

    def _statements(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign():
                self._expression(node.value)
                for target in node.targets:
                    self._target(target)
            case ast.AnnAssign():
                if node.value is not None:
                    self._expression(node.value)
                    self._target(node.target)
            case ast.AugAssign():
                if isinstance(node.target, ast.Attribute) and self._is_self(node.target.value):
                    self._read(node.target.attr)
                self._expression(node.value)
                self._target(node.target)
            case ast.If():
                self._expression(node.test)
                self._one_of([node.body, node.orelse])
            case ast.For() | ast.While():
                self._expression(node.iter if isinstance(node, ast.For) else node.test)
                with self._aside():
                    if isinstance(node, ast.For):
                        self._target(node.target)
                    self._statements(node.body)
                with self._aside():
                    self._statements(node.orelse)
            case ast.With():
                with self._aside():
                    for item in node.items:
                        self._expression(item.context_expr)
                        if item.optional_vars is not None:
                            self._target(item.optional_vars)
                    self._statements(node.body)
            case ast.Try():
                before = set(self._assigned)
                self._one_of([[*node.body, *node.orelse], *(h.body for h in node.handlers)])
                after, self._assigned = self._assigned, set(before)
                self._statements(node.finalbody)
                self._assigned |= after
            case ast.Match():
                self._expression(node.subject)
                for case in node.cases:
                    with self._aside():
                        if case.guard is not None:
                            self._expression(case.guard)
                        self._statements(case.body)
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                self._children(node)
                self._assigned = set(self.definition.info.fields)  # nothing follows it
            case ast.FunctionDef() | ast.ClassDef():
                self._captures(node)
            case _:
                self._children(node)

    def _target(self, node: ast.expr) -> None:
        match node:
            case ast.Attribute() if self._is_self(node.value):
                found = self.definition.method(node.attr)
                if found is None:
                    self._assigned.add(node.attr)
                else:
                    self._calls(None if found[1].setter is None else (found[0], found[1].setter))
            case ast.Tuple() | ast.List():
                for element in node.elts:
                    self._target(element)
            case ast.Starred():
                self._target(node.value)
            case ast.Name(id=name) if name == self._self:
                self.escapes()
            case _:
                self._children(node)

    # ---- expressions

    def _is_self(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._self

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child)
            else:
                self._children(child)

    def _expression(self, node: ast.expr) -> None:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if self._is_self(owner):
                self._arguments(node, node.args)
                if name in self.definition.info.fields:
                    self._read(name)
                else:
                    self._calls(self.definition.method(name))
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if _is_super(owner):
                self._arguments(node, node.args)
                self._base(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="__init__"), args=[first, *rest]) if (
                self._is_self(first) and any(d.name == owner for d in self._owner.bases)
            ):
                self._arguments(node, rest)
                self.initialise(next(d for d in self._owner.bases if d.name == owner))
            case ast.Attribute(value=owner, attr=name) if self._is_self(owner):
                self._read(name)
            case ast.Attribute(value=owner, attr=name) if _is_super(owner):
                self._base(name)
            case ast.Name(id=name) if name == self._self:
                self.escapes()
            case ast.Lambda():
                self._captures(node)
            case _:
                self._children(node)

    def _arguments(self, node: ast.Call, args: Iterable[ast.expr]) -> None:
        for argument in (*args, *(k.value for k in node.keywords)):
            self._expression(argument)

    def _base(self, name: str) -> None:
        """``super().name``."""
        base = self._owner.base
        if name == "__init__":
            self.initialise(base)
        elif base is not None:
            self._calls(base.method(name))

    def _read(self, name: str) -> None:
        """``self.name``."""
        found = self.definition.method(name)
        if found is None:
            self.early |= {name} & (self.definition.info.fields.keys() - self._assigned)
        else:
            self._calls(found if found[1].kind == "property" else None)

    def _captures(self, node: ast.AST) -> None:
        if any(isinstance(n, ast.Name) and n.id == self._self for n in ast.walk(node)):
            self.escapes()


class _Reads:
    """The attributes of an instance that methods of it read."""

    def __init__(self, definition: ClassDefinition) -> None:
        self._definition = definition
        self._names: set[str] = set()
        self._anything = False
        self._seen: set[Method] = set()

    def has(self, name: str) -> bool:
        """Whether one of them may read an attribute."""
        return self._anything or name in self._names

    def method(self, owner: ClassDefinition, method: Method) -> None:
        """Analyse one method, and those that it calls."""
        if method in self._seen:
            return
        self._seen.add(method)
        tree = _tree(method)
        name = None if tree is None or method.mark == "ignore" else _first(tree)
        if tree is None or name is None:
            self._anything = True
            return
        owners = set[ast.expr]()
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            found: tuple[ClassDefinition, Method] | None = None
            if isinstance(node.value, ast.Name) and node.value.id == name:
                owners.add(node.value)
                found = self._definition.method(node.attr)
                self._names |= {node.attr}
            elif _is_super(node.value) and owner.base is not None:
                found = owner.base.method(node.attr)
            if found is not None:
                for called in (found[1], found[1].setter):
                    if called is not None and called.kind not in ("static", "class"):
                        self.method(found[0], called)
        self._anything |= any(isinstance(n, ast.Name) and n.id == name and n not in owners for n in ast.walk(tree))


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _tree(method: Method) -> ast.FunctionDef | None:
    try:
        return method.function().tree
    except CompileError:
        return None


def _first(tree: ast.FunctionDef) -> str | None:
    """The name of the first parameter."""
    return next((a.arg for a in (*tree.args.posonlyargs, *tree.args.args)), None)
