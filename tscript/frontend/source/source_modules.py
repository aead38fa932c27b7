"""The top level of a module that is read and not run: its functions, classes and names.

Example:
    >>> function, = module_functions("def f(x: int) -> int:\\n    return x + 1\\n", "f.py")
    >>> function.name, str(function.span(function.tree.body[0]))
    ('f', 'f.py:2:5')
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tscript.diagnostics import Diagnostic, SourceFile, Span, compile_error
from tscript.diagnostics.suggest import close_matches
from tscript.frontend.diagnostics import errors
from tscript.frontend.source.constants import NotConstant
from tscript.frontend.source.functions import PythonFunction, cache_of
from tscript.frontend.source.modules import ImportedFunction, SourceClass, SourceMember, SourceModule, parse_module
from tscript.frontend.source.symbols import AliasSymbol, ModuleSymbol
from tscript.late import replace


def module_functions(text: str, filename: str, *, everything: bool = False) -> list[PythonFunction]:
    """The functions of a module to compile: those decorated with ``@script``, else all at top level. The module is not
    run.

    Args:
        text: The whole module.
        filename: As messages name it.
        everything: Return all functions at top level, decorated or not.

    Raises:
        CompileError: The source is not Python (TS506), or a coroutine would be compiled (TS106).
    """
    environment = SourceEnvironment(parse_module(text, filename))
    if refused := environment.refused():
        raise compile_error(refused)
    return list(environment.functions().values()) if everything else environment.wanted()


def module_function(text: str, name: str, filename: str) -> PythonFunction:
    """The top-level function `name` of a module, which is not run.

    Args:
        text: The whole module.
        name: Of the function.
        filename: As messages name it.

    Raises:
        CompileError: The source is not Python (TS506) or defines no such function (TS505).
    """
    return SourceEnvironment(parse_module(text, filename)).named(name)


class SourceEnvironment:
    """The top level of a module that is read and not run.

    Args:
        module: Its parsed source.
        known: The environments of the modules read so far, to which this one is added; for modules that import each
            other.
    """

    __slots__ = ("_functions", "_known", "_module")

    def __init__(self, module: SourceModule, known: dict[SourceModule, SourceEnvironment] | None = None) -> None:
        self._module = module
        self._functions: dict[str, PythonFunction] = {}
        self._known = {} if known is None else known
        self._known[module] = self

    @property
    def source(self) -> SourceFile:
        """The file."""
        return self._module.source

    def classes(self) -> list[SourceClass]:
        """All classes at top level."""
        return [c for c in map(self.known, self._module.classes()) if isinstance(c, SourceClass)]

    def functions(self) -> dict[str, PythonFunction]:
        """All functions at top level, by name."""
        return {tree.name: self.function(tree) for tree in self._module.functions()}

    def wanted(self, *, only_marked: bool = False) -> list[PythonFunction]:
        """The functions to compile: those decorated with ``@script``, else (unless `only_marked`) all."""
        found = list(self.functions().values())
        marked = [f for f in found if any(self.is_script(d) for d in f.tree.decorator_list)]
        classes = [c for c in self._module.classes() if self._is_marked(c)]
        return (
            marked
            if marked or classes or only_marked or self.refused()
            else [f for f in found if not self.mark(f.tree)]
        )

    def wanted_classes(self, *, only_marked: bool = False) -> list[SourceClass]:
        """The classes whose functions are checked by themselves: those decorated with ``@script`` or with methods that
        are, else (unless `only_marked`) all of a module that has no functions."""
        found = self.classes()
        marked = [c for c in found if self._is_marked(c)]
        return marked if marked or only_marked or self.functions() else found

    def _is_marked(self, cls: SourceClass) -> bool:
        return any(self.is_script(d) for d in cls.tree.decorator_list) or bool(cls.module.scripted_methods(cls))

    def refused(self) -> list[Diagnostic]:
        """An error for each coroutine that is decorated with ``@script`` (TS106)."""
        source = self._module.source
        return [
            errors.UnsupportedFunction(_header(source, node), node.name, "a coroutine")
            for node in self._module.coroutines
            if any(self.is_script(d) for d in node.decorator_list)
        ]

    def named(self, name: str) -> PythonFunction:
        """One function at top level.

        Raises:
            CompileError: There is none of that name (TS505).
        """
        found = self.functions()
        if name not in found:
            source = self._module.source
            close = close_matches(name, found)
            names = ", ".join(found) or "no functions"
            instead = f"did you mean '{close[0]}'?" if close else f"it defines {names}"
            raise compile_error([errors.NoSuchFunction(Span(source, 1, 0, 1, 0), source.name, name, instead)])
        return found[name]

    def function(self, tree: ast.FunctionDef) -> PythonFunction:
        """The function defined by `tree`; the same object each time."""
        found = self._functions.get(tree.name)
        if found is None or found.written.tree is not tree:
            module = self._module
            fast = any(map(module.is_fast, tree.decorator_list))
            found = PythonFunction(tree.name, tree.name, tree, module.source, module.lines, 0, self, fastmath=fast)
            sizes = next(filter(None, map(self.cache, tree.decorator_list)), None)
            if sizes is not None:
                found = found.with_cache(*sizes)
            if any(map(module.is_vectorize, tree.decorator_list)):
                from tscript.frontend.source.vectorized import decorated

                found = decorated(found)
            self._functions[tree.name] = found
        return found

    def cache(self, decorator: ast.expr) -> tuple[int | None, bool] | None:
        """`maxsize` and `typed` of a decorator that is `functools.lru_cache` or `cache`, of constants; None for any
        other."""
        found = cache_of(self, decorator)
        if found is None:
            return None
        written: dict[str | None, ast.expr] = {}
        if isinstance(decorator, ast.Call):
            written = dict(zip(("maxsize", "typed"), decorator.args, strict=False))
            written |= {keyword.arg: keyword.value for keyword in decorator.keywords}
        try:
            given: dict[str | None, Any] = {name: self.constant(node) for name, node in written.items()}
        except NotConstant:
            return None
        maxsize = given.pop("maxsize", None if found is functools.cache else 128)
        typed = given.pop("typed", False)
        fits = (maxsize is None or isinstance(maxsize, int)) and isinstance(typed, bool) and not given
        return (None if maxsize is None else max(0, int(maxsize)), typed) if fits else None

    def lookup(self, name: str) -> object:
        """See `Environment`."""
        return self.known(self._module.definition(name))

    def declared(self, name: str) -> object:
        """What the module declares a name to be, as an expression; None if nothing."""
        return self._module.annotations.get(name)

    def member(self, name: str) -> object:
        """The meaning of `name` as a member of the module.

        Raises:
            KeyError: Nothing defines it.
        """
        return self.known(self._module.own(name))

    def known(self, found: object) -> object:
        """The meaning of a name of a module, for the frontend."""
        match found:
            case ast.FunctionDef():
                return self.function(found)
            case SourceClass(module=module):
                found.environment = self._of(module)
                return found
            case SourceMember(owner=owner):
                self.known(owner)
                return found
            case AliasSymbol(environment=SourceModule() as module):
                return replace(found, environment=self._of(module))
            case ImportedFunction(module=module, tree=tree):
                return self._of(module).function(tree)
            case SourceModule():
                return ModuleSymbol(found.source.name, _Members(self._of(found)))
        return found

    def _of(self, module: SourceModule) -> SourceEnvironment:
        return self._known.get(module) or SourceEnvironment(module, self._known)

    def names(self) -> Iterable[str]:
        """See `Environment`."""
        return self._module.names()

    def constant(self, node: ast.expr) -> object:
        """The value of an expression over constants. Raises `NotConstant`."""
        return self.known(self._module.constant(node))

    def is_script(self, decorator: ast.expr) -> bool:
        """Whether a decorator only marks a function for compilation."""
        return self._module.is_script(decorator)

    def is_neutral(self, decorator: ast.expr) -> bool:
        """Whether a decorator changes nothing here."""
        return self._module.is_neutral(decorator)

    def mark(self, tree: ast.FunctionDef) -> str:
        """``ignore`` or ``unused`` for a function with such a decorator; else empty."""
        return next(filter(None, map(self._module.mark, tree.decorator_list)), "")


def _header(source: SourceFile, node: ast.AsyncFunctionDef) -> Span:
    line = source.line(node.lineno)
    col = max(line.find(node.name, len("async def")), 0)
    return Span(source, node.lineno, col, node.lineno, col + len(node.name), node.name)


class _Members(Mapping[str, object]):
    """The members of a module that is read, by name, each looked up when it is used."""

    __slots__ = ("_environment",)

    def __init__(self, environment: SourceEnvironment) -> None:
        self._environment = environment

    def __getitem__(self, name: str) -> object:
        return self._environment.member(name)

    def __contains__(self, name: object) -> bool:
        return self.get(str(name), self) is not self

    def __iter__(self) -> Iterator[str]:
        return iter(self._environment.names())

    def __len__(self) -> int:
        return len(list(self._environment.names()))
