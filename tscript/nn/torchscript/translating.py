"""From the code of TorchScript to that of the language: syntax trees to syntax trees.

The code is Python by its grammar and a list of calls by its meaning: ``torch.add(a, b)``, ``ops.prim.dtype(x)``,
``unchecked_cast(int, k)``. `Translation` writes each of them as the language does, and the frontend compiles the result
like any other function. Dtypes are numbers there, and names here; see `tscript.nn.torchscript.numbers`.

An operator that there is none of becomes a ``raise`` in the place of the statement that calls it: only reaching it is
an error.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from tscript.diagnostics.archives import ArchiveError
from tscript.nn.torchscript.numbers import DtypeNames, aliases, as_dtype, is_number, numbered
from tscript.nn.torchscript.operators import BUILTINS, FALSE, PRIM, PYTHON_METHODS, known
from tscript.nn.torchscript.sources import dotted

INFINITE: Mapping[str, float] = {"inf": float("inf"), "nan": float("nan")}


RECORD_FUNCTION = "__torch__.torch.autograd.profiler.record_function"
"""The class of named ranges of profiles, whose code holds objects that are not read: it is that of tscript."""


class Names(Protocol):
    """What the code around a function defines."""

    def kind(self, path: str) -> str:
        """What a dotted name stands for: ``function``, ``Module``, ``NamedTuple``, ``Enum``, ``class`` …; empty if
        nothing."""

    def numbered(self, path: str) -> tuple[bool, ...]:
        """Which parameters of a function are dtypes; the last entry is for its result."""

    def default(self, path: str) -> ast.expr | None:
        """A value of a class that nobody reads; None if there is none."""


class _Missing(Exception):
    """A statement calls an operator that there is none of.

    Args:
        operator: Its name.
    """

    def __init__(self, operator: str) -> None:
        super().__init__(operator)
        self.operator = operator


class Translation:
    """Translates one function.

    Args:
        tree: Its definition.
        names: What is around it.
        has_defaults: Whether its parameters keep their defaults.
        version: Of the archive, which decides what operators mean.

    Attributes:
        used: The operators that it calls, by their names: ``aten::add``.
        missing: Those of them that there is none of.
        tasks: The functions inside it, which tasks run, by name: what they use of the function around them, they
            have as parameters.
    """

    def __init__(self, tree: ast.FunctionDef, names: Names, *, has_defaults: bool = True, version: int) -> None:
        self._tree = tree
        self._names = names
        self._has_defaults = has_defaults
        self._version = version
        self._aliases = aliases(tree)
        self._lists = _index_lists(tree)
        self._dtypes = DtypeNames(tree, names.numbered)
        self._made: dict[str, str] = {}
        self._ranges: dict[str, ast.expr] = {}
        self.used: set[str] = set()
        self.missing: set[str] = set()
        self.tasks: dict[str, ast.FunctionDef] = {}

    def function(self) -> ast.FunctionDef:
        """The function in the language.

        Raises:
            ArchiveError: It is not code of TorchScript.
        """
        return self._function(self._tree)

    def _function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        arguments = tree.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs or tree.decorator_list:
            raise self._wrong(tree)
        made = copy.copy(tree)  # with the fields that other versions of Python have
        made.args = ast.arguments(
            [],
            [self._parameter(a, i) for i, a in enumerate(arguments.args)],
            None,
            [self._parameter(a, -1) for a in arguments.kwonlyargs],
            [None if d is None else self.expression(d) for d in arguments.kw_defaults],
            None,
            self._defaults(arguments),
        )
        made.body = self.block(tree.body) or [ast.copy_location(ast.Pass(), tree)]
        made.returns = None if tree.returns is None else self._result(tree.returns)
        return made

    def _parameter(self, arg: ast.arg, position: int) -> ast.arg:
        annotation = None if arg.annotation is None or arg.arg == "self" else self.type(arg.annotation)
        if annotation is not None and self._dtypes.is_parameter(arg.arg):
            annotation = as_dtype_annotation(annotation)
        return ast.copy_location(ast.arg(arg.arg, annotation), arg)

    def _defaults(self, arguments: ast.arguments) -> list[ast.expr]:
        """The defaults of parameters. Code of an archive gives all arguments, so those of its own functions are left
        out, and of methods those before a list, which is no constant of the language."""
        if not self._has_defaults:
            return []
        given = arguments.defaults
        lists = [i for i, d in enumerate(given) if isinstance(d, ast.List | ast.Dict)]
        first = lists[-1] + 1 if lists else 0
        pairs = zip(arguments.args[len(arguments.args) - len(given) :], given, strict=True)
        return [self._default(a, d) for a, d in pairs][first:]

    def _result(self, node: ast.expr) -> ast.expr:
        found = self.type(node)
        return as_dtype_annotation(found) if self._dtypes.is_result else found

    def _default(self, arg: ast.arg, node: ast.expr) -> ast.expr:
        if self._dtypes.is_parameter(arg.arg) and is_number(node):
            return as_dtype(node)
        return self.expression(node)

    def _wrong(self, node: ast.AST) -> ArchiveError:
        line = getattr(node, "lineno", 0)
        return ArchiveError(
            f"line {line} of the code of {self._tree.name} is no code of TorchScript: there is a {type(node).__name__}"
        )

    # -- statements --------------------------------------------------------------------------------------------------

    def block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Statements, up to one that is never left."""
        out: list[ast.stmt] = []
        for statement in body:
            try:
                made = self.statement(statement)
            except _Missing as missing:
                made = [_raise(statement, "NotImplementedError", _said(missing.operator))]
            out += made
            if made and isinstance(made[-1], ast.Raise | ast.Return):
                break
        return out

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """What a statement becomes."""
        match node:
            case ast.Expr(value=ast.Call() as call) if dotted(call.func) == "ops.prim.RaiseException":
                return [self._raise(call, node)]
            case ast.Expr(value=value):
                return [ast.copy_location(ast.Expr(self.expression(value)), node)]
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="__new__") as new) as call
            ):
                self._made[name] = dotted(new.value)
                if name in constructed(self._tree):
                    return []
                made = ast.Call(_name(self._made[name], call), [], [])  # its constructor was written into the code
                stored = ast.Name(name, ast.Store())
                return [ast.copy_location(ast.Assign([stored], ast.copy_location(made, call)), node)]
            case ast.Assign(
                targets=[target], value=ast.Call(func=ast.Attribute(ast.Name(id=name), "__init__")) as call
            ) if name in self._made:
                if self._made[name] == RECORD_FUNCTION and call.args:
                    self._ranges[name] = self.expression(call.args[0])
                    return []
                cls = _name(self._made[name], call)
                made = ast.Call(cls, [self.expression(a) for a in call.args], self._keywords(call.keywords))
                stored = ast.Name(name, ast.Store())
                return [ast.copy_location(ast.Assign([stored], ast.copy_location(made, call)), node)]
            case ast.Assign(
                targets=[ast.Name() as target], value=ast.Call(func=func, args=[held, where, value, *more])
            ) if dotted(func) in ("torch.index_put_", "torch._index_put_impl_"):
                return self._index_put(node, target, held, where, value, more)
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self._aliases:
                return []
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self._lists:
                return [
                    ast.copy_location(ast.Assign([ast.Name(_part(name, i), ast.Store())], self.expression(e)), node)
                    for i, e in enumerate(self._lists[name])
                    if not _is_none(e)
                ]
            case ast.Assign(targets=[target], value=value):
                return [ast.copy_location(ast.Assign([self._target(target)], self._value(target, value)), node)]
            case ast.AnnAssign(target=ast.Name() as target, annotation=annotation, value=value) if (
                value is not None and self._names.kind(dotted(annotation)) == "ModuleInterface"
            ):  # one of the modules of a list, each of which has its own methods
                return [ast.copy_location(ast.Assign([self._target(target)], self.expression(value)), node)]
            case ast.AnnAssign(target=target, annotation=annotation, value=value) if value is not None:
                declared = self.type(annotation)
                if isinstance(target, ast.Name) and target.id in self._dtypes.names:
                    declared = as_dtype_annotation(declared)
                place: Any = self._target(target)
                found = ast.AnnAssign(place, declared, self._value(target, value), 1)
                return [ast.copy_location(found, node)]
            case ast.If(test=test, body=body, orelse=orelse):
                made_if = ast.If(self.expression(test), self._body(body, node), self.block(orelse))
                return [ast.copy_location(made_if, node)]
            case ast.While(test=test, body=body, orelse=[]):
                return [ast.copy_location(ast.While(self.expression(test), self._body(body, node), []), node)]
            case ast.For(target=target, iter=iterated, body=body, orelse=[]):
                made_for = ast.For(self._target(target), self.expression(iterated), self._body(body, node), [])
                return [ast.copy_location(made_for, node)]
            case ast.With(items=items, body=body):
                entered = [
                    ast.withitem(
                        self._context(item.context_expr),
                        None if item.optional_vars is None else self._target(item.optional_vars),
                    )
                    for item in items
                ]
                return [ast.copy_location(ast.With(entered, self._body(body, node)), node)]
            case ast.Return(value=value):
                return [ast.copy_location(ast.Return(None if value is None else self.expression(value)), node)]
            case ast.Pass():
                return [node]
            case ast.FunctionDef():
                self._add_task(node)
                return []
        raise self._wrong(node)

    def _context(self, node: ast.expr) -> ast.expr:
        """What a `with` statement enters."""
        if isinstance(node, ast.Name) and node.id in self._ranges:
            return ast.copy_location(
                ast.Call(_torch("profiler.record_function", node), [self._ranges[node.id]], []), node
            )
        return self.expression(node)

    def _add_task(self, tree: ast.FunctionDef) -> None:
        if tree.args.args or tree.args.kwonlyargs:
            raise self._wrong(tree)
        inside = {id(n) for n in ast.walk(tree)}
        around = {n.id for n in ast.walk(self._tree) if isinstance(n, ast.Name) and id(n) not in inside and _is_set(n)}
        around |= {a.arg for a in self._tree.args.args}
        names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
        own = {n.id for n in names if _is_set(n)}
        taken = dict.fromkeys(n.id for n in names if n.id in around and n.id not in own and n.id not in self._aliases)
        made = self._function(tree)
        made.args.args = [ast.copy_location(ast.arg(name), tree) for name in taken]
        self.tasks[tree.name] = made

    def _body(self, body: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
        return self.block(body) or [ast.copy_location(ast.Pass(), node)]

    def _raise(self, call: ast.Call, node: ast.stmt) -> ast.stmt:
        self._use("prim::RaiseException")
        message, *kind = call.args
        name = kind[0].value if kind and isinstance(kind[0], ast.Constant) else None
        cls = str(name).removeprefix("builtins.") if isinstance(name, str) else "RuntimeError"
        if not cls.isidentifier() or cls not in EXCEPTION_NAMES:
            cls = "RuntimeError"
        if isinstance(message, ast.Constant) and isinstance(message.value, str):
            text = message.value
            if not kind and text.startswith("AssertionError: "):
                cls, text = "AssertionError", text.removeprefix("AssertionError: ")
            message = ast.copy_location(ast.Constant(text.removeprefix(f"{cls}: ")), message)
        return _raise(node, cls, self.expression(message))

    def _value(self, target: ast.expr, value: ast.expr) -> ast.expr:
        if isinstance(target, ast.Name) and target.id in self._dtypes.names and is_number(value):
            return as_dtype(value)
        return self.expression(value)

    def _target(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Name(id=name):
                return ast.copy_location(ast.Name(name, ast.Store()), node)
            case ast.Tuple(elts=elements):
                return ast.copy_location(ast.Tuple([self._target(e) for e in elements], ast.Store()), node)
            case ast.Attribute(value=value, attr=attr):
                return ast.copy_location(ast.Attribute(self.expression(value), attr, ast.Store()), node)
            case ast.Subscript(value=value, slice=index):
                made = ast.Subscript(self.expression(value), self.expression(index), ast.Store())
                return ast.copy_location(made, node)
        raise self._wrong(node)

    def _index_put(
        self,
        node: ast.stmt,
        target: ast.Name,
        held: ast.expr,
        where: ast.expr,
        value: ast.expr,
        more: Sequence[ast.expr],
    ) -> list[ast.stmt]:
        self._use("aten::index_put_")
        index = self._index(where)
        accumulate = more[0] if more else ast.Constant(False)
        if not (isinstance(accumulate, ast.Constant) and accumulate.value is False):
            indices = index.elts if isinstance(index, ast.Tuple) else [index]
            if any(isinstance(i, ast.Slice) for i in indices):
                raise self._lacking("aten::index_put_ that adds up, with dimensions without an index")
            given = ast.copy_location(ast.List([*indices], ast.Load()), node)
            arguments = [self.expression(held), given, self.expression(value), self.expression(accumulate)]
            call = ast.copy_location(ast.Call(_torch("index_put_", node), arguments, []), node)
            return [ast.copy_location(ast.Assign([ast.Name(target.id, ast.Store())], call), node)]
        put = ast.Assign([ast.Subscript(self.expression(held), index, ast.Store())], self.expression(value))
        kept = ast.Assign([ast.Name(target.id, ast.Store())], self.expression(held))
        return [ast.copy_location(put, node), ast.copy_location(kept, node)]

    # -- types -------------------------------------------------------------------------------------------------------

    def type(self, node: ast.expr) -> ast.expr:
        """An annotation."""
        match node:
            case ast.Name(id="NoneType"):
                return ast.copy_location(ast.Constant(None), node)
            case ast.Name(id="number"):
                return ast.copy_location(ast.Name("float", ast.Load()), node)
            case ast.Name() | ast.Constant(value=None):
                return node
            case ast.Attribute():
                return _name(dotted(node), node)
            case ast.Subscript(value=ast.Name() as generic, slice=ast.Tuple(elts=[])):
                return ast.copy_location(ast.Subscript(generic, ast.Tuple([], ast.Load()), ast.Load()), node)
            case ast.Subscript(value=ast.Name() as generic, slice=ast.Tuple(elts=elements)):
                inner: ast.expr = ast.Tuple([self.type(e) for e in elements], ast.Load())
                made = ast.Subscript(generic, ast.copy_location(inner, node), ast.Load())
                return ast.copy_location(made, node)
            case ast.Subscript(value=ast.Name() as generic, slice=element):
                return ast.copy_location(ast.Subscript(generic, self.type(element), ast.Load()), node)
        raise self._wrong(node)

    def unread(self, node: ast.expr) -> ast.expr:
        """A value of a type that nobody reads."""
        match node:
            case ast.Name(id=name) if name in _UNREAD:
                return ast.copy_location(ast.Constant(_UNREAD[name]), node)
            case ast.Name(id="Tensor"):
                empty = ast.Call(_torch("empty", node), [ast.copy_location(ast.List([], ast.Load()), node)], [])
                empty.args = [ast.copy_location(ast.List([ast.Constant(0)], ast.Load()), node)]
                return ast.copy_location(empty, node)
            case ast.Subscript(value=ast.Name(id="Tuple"), slice=ast.Tuple(elts=elements)):
                return ast.copy_location(ast.Tuple([self.unread(e) for e in elements], ast.Load()), node)
            case ast.Subscript(value=ast.Name(id="Tuple"), slice=element):
                return ast.copy_location(ast.Tuple([self.unread(element)], ast.Load()), node)
            case ast.Subscript(value=ast.Name(id=generic)) if generic in ("List", "Dict", "Optional"):
                empties: dict[str, ast.expr] = {
                    "List": ast.List([], ast.Load()),
                    "Dict": ast.Dict([], []),
                    "Optional": ast.Constant(None),
                }
                return self._annotated(node, ast.copy_location(empties[generic], node))
            case ast.Attribute():
                found = self._names.default(dotted(node))
                if found is not None:
                    return ast.copy_location(found, node)
        raise _Missing(f"prim::Uninitialized of {ast.unparse(node)}")

    def _annotated(self, type: ast.expr, value: ast.expr) -> ast.expr:
        made = ast.Call(_torch("jit.annotate", value), [self.type(type), value], [])
        return ast.copy_location(made, value)

    # -- expressions -------------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> ast.expr:
        """What an expression becomes."""
        match node:
            case ast.Constant():
                return node
            case ast.Name(id=name):
                found: ast.expr = ast.Constant(INFINITE[name]) if name in INFINITE else ast.Name(name, ast.Load())
                return ast.copy_location(found, node)
            case ast.Attribute(value=value, attr=attr):
                path = dotted(node)
                if path.startswith("CONSTANTS."):
                    return _name(path, node)
                if path.startswith("__torch__."):
                    owner, _, last = path.rpartition(".")
                    if self._names.kind(owner):
                        return ast.copy_location(ast.Attribute(_name(owner, node), last, ast.Load()), node)
                    return _name(path, node)
                return ast.copy_location(ast.Attribute(self.expression(value), attr, ast.Load()), node)
            case ast.Call():
                return ast.copy_location(self._call(node), node)
            case ast.Subscript(value=value, slice=index):
                made: ast.expr = ast.Subscript(self.expression(value), self.expression(index), ast.Load())
            case ast.Tuple(elts=elements):
                made = ast.Tuple([self.expression(e) for e in elements], ast.Load())
            case ast.List(elts=elements):
                made = ast.List([self.expression(e) for e in elements], ast.Load())
            case ast.Dict(keys=keys, values=values) if None not in keys:
                made = ast.Dict([self.expression(k) for k in keys if k is not None], [*map(self.expression, values)])
            case ast.BinOp(left=ast.Constant() | ast.UnaryOp(), op=ast.Add() | ast.Sub(), right=ast.Constant()):
                return ast.copy_location(ast.Constant(_complex(node, self._wrong)), node)
            case ast.UnaryOp(op=ast.USub() | ast.Not() as op, operand=operand):
                made = ast.UnaryOp(op, self.expression(operand))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                made = ast.IfExp(self.expression(test), self.expression(body), self.expression(orelse))
            case ast.BoolOp(op=op, values=values):
                made = ast.BoolOp(op, [*map(self.expression, values)])
            case _:
                raise self._wrong(node)
        return ast.copy_location(made, node)

    def _keywords(self, keywords: Iterable[ast.keyword], names: Iterable[str] = ()) -> list[ast.keyword]:
        allowed = set(names)
        return [
            ast.keyword(k.arg, numbered(str(k.arg), k.value) or self.expression(k.value))
            for k in keywords
            if not allowed or k.arg in allowed
        ]

    def _use(self, operator: str) -> None:
        self.used.add(operator)

    def _lacking(self, operator: str) -> _Missing:
        self._use(operator)
        self.missing.add(operator)
        return _Missing(operator)

    def _call(self, node: ast.Call) -> ast.expr:
        path = dotted(node.func)
        root, _, rest = path.partition(".")
        if root == "torch" and rest:
            return self._torch_call(node, rest)
        if root == "ops" and rest:
            space, _, name = rest.partition(".")
            return self._prim(node, name) if space == "prim" else self._other(node, space, name)
        if root == "__torch__" and rest:
            return self._own(node, path)
        if isinstance(node.func, ast.Name):
            return self._named(node, node.func.id)
        if isinstance(node.func, ast.Attribute):
            owner = self.expression(node.func.value)
            func = ast.copy_location(ast.Attribute(owner, node.func.attr, ast.Load()), node.func)
            return ast.Call(func, [*map(self.expression, node.args)], self._keywords(node.keywords))
        raise self._wrong(node)

    def _own(self, node: ast.Call, path: str) -> ast.expr:
        """A call of a function or class of the archive."""
        owner, _, last = path.rpartition(".")
        flags = self._names.numbered(path)[:-1]
        arguments = [
            as_dtype(a) if i < len(flags) and flags[i] and is_number(a) else self.expression(a)
            for i, a in enumerate(node.args)
        ]
        func: ast.expr = _name(path, node)
        if not self._names.kind(path):
            if not self._names.kind(owner):
                raise ArchiveError(f"line {node.lineno} of the code calls {path}, which the archive does not have")
            func = ast.copy_location(ast.Attribute(_name(owner, node), last, ast.Load()), node)
        return ast.Call(func, arguments, self._keywords(node.keywords))

    def _named(self, node: ast.Call, name: str) -> ast.expr:
        arguments = node.args
        match name, arguments:
            case "annotate", [ast.Name(id="number"), value]:
                return ast.copy_location(ast.Call(_name("aten.as_number", node), [self.expression(value)], []), node)
            case "annotate", [ast.Name(id="int" | "float" as number), value] if not (
                isinstance(value, ast.Constant) or self._dtypes.is_one(value)
            ):  # or of a tensor
                return ast.Call(_name(number, node), [self.expression(value)], [])
            case "annotate", [type, value]:
                return self._annotated(type, self.expression(value))
            case "unchecked_cast", [type, value]:
                return self._cast(type, value)
            case "uninitialized", [type]:
                return self.unread(type)
            case "isinstance", [value, type]:
                types = type.elts if isinstance(type, ast.Tuple | ast.List) else [type]
                made = [self.type(t) for t in types]
                tested = made[0] if len(made) == 1 else ast.copy_location(ast.Tuple(made, ast.Load()), node)
                return ast.Call(_name("isinstance", node), [self.expression(value), tested], [])
            case "getattr", [value, ast.Constant(value=str()) as attribute]:
                return ast.Call(_name("getattr", node), [self.expression(value), attribute], [])
            case "fork", [task, *rest]:
                self._use("prim::fork")
                func = _torch("jit.fork", node)
                if isinstance(task, ast.Name) and task.id in self.tasks:
                    taken = [
                        ast.copy_location(ast.Name(a.arg, ast.Load()), node) for a in self.tasks[task.id].args.args
                    ]
                    called = _name(f"tasks.{task.id}", node)
                    if _uses_objects(self.tasks[task.id]):  # which tasks cannot share: it is done here
                        done = ast.copy_location(ast.Call(called, [*taken], []), node)
                        return ast.Call(func, [_name("aten.given", node), done], [])
                    return ast.Call(func, [called, *taken], [])
                return ast.Call(func, [self.expression(task), *map(self.expression, rest)], [])
            case (("print" | "int" | "float" | "bool" | "str" | "complex" | "range" | "len"), _):
                return ast.Call(_name(name, node), [*map(self.expression, arguments)], [])
        if name in self._aliases:
            return self._own(node, self._aliases[name])
        # a function inside this function
        func = ast.copy_location(ast.Name(name, ast.Load()), node)
        return ast.Call(func, [*map(self.expression, arguments)], self._keywords(node.keywords))

    def _cast(self, type: ast.expr, value: ast.expr) -> ast.expr:
        """A value of which the code knows that it is of a narrower type."""
        found = self.expression(value)
        optional = isinstance(type, ast.Subscript) and dotted(type.value) == "Optional"
        if optional or (isinstance(type, ast.Name) and type.id in ("Any", "NoneType")):
            return found
        return ast.Call(_name("aten.cast", value), [found], [])

    def _prim(self, node: ast.Call, name: str) -> ast.expr:
        self._use(f"prim::{name}")
        made = PRIM.get(name)
        if made is None:
            raise self._lacking(f"prim::{name}")
        kind, text = made
        arguments = [*map(self.expression, node.args)]
        if kind == "attribute" and len(arguments) == 1:
            return ast.Attribute(arguments[0], text, ast.Load())
        if kind == "constant":
            return ast.Constant(False)
        if kind == "itself" and arguments:
            return arguments[0]
        if kind == "builtin":
            return ast.Call(_name(text, node), arguments, self._keywords(node.keywords))
        return ast.Call(_name(f"aten.{text}", node), arguments, self._keywords(node.keywords))

    def _other(self, node: ast.Call, space: str, name: str) -> ast.expr:
        """A call of an operator of a library."""
        self._use(f"{space}::{name}")
        if not self._names.kind(f"{space}::{name}"):
            raise self._lacking(f"{space}::{name}")
        func = _torch(f"ops.{space}.{name}", node)
        return ast.Call(func, [*map(self.expression, node.args)], self._keywords(node.keywords))

    def _torch_call(self, node: ast.Call, name: str) -> ast.expr:
        arguments = node.args
        if name == "device":
            return ast.Call(_torch("device", node), [ast.copy_location(ast.Constant("cpu"), node)], [])
        self._use(f"aten::{name}")
        match name, arguments:
            case (("__is__" | "__isnot__"), [a, b]) if _is_bool(a) or _is_bool(b):
                op = ast.Eq() if name == "__is__" else ast.NotEq()
                return ast.Compare(self.expression(a), [op], [self.expression(b)])
            case "__is__", [a, b]:
                return ast.Compare(self.expression(a), [ast.Is()], [self.expression(b)])
            case "__isnot__", [a, b]:
                return ast.Compare(self.expression(a), [ast.IsNot()], [self.expression(b)])
            case "__not__", [a]:
                return ast.UnaryOp(ast.Not(), self.expression(a))
            case (("eq" | "ne"), [a, b]) if self._dtypes.is_one(a) or self._dtypes.is_one(b):
                op = ast.Eq() if name == "eq" else ast.NotEq()
                return ast.Compare(self._dtype(a), [op], [self._dtype(b)])
            case "__contains__", [ast.List(elts=elements) as held, item] if self._dtypes.is_one(item):
                found = ast.copy_location(ast.Tuple([self._dtype(e) for e in elements], ast.Load()), held)
                return ast.Compare(self.expression(item), [ast.In()], [found])
            case "index", [held, where, *_]:
                return ast.Subscript(self.expression(held), self._index(where), ast.Load())
            case "format", [text, *values] if not isinstance(text, ast.Constant):
                texts: list[ast.expr] = [
                    ast.copy_location(ast.Call(_name("str", v), [self.expression(v)], []), v) for v in values
                ]
                listed = ast.copy_location(ast.List(texts, ast.Load()), node)
                return ast.Call(_name("aten.filled", node), [self.expression(text), listed], [])
            case "format", [text, *values]:
                func = ast.copy_location(ast.Attribute(self.expression(text), "format", ast.Load()), node)
                return ast.Call(func, [*map(self.expression, values)], [])
            case "percentFormat", [text, value]:  # a tuple is taken apart, as by Python
                return ast.BinOp(self.expression(text), ast.Mod(), self.expression(value))
            case (("items" | "keys" | "values"), [held]):
                func = ast.copy_location(ast.Attribute(self.expression(held), name, ast.Load()), node)
                parts = ast.copy_location(ast.Call(func, [], []), node)
                return ast.Call(_name("list", node), [parts], [])
            case "percentFormat", [text, *values]:
                given = ast.copy_location(ast.Tuple([*map(self.expression, values)], ast.Load()), node)
                return ast.BinOp(self.expression(text), ast.Mod(), given)
            case "wait", [task]:
                return ast.Call(_torch("jit.wait", node), [self.expression(task)], [])
        if name in FALSE:
            return ast.Constant(False)
        if name in BUILTINS:
            return ast.Call(_name(BUILTINS[name], node), [*map(self.expression, arguments)], [])
        found_at = known(name, self._version)
        if found_at is None and name not in PYTHON_METHODS:
            raise self._lacking(f"aten::{name}")
        if found_at is None or found_at.is_method:
            if not arguments:
                raise self._lacking(f"aten::{name}")
            owner = self.expression(arguments[0])
            func = ast.copy_location(ast.Attribute(owner, name, ast.Load()), node)
            return ast.Call(func, self._arguments(name, arguments)[1:], self._options(name, node))
        func_name = _name(f"aten.{found_at.path}", node) if found_at.is_written else _torch(found_at.path, node)
        return ast.Call(func_name, self._arguments(name, arguments), self._options(name, node))

    def _arguments(self, name: str, arguments: list[ast.expr]) -> list[ast.expr]:
        """Positional arguments of an operator, numbers as dtypes where it takes dtypes."""
        found = known(name, self._version)
        places = () if found is None else found.dtypes
        return [
            as_dtype(a)
            if i in places and is_number(a)
            else (numbered("memory_format", a) if name == "to" and i > 2 else None) or self.expression(a)
            for i, a in enumerate(arguments)
        ]

    def _options(self, name: str, node: ast.Call) -> list[ast.keyword]:
        """Keyword arguments of an operator that it has here: new tensors are in memory, dense and contiguous."""
        found = known(name, self._version)
        kept = []
        for keyword in node.keywords:
            if found is not None and found.is_written and keyword.arg not in found.parameters:
                raise self._lacking(f"aten::{name} with {keyword.arg}=")
            number = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            if keyword.arg == "layout" and number not in (None, 0):
                raise self._lacking(f"aten::{name} of a layout that is not strided")
            if keyword.arg == "memory_format" and name not in _FORMATTED and number not in (None, 0, 1):
                raise self._lacking(f"aten::{name} with channels last in memory")
            if keyword.arg not in _IGNORED and (keyword.arg != "memory_format" or name in _FORMATTED):
                kept.append(keyword)
        return self._keywords(kept)

    def _dtype(self, node: ast.expr) -> ast.expr:
        return as_dtype(node) if is_number(node) else self.expression(node)

    def _index(self, where: ast.expr) -> ast.expr:
        """A list of indices, as a subscript has them."""
        match where:
            case ast.Call(func=ast.Name(id="annotate"), args=[_, ast.List(elts=elements)]) | ast.List(elts=elements):
                pass
            case ast.Name(id=name) if name in self._lists:
                elements = [
                    e if _is_none(e) else ast.copy_location(ast.Name(_part(name, i), ast.Load()), where)
                    for i, e in enumerate(self._lists[name])
                ]
            case _:
                raise self._lacking("aten::index of a list that is computed")
        made: list[ast.expr] = [
            ast.copy_location(ast.Slice(), e) if _is_none(e) else self.expression(e) for e in elements
        ]
        return made[0] if len(made) == 1 else ast.copy_location(ast.Tuple(made, ast.Load()), where)


def constructed(tree: ast.AST) -> frozenset[str]:
    """The names of objects whose constructor the code calls, after ``__new__``."""
    return frozenset(
        node.func.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "__init__"
        and isinstance(node.func.value, ast.Name)
    )


def inlined(tree: ast.AST) -> frozenset[str]:
    """The classes of objects whose constructor was written into the code that makes them."""
    names = constructed(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="__new__") as new)):
                found.update(() if name in names else (dotted(new.value),))
    return frozenset(found)


def _index_lists(tree: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """Names of a function that stand for one list of indices, with its elements."""
    found: dict[str, list[ast.expr]] = {}
    seen: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="annotate"), args=[type, ast.List(elts=elements)]),
            ) if ast.unparse(type) == "List[Optional[Tensor]]" and name not in seen:
                found[name] = elements
                seen.add(name)
            case ast.Assign(targets=targets):
                names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                seen |= names
                for name in names & found.keys():
                    del found[name]
    return found


def _complex(node: ast.BinOp, wrong: Callable[[ast.AST], ArchiveError]) -> complex:
    """The number that an expression such as ``2.-4.j`` is."""
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError):
        raise wrong(node) from None
    if not isinstance(found, complex):
        raise wrong(node)
    return found


def _part(name: str, number: int) -> str:
    return f"{name}__{number}"


def _is_set(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_bool(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_IGNORED = frozenset({"layout", "device", "pin_memory", "non_blocking"})
_FORMATTED = frozenset({"clone", "contiguous", "is_contiguous", "to"})
"""Operators that take memory formats."""

EXCEPTION_NAMES = frozenset(
    {
        *("AssertionError", "ArithmeticError", "AttributeError", "EOFError", "Exception", "FileNotFoundError"),
        *("IndexError", "KeyError", "LookupError", "MemoryError", "NotImplementedError", "OSError", "OverflowError"),
        *("RuntimeError", "TypeError", "UnicodeError", "ValueError", "ZeroDivisionError"),
    }
)

_UNREAD: Mapping[str, int | float | complex | str | None] = {
    "int": 0, "float": 0.0, "bool": False, "str": "", "NoneType": None, "number": 0.0, "complex": 0j,
}  # fmt: skip


def as_dtype_annotation(node: ast.expr) -> ast.expr:
    """``int`` in an annotation as ``torch.dtype``."""
    match node:
        case ast.Name(id="int"):
            return _torch("dtype", node)
        case ast.Subscript(value=generic, slice=element):
            return ast.copy_location(ast.Subscript(generic, as_dtype_annotation(element), ast.Load()), node)
    return node


def _name(path: str, at: ast.AST) -> ast.expr:
    """A name of the archive, dots and all: `Environment` knows it whole."""
    return ast.copy_location(ast.Name(path, ast.Load()), at)


def _torch(path: str, at: ast.AST) -> ast.expr:
    found: ast.expr = ast.copy_location(ast.Name("torch", ast.Load()), at)
    for part in path.split("."):
        found = ast.copy_location(ast.Attribute(found, part, ast.Load()), at)
    return found


def _said(operator: str) -> ast.expr:
    return ast.Constant(f"{operator} is an operator of TorchScript that tscript does not have")


def _uses_objects(task: ast.FunctionDef) -> bool:
    """Whether a task uses attributes or methods of what it takes."""
    taken = {a.arg for a in task.args.args}
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in taken for n in ast.walk(task)
    )


def _raise(at: ast.stmt, cls: str, message: ast.expr) -> ast.stmt:
    call = ast.Call(ast.Name(cls, ast.Load()), [message], [])
    made = ast.Raise(call, None)
    for node in ast.walk(made):
        if isinstance(node, ast.expr | ast.stmt) and not hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return made
