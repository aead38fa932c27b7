"""The code of an archive as functions and classes that the frontend reads like any other.

Each class of the code has a Python class here, made when it is asked for, without anything of the archive being run:
its methods are placeholders that carry the translated function. Nothing but the compiler can use them.
"""

from __future__ import annotations

import ast
import builtins
import enum
import typing
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import tscript
from tscript import Tensor
from tscript.archive.torchscript import Stored
from tscript.diagnostics.archives import ArchiveError
from tscript.frontend import PythonFunction
from tscript.frontend.source.constants import NotConstant
from tscript.frontend.source.symbols import UnknownSymbol
from tscript.nn.modules.module import Module
from tscript.nn.scripting.facts import IMPORTED
from tscript.nn.torchscript.numbers import DtypeNames
from tscript.nn.torchscript.operators import written
from tscript.nn.torchscript.sources import Definition, definitions, dotted
from tscript.nn.torchscript.translating import EXCEPTION_NAMES, Translation, inlined
from tscript.operators.python.functions.optionals import unwrap_optional
from tscript.parsing import parse

_ENUM: Any = enum.Enum
_NAMED_TUPLE: Any = typing.NamedTuple
_TYPES: dict[str, Any] = {
    "Tensor": Tensor,
    "List": typing.List,  # noqa: UP006 - as annotations of functions name it
    "Dict": typing.Dict,  # noqa: UP006
    "Tuple": typing.Tuple,  # noqa: UP006
    "Optional": typing.Optional,
    "Union": typing.Union,
    "Any": typing.Any,
    "Future": tscript.Future,
    "Device": tscript.device,
    "Generator": tscript.Generator,
    **{t.__name__: t for t in (int, float, bool, str, complex)},
}
_BUILTINS: dict[str, Any] = {
    f.__name__: f
    for f in (
        *(len, ord, chr, list, sorted, hex, oct, bin, hash, divmod, dict, range, print, isinstance, getattr),
        *(min, max, abs, tuple),
    )
}


class Program:
    """The code of one archive.

    Args:
        stored: The archive.
        constant: Makes the value of ``CONSTANTS.c0``, by its number.

    Attributes:
        used: The operators that translated functions call: ``aten::add``.
        missing: Those that there is none of.
    """

    def __init__(self, stored: Stored, constant: typing.Callable[[int], Any]) -> None:
        self._path = stored.path
        self._version = stored.version
        self._definitions = definitions(stored.code, stored.path)
        self._constant = constant
        self._count = len(stored.constants)
        self._functions: dict[str, PythonFunction] = {}
        self._classes: dict[str, type] = {}
        self._numbered: dict[str, tuple[bool, ...]] = {}
        self._constants: dict[int, Any] = {}
        self._environment = _Names(self, {})
        self.used: set[str] = set()
        self.missing: set[str] = set()

    # -- what the code defines ---------------------------------------------------------------------------------------

    def kind(self, path: str) -> str:
        """See `Names`."""
        found = self._definitions.get(path)
        if found is None:
            space, _, name = path.partition("::")
            return "operator" if name and hasattr(getattr(tscript.ops, space, None), name) else ""
        return "function" if isinstance(found.tree, ast.FunctionDef) else found.kind or "class"

    def is_module(self, path: str) -> bool:
        """Whether a name is that of a class of modules."""
        return self.kind(path) == "Module"

    def numbered(self, path: str) -> tuple[bool, ...]:
        """See `Names`."""
        known = self._numbered.get(path)
        if known is None:
            self._numbered[path] = ()  # a function that calls itself
            found = self._definitions.get(path)
            known = ()
            if found is not None and isinstance(found.tree, ast.FunctionDef):
                names = DtypeNames(found.tree, self.numbered)
                known = (*(names.is_parameter(a.arg) for a in found.tree.args.args), names.is_result)
            self._numbered[path] = known
        return known

    def default(self, path: str) -> ast.expr | None:
        """See `Names`."""
        if self.kind(path) != "Enum":
            return None
        first = next(iter(self.cls(path)))  # type: ignore[call-overload]
        return ast.Attribute(ast.Name(path, ast.Load()), first.name, ast.Load())

    def modules(self) -> int:
        """How many classes of modules there are."""
        return sum(found.kind == "Module" for found in self._definitions.values())

    def translate_all(self) -> None:
        """Translate everything, to learn which operators there are."""
        for path, found in self._definitions.items():
            if isinstance(found.tree, ast.FunctionDef):
                self.function(path)
            elif found.kind in ("Module", ""):
                for node in found.tree.body:
                    if isinstance(node, ast.FunctionDef):
                        self._translated(found, node)

    def definition(self, path: str) -> Definition:
        """A class or function.

        Raises:
            ArchiveError: There is none of that name.
        """
        found = self._definitions.get(path)
        if found is None:
            raise ArchiveError(f"its code does not define {path}", self._path)
        return found

    def constant(self, name: str) -> Any:
        """The value of ``CONSTANTS.c0``."""
        number = name.removeprefix("c")
        if not number.isdigit() or len(number) > 9 or int(number) >= self._count:
            raise ArchiveError(f"its code names CONSTANTS.{name}, and it has {self._count} constants", self._path)
        if int(number) not in self._constants:
            self._constants[int(number)] = self._constant(int(number))
        return self._constants[int(number)]

    def function(self, path: str) -> PythonFunction:
        """A function of the code, translated."""
        found = self._functions.get(path)
        if found is None:
            definition = self.definition(path)
            assert isinstance(definition.tree, ast.FunctionDef)
            found = self._functions[path] = self._translated(definition, definition.tree)
        return found

    def method(self, path: str, name: str) -> PythonFunction:
        """A method of a class, translated."""
        found = vars(self.cls(path)).get(name)
        function = getattr(found, "__tscript_function__", None)
        if not isinstance(function, PythonFunction):
            raise ArchiveError(f"{path} has no method {name}", self._path)
        return function

    def _translated(self, definition: Definition, tree: ast.FunctionDef) -> PythonFunction:
        translation = Translation(tree, self, has_defaults=definition.tree is not tree, version=self._version)
        try:
            made = translation.function()
        except ArchiveError as error:
            raise ArchiveError(f"{definition.source.name}: {error.what}", self._path) from None
        except RecursionError:
            what = f"{definition.source.name}: {tree.name} is nested too deeply"
            raise ArchiveError(what, self._path) from None
        ast.fix_missing_locations(made)
        self.used |= translation.used
        self.missing |= translation.missing
        owner = "" if isinstance(definition.tree, ast.FunctionDef) else f"{definition.name}."
        place = f"{owner}{tree.name}"
        tasks: dict[str, PythonFunction] = {}
        around = _Names(self, tasks) if translation.tasks else self._environment
        for name, task in translation.tasks.items():
            ast.fix_missing_locations(task)
            tasks[name] = PythonFunction(name, f"{place}.{name}", task, definition.source, definition.lines, 0, around)
        return PythonFunction(tree.name, place, made, definition.source, definition.lines, 0, around)

    # -- classes -----------------------------------------------------------------------------------------------------

    def cls(self, path: str) -> type:
        """The Python class that stands for one of the code; the same one each time.

        Raises:
            ArchiveError: The code defines no such class, or one that cannot be read.
        """
        known = self._classes.get(path)
        if known is not None:
            return known
        definition = self.definition(path)
        if not isinstance(definition.tree, ast.ClassDef):
            raise ArchiveError(f"{path} is a function, and stands where a class belongs", self._path)
        makers = {"Module": self._module, "Enum": self._enum, "NamedTuple": self._named_tuple, "": self._plain}
        maker = makers.get(definition.kind)
        if maker is None:
            raise ArchiveError(f"{path} is a {definition.kind}, which is not read yet", self._path)
        made: type = maker(path, definition, definition.tree)
        return made

    def _module(self, path: str, definition: Definition, tree: ast.ClassDef) -> Any:
        return self._made(path, definition, tree, (Module,), is_module=True)

    def _plain(self, path: str, definition: Definition, tree: ast.ClassDef) -> Any:
        return self._made(path, definition, tree, (), is_module=False)

    def _made(
        self, path: str, definition: Definition, tree: ast.ClassDef, bases: tuple[type, ...], *, is_module: bool
    ) -> Any:
        module = path.rpartition(".")[0]
        namespace = {"__module__": module, "__qualname__": tree.name, **({IMPORTED: True} if is_module else {})}
        cls: Any = type(tree.name, bases, namespace)
        self._classes[path] = cls
        annotations: dict[str, Any] = {}
        constants: list[str] = []
        for node in tree.body:
            match node:
                case ast.FunctionDef(name="__init__") if path in self._inlined:
                    pass  # the code gives an instance its attributes itself
                case ast.FunctionDef(name=name):
                    setattr(cls, name, self._placeholder(definition, node))
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    if value is not None:
                        constants.append(name)
                        setattr(cls, name, self._literal(definition, value))
                    elif not (is_module and self._is_module(annotation)):
                        annotations[name] = self.type(annotation)
                case ast.Assign(
                    targets=[
                        ast.Subscript(value=ast.Name(id="__annotations__"), slice=ast.Constant(value=str() as name))
                    ],
                    value=annotation,
                ):
                    if not (is_module and self._is_module(annotation)):
                        annotations[name] = self.type(annotation)
                case (
                    ast.Assign(targets=[ast.Name(id="__parameters__" | "__buffers__" | "__annotations__")])
                    | ast.Pass()
                    | ast.Expr()
                ):
                    pass
                case _:
                    raise ArchiveError(
                        f"{definition.source.name}, line {node.lineno}: a {type(node).__name__} stands in a class",
                        self._path,
                    )
        cls.__annotations__ = annotations
        if is_module:
            cls.__constants__ = constants
        return cls

    @cached_property
    def _inlined(self) -> frozenset[str]:
        """The classes whose constructors freezing wrote into the code that makes instances."""
        return frozenset[str]().union(
            *(inlined(found.tree) for found in self._definitions.values() if "__new__" in found.source.text)
        )

    def names_in(self, path: str, which: str) -> frozenset[str]:
        """The names in ``__parameters__`` or ``__buffers__`` of a class."""
        tree = self.definition(path).tree
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=elements)) if name == which:
                    return frozenset(str(e.value) for e in elements if isinstance(e, ast.Constant))
        return frozenset()

    def _is_module(self, annotation: ast.expr) -> bool:
        return self.kind(dotted(annotation)) in ("Module", "ModuleInterface")

    def _placeholder(self, definition: Definition, tree: ast.FunctionDef) -> Any:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            """A method of an archive's class, which native code stands for."""
            raise TypeError(f"{definition.name}.{tree.name} of a TorchScript archive runs in compiled code only")

        made: Any = method
        made.__name__ = tree.name
        made.__qualname__ = f"{definition.name}.{tree.name}"
        made.__tscript_function__ = self._translated(definition, tree)
        return made

    def _literal(self, definition: Definition, node: ast.expr) -> Any:
        """A constant of a class."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id="inf"):
                return float("inf")
            case ast.Name(id="nan"):
                return float("nan")
            case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.UnaryOp):
                found = self._literal(definition, operand)
                if isinstance(found, int | float):
                    return -found
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(self._literal(definition, e) for e in elements)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                read = [self._literal(definition, k) for k in keys if k is not None]
                return dict(zip(read, [self._literal(definition, v) for v in values], strict=True))
            case ast.Call(func=ast.Name(id="annotate"), args=[_, value]):
                return self._literal(definition, value)
            case ast.Call(func=func) if dotted(func) == "torch.device":
                return tscript.device("cpu")
        what = f"{definition.source.name}, line {node.lineno}: a constant that is none stands in {definition.name}"
        raise ArchiveError(what, self._path)

    def _enum(self, path: str, definition: Definition, tree: ast.ClassDef) -> Any:
        members: list[tuple[str, Any]] = []
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if not name.startswith("_") and name != "mro":
                    members.append((name, self._literal(definition, value)))
                case _:
                    what = f"{definition.source.name}, line {node.lineno}: no member of an enum"
                    raise ArchiveError(what, self._path)
        kinds = {type(value) for _, value in members}
        names = {name for name, _ in members}
        if not members or len(kinds) > 1 or not kinds <= {int, float, str} or len(names) < len(members):
            raise ArchiveError(f"the enum {path} has no members, or some that do not go together", self._path)
        made: Any = _ENUM(tree.name, members, module=path.rpartition(".")[0])
        self._classes[path] = made
        return made

    def _named_tuple(self, path: str, definition: Definition, tree: ast.ClassDef) -> Any:
        fields: list[tuple[str, Any]] = []
        defaults: dict[str, Any] = {}
        for node in tree.body:
            match node:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    if name.startswith("_") or name in dict(fields):
                        raise ArchiveError(f"{path} has the field {name!r}, which no named tuple can have", self._path)
                    fields.append((name, self.type(annotation)))
                    if value is not None:
                        defaults[name] = self._literal(definition, value)
        made: Any = _NAMED_TUPLE(tree.name, fields)
        made.__module__ = path.rpartition(".")[0]
        made._field_defaults = defaults
        made.__new__.__defaults__ = tuple(defaults.values()) or None
        self._classes[path] = made
        return made

    # -- types -------------------------------------------------------------------------------------------------------

    def type(self, node: ast.expr) -> Any:
        """An annotation as an object: ``typing.List[int]``.

        Raises:
            ArchiveError: It is no type of TorchScript.
        """
        match node:
            case ast.Constant(value=None) | ast.Name(id="NoneType"):
                return None
            case ast.Name(id="number"):
                return float
            case ast.Name(id=name) if name in _TYPES:
                return _TYPES[name]
            case ast.Attribute():
                return self.cls(dotted(node))
            case ast.Subscript(value=ast.Name(id="Tuple"), slice=ast.Tuple(elts=[])):
                return typing.Tuple[()]  # noqa: UP006
            case ast.Subscript(value=ast.Name(id="Final"), slice=element):
                return self.type(element)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=elements)) if name in _TYPES:
                return _TYPES[name][tuple(map(self.type, elements))]
            case ast.Subscript(value=ast.Name(id=name), slice=element) if name in _TYPES:
                return _TYPES[name][self.type(element)]
        raise ArchiveError(f"its code has the type {ast.unparse(node)[:60]}, which is not read", self._path)

    def type_of_text(self, text: str) -> Any:
        """A type of the pickle: ``Dict[str, int]``."""
        try:
            node = parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ArchiveError(f"it has the type {text[:60]!r}, which is none", self._path) from None
        return self.type(node)


class _Names:
    """The names around the functions of an archive; an `Environment`.

    Args:
        program: The archive's code.
        tasks: The functions inside the one that looks here.
    """

    def __init__(self, program: Program, tasks: Mapping[str, PythonFunction]) -> None:
        self._program = program
        self._tasks = tasks

    def lookup(self, name: str) -> object:
        """See `Environment`. What the archive defines wrongly is unknown, with the reason."""
        try:
            return self._found(name)
        except ArchiveError as error:
            return UnknownSymbol(name, error.what)

    def _found(self, name: str) -> object:
        if name == "torch":
            return tscript
        if name == "aten.cast":
            return unwrap_optional
        if name.startswith("aten."):
            return written()[name.removeprefix("aten.")]
        if name.startswith("tasks."):
            return self._tasks[name.removeprefix("tasks.")]
        if name.startswith("CONSTANTS."):
            return self._program.constant(name.removeprefix("CONSTANTS."))
        if name.startswith("__torch__."):
            kind = self._program.kind(name)
            if kind == "ModuleInterface":
                return UnknownSymbol(f"the interface {name}", "interfaces of TorchScript are not read yet")
            return self._program.function(name) if kind == "function" else self._program.cls(name)
        for known in (_TYPES, _BUILTINS):
            if name in known:
                return known[name]
        if name in EXCEPTION_NAMES:
            return getattr(builtins, name)
        raise KeyError(name)

    def names(self) -> Iterable[str]:
        """See `Environment`."""
        return [*_TYPES, *_BUILTINS]

    def constant(self, node: ast.expr) -> object:
        """The value of the default of a parameter. Raises `NotConstant`."""
        match node:
            case ast.Attribute(value=ast.Name(id="torch"), attr=name):
                return getattr(tscript, name)
            case ast.Attribute(value=ast.Name(id=path), attr=name) if self._program.kind(path) == "Enum":
                members: Any = self._program.cls(path)
                return members[name]
            case ast.Name(id=path) if path.startswith("CONSTANTS."):
                return self.lookup(path)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return tuple(map(self.constant, elements))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.Constant(value=value):
                return value
        raise NotConstant("computed")
