"""Python functions as the frontend sees them: syntax tree, positions in the real file, and the names around them.

A `PythonFunction` comes from a callable, whose source is found by `lines_of` (files, notebook cells, the prompt, `exec`
with its source), or from source alone (`tscript.frontend.source.source_modules`), which is parsed and never run. The
names around a function (`Environment`) are frozen when the `PythonFunction` is made, as far as they are defined by
then.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import linecache
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from tscript.definitions.shared import LRU_CACHE, Shared
from tscript.diagnostics import SourceFile, Span, compile_error
from tscript.frontend.diagnostics import errors
from tscript.frontend.source.comments import annotate
from tscript.frontend.source.index_values import replace_index_values
from tscript.frontend.source.lines import lines_of
from tscript.frontend.source.private_names import mangle_function
from tscript.frontend.source.stored import Stored, written
from tscript.frontend.source.symbols import Symbol
from tscript.late import dataclass, field, replace
from tscript.parsing import parse
from tscript.types import DType


class Environment(Protocol):
    """The names around a function."""

    def lookup(self, name: str) -> object:
        """The Python object or the `Symbol` of `name`.

        Raises:
            KeyError: Nothing defines it.
        """

    def names(self) -> Iterable[str]:
        """All names, for suggestions."""


class ObjectEnvironment:
    """The globals, closure and builtins of a function object. Globals the code names are frozen now."""

    __slots__ = ("_builtins", "_cells", "_frozen", "_globals")

    def __init__(self, fn: types.FunctionType) -> None:
        code = fn.__code__
        self._globals: Mapping[str, object] = fn.__globals__
        found = self._globals.get("__builtins__", builtins)
        self._builtins: Mapping[str, object] = found if isinstance(found, dict) else vars(found)
        self._cells = dict(zip(code.co_freevars, fn.__closure__ or (), strict=True))
        self._frozen = {name: self._globals[name] for name in code.co_names if name in self._globals}
        for name, cell in self._cells.items():
            try:
                self._frozen[name] = cell.cell_contents
            except ValueError:
                continue  # not assigned yet

    def lookup(self, name: str) -> object:
        """See `Environment`."""
        if name in self._frozen:
            return self._frozen[name]
        cell = self._cells.get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                raise KeyError(name) from None
        if name in self._globals:
            return self._globals[name]
        return self._builtins[name]

    @property
    def module(self) -> Mapping[str, object]:
        """The globals."""
        return self._globals

    def declared(self, name: str) -> object:
        """What the module declares a name to be; None if nothing."""
        if name in self._cells:
            return None
        return self._globals.get("__annotations__", {}).get(name)  # type: ignore[attr-defined]

    def freeze(self, name: str, value: object) -> None:
        """From now on `name` is what it was when it was looked up."""
        self._frozen.setdefault(name, value)

    @property
    def has_usual_builtins(self) -> bool:
        """Whether builtins are those of Python."""
        return self._builtins is vars(builtins)

    def names(self) -> Iterable[str]:
        """See `Environment`."""
        return [*self._cells, *self._globals, *self._builtins]


class _Nothing:
    """No names."""

    def lookup(self, name: str) -> object:
        """See `Environment`."""
        raise KeyError(name)

    def names(self) -> tuple[str, ...]:
        """See `Environment`."""
        return ()


def in_annotations(environment: Environment, name: str) -> object:
    """What a name means in an annotation: the module may import it only for type checkers.

    Raises:
        KeyError: Nothing defines it.
    """
    try:
        return environment.lookup(name)
    except KeyError:
        if not isinstance(environment, ObjectEnvironment):
            raise
        return _for_checkers(environment.module)[name]


def _for_checkers(module: Mapping[str, object]) -> dict[str, object]:
    """The names that a module imports under ``if TYPE_CHECKING:``, from what is imported, from Python and NumPy."""
    found: dict[str, object] = {}
    file = module.get("__file__")
    try:
        tree = parse("".join(linecache.getlines(file))) if isinstance(file, str) else None
    except SyntaxError:
        return found
    for block in () if tree is None else tree.body:
        if isinstance(block, ast.If) and ast.unparse(block.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for node in block.body:
                if isinstance(node, ast.Import | ast.ImportFrom):
                    found |= _imported(node, module)
    return found


def _imported(node: ast.Import | ast.ImportFrom, module: Mapping[str, object]) -> dict[str, object]:
    """What an import statement of a module would bind; nothing if it fails."""
    package = str(module.get("__package__") or "")
    found: dict[str, object] = {}
    for alias in node.names:
        with suppress(ImportError, AttributeError, ValueError):
            if isinstance(node, ast.ImportFrom):
                owner = _module("." * node.level + (node.module or ""), package)
                found[alias.asname or alias.name] = getattr(owner, alias.name)
            else:
                inner, root = _module(alias.name, package), alias.name.partition(".")[0]
                found[alias.asname or root] = inner if alias.asname else sys.modules[root]
    return found


def _module(name: str, package: str) -> types.ModuleType:
    """A module that is imported, or that is imported without consequences."""
    from importlib import import_module, util

    path = util.resolve_name(name, package)
    if path in sys.modules:
        return sys.modules[path]
    root = path.partition(".")[0]
    if root not in sys.stdlib_module_names and root != "numpy":
        raise ImportError(path)
    return import_module(path)


@dataclass(frozen=True, eq=False, slots=True)
class PythonFunction:
    """One function to compile. Compared by identity.

    Attributes:
        name, qualname: Its names.
        tree: Its definition, decorators included. Use `span` for positions.
        source: The file it stands in.
        lines: The lines of that file.
        line_offset: What to add to a line number of the tree.
        environment: The names around it.
        callable: The function object; None when it was read from source alone.
        annotations: Evaluated annotations by parameter name; texts where annotations are not evaluated.
        cache: The cache around it. With a cache it is another function than without.
        fastmath: Whether its arithmetic of floats may be reordered and contracted.
        elements: What it does with each element of arrays, if it is vectorized; then the tree only calls that.
        is_parallel: Whether it was scripted with ``parallel=True``; see `may_divide`.
        keywords: The keywords that ``**names`` stands for, in a function made for them.
        calls: The function that it calls with what it is called with, and whose defaults are its own, if it was made
            to do so.
        stored: Its program, if there is no source.
    """

    name: str
    qualname: str
    tree: ast.FunctionDef
    source: SourceFile
    lines: Sequence[str] = field(repr=False)
    line_offset: int
    environment: Environment = field(repr=False)
    callable: Callable[..., Any] | None = None
    annotations: Mapping[str, object] = field(default_factory=dict, repr=False)
    cache: Cache | None = None
    elements: Elements | None = None
    is_parallel: bool = False
    fastmath: bool = False
    keywords: tuple[str, ...] | None = None
    calls: PythonFunction | None = None
    stored: Stored | None = None

    @property
    def may_divide(self) -> bool:
        """Whether loops over `range` may run on several threads: ``parallel=True`` says so, in decorators, too."""
        if self.is_parallel:
            return True
        given = (k for d in self.tree.decorator_list if isinstance(d, ast.Call) for k in d.keywords)
        return any(k.arg == "parallel" and isinstance(k.value, ast.Constant) and k.value.value is True for k in given)

    def with_cache(self, maxsize: int | None, typed: bool) -> PythonFunction:
        """The function with a cache around it. The cache is empty at first, and all callers share it."""
        return replace(self, cache=Cache(self, maxsize, typed))

    def span(self, node: ast.AST) -> Span:
        """Where `node` of the tree stands in the file. Nodes without position get the name of the function."""
        at: Any = node
        line: int | None = getattr(node, "lineno", None)
        if line is None:
            return self.header
        end_line = at.end_lineno + self.line_offset
        line += self.line_offset
        col, end_col = at.col_offset, at.end_col_offset
        if not self.source.text.isascii():
            col, end_col = self._column(line, col), self._column(end_line, end_col)
        return Span(self.source, line, col, end_line, end_col, self.name)

    def _column(self, line: int, byte: int) -> int:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return byte if text.isascii() else len(text.encode()[:byte].decode(errors="replace"))

    @property
    def header(self) -> Span:
        """The name in the ``def`` line."""
        line = self.tree.lineno + self.line_offset
        col = self.tree.col_offset
        if line <= len(self.lines):
            found = self.lines[line - 1].find(self.name, col + 4)
            col = found if found >= 0 else col
        return Span(self.source, line, col, line, col + len(self.name), self.name)

    @property
    def has_walrus(self) -> bool:
        """Whether ``:=`` may occur in it."""
        return self.mentions(":=")

    def mentions(self, text: str) -> bool:
        """Whether a string occurs in its source."""
        first, last = self.tree.lineno + self.line_offset - 1, (self.tree.end_lineno or 0) + self.line_offset
        return any(text in line for line in self.lines[first:last])

    @property
    def doc(self) -> str:
        """The docstring, cleaned; empty when there is none."""
        return ast.get_docstring(self.tree) or ""

    @property
    def written(self) -> PythonFunction:
        """The function as it is written: another one than this if this is vectorized."""
        return self if self.elements is None else self.elements.written

    def is_cached(self) -> bool:
        """Whether `functools.lru_cache` or `cache` is around it, so that its name stands for the cache."""
        return any(cache_of(self.environment, d) is not None for d in self.tree.decorator_list)

    def is_typed(self) -> bool:
        """Whether it distinguishes a float argument that was given as an int: its cache does."""
        return self.cache is not None and self.cache.typed

    @staticmethod
    def from_program(name: str, stored: Stored) -> PythonFunction:
        """The function of a program, without source.

        Args:
            name: Its name.
            stored: What is there of it.
        """
        source = SourceFile(f"<{name}>", f"def {name}({written(stored.params)}): ...\n")
        tree = parse(source.text).body[0]
        assert isinstance(tree, ast.FunctionDef)
        return PythonFunction(name, name, tree, source, source.text.splitlines(True), 0, _Nothing(), stored=stored)

    @staticmethod
    def from_callable(fn: Callable[..., Any], text: str | None = None) -> PythonFunction:
        """The function behind a function object.

        Args:
            fn: The function object.
            text: The text of its file, if Python does not know it (`exec`).

        Raises:
            CompileError: It is no Python function (TS503), a lambda (TS502), a generator or coroutine (TS106), or its
                source is missing or has changed (TS501, TS507, TS504; also an `OSError`).
        """
        made = fn if isinstance(fn, PythonFunction) else getattr(fn, "__tscript_function__", None)
        if isinstance(made, PythonFunction) and made.callable is None:  # a placeholder of one read from a text
            return made
        if not isinstance(fn, types.FunctionType):
            raise compile_error([errors.NotAFunction(_nowhere(), _describe(fn))])
        code = fn.__code__
        at = Span(SourceFile(code.co_filename), code.co_firstlineno, 0, code.co_firstlineno, 0, fn.__name__)
        raw = lines_of(fn, text)
        if not 0 < code.co_firstlineno <= len(raw):
            if code.co_name == "<lambda>":
                raise compile_error([errors.LambdaFunction(at)])
            missing = errors.SourceNotInstalled if _is_installed_without_source(fn) else errors.SourceMissing
            raise compile_error([missing(at, fn.__name__, code.co_filename)])
        source = SourceFile(code.co_filename, "".join(raw))
        first = raw[code.co_firstlineno - 1].rstrip("\n")
        at = Span(source, at.line, len(first) - len(first.lstrip()), at.line, len(first), fn.__name__)
        if code.co_name == "<lambda>":
            raise compile_error([errors.LambdaFunction(at)])
        what = _not_plain(code)
        if what:
            raise compile_error([errors.UnsupportedFunction(at, fn.__name__, what)])
        tree = _parse_definition(raw, code)
        if tree is None or tree.name != code.co_name:
            raise compile_error([errors.SourceChanged(at, fn.__name__)])
        offset = code.co_firstlineno - (2 if _indent(first) else 1)
        annotate(tree, raw, offset)
        mangle_function(tree, fn.__qualname__, source.text)
        environment = ObjectEnvironment(fn)
        replace_index_values(tree, source.text, lambda name: _is_builtin(environment, name))
        return PythonFunction(
            fn.__name__,
            fn.__qualname__,
            tree,
            source,
            raw,
            offset,
            environment,
            fn,
            fn.__annotations__,
        )


def _is_builtin(environment: Environment, name: str) -> bool:
    """Whether a name means the builtin where a function stands."""
    try:
        return environment.lookup(name) is getattr(builtins, name)
    except KeyError:
        return False


@dataclass(frozen=True, slots=True)
class FunctionSymbol(Symbol):
    """A function to compile and call."""

    function: PythonFunction


ELEMENTS = "<elements>"
"""What a vectorized function calls with its arguments."""


@dataclass(frozen=True, eq=False, slots=True)
class Elements:
    """A function of numbers that is called for each element of arrays: ``@tscript.vectorize``.

    Attributes:
        body: The function, without annotations: an element of an array is a NumPy scalar.
        written: The function as it is written. Its annotations say to which dtypes arguments and results are converted.
        signatures: The dtypes of the result and of the arguments, in each form that it has; empty: those of the call.
    """

    body: PythonFunction
    written: PythonFunction
    signatures: tuple[tuple[DType, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class VectorizedSymbol(Symbol):
    """A vectorized function, or a method of it: ``f``, ``f.reduce``.

    Attributes:
        elements: What it does with each element.
        method: The name of the method; empty for the function.
    """

    elements: Elements
    method: str = ""


@dataclass(frozen=True, slots=True)
class IgnoredSymbol(Symbol):
    """A function that stays in Python, ``@tscript.ignore``: called with values as its annotations say."""

    function: PythonFunction


@dataclass(frozen=True, eq=False, slots=True)
class Cache:
    """A cache that compiled code keeps for a function.

    Attributes:
        body: The function without it.
        maxsize: The maximum number of entries; None: no limit.
        typed: Whether arguments of different types are different.
        held: The entries, by arguments.
        state: Its state; see `tscript.operators.python.caches`.
        python: Python's own cache, which other callers use; None if there is none.
        is_in_front: Whether a miss calls Python's cache instead of the body. Then only Python's cache keeps entries in
            order of use, or entries that threads cannot share.
    """

    body: PythonFunction
    maxsize: int | None
    typed: bool
    held: Shared = field(default_factory=Shared)
    state: Shared = field(default_factory=Shared)
    python: Any = None
    is_in_front: bool = False


def cache_of(environment: Environment, decorator: ast.expr) -> object:
    """`functools.lru_cache` or `functools.cache` where a decorator is one of them; else None."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    try:
        found = environment.lookup(node.value.id if isinstance(node, ast.Attribute) else name)  # type: ignore[attr-defined]
    except (AttributeError, KeyError):
        return None
    found = getattr(found, name, None) if isinstance(node, ast.Attribute) else found
    return found if found is functools.lru_cache or found is functools.cache else None


def cached_function(value: Any) -> types.FunctionType | None:
    """The function inside a `functools.lru_cache`, below other decorators; None if there is none."""
    inner = inspect.unwrap(value)
    return inner if isinstance(inner, types.FunctionType) else None


def is_cache_around(value: Any, function: PythonFunction) -> bool:
    """Whether an object is a cache around a function: Python's, or one of compiled code."""
    if type(value) is LRU_CACHE:
        return cached_function(value) is function.callable
    made = value if isinstance(value, PythonFunction) else getattr(value, "__tscript_function__", None)
    return isinstance(made, PythonFunction) and made.cache is not None and made.cache.body.tree is function.tree


def _is_installed_without_source(fn: types.FunctionType) -> bool:
    """Whether a function stands in a module whose source file does not exist: it runs from bytecode."""
    file = fn.__code__.co_filename
    return "__file__" in fn.__globals__ and not file.startswith("<") and not os.path.exists(file)


def _parse_definition(lines: list[str], code: types.CodeType) -> ast.FunctionDef | None:
    """The definition that `code` was compiled from.

    An indented definition is parsed inside ``if True:``, so that columns stay those of the file and multi-line strings
    stay unchanged.
    """
    start = code.co_firstlineno - 1
    indent = _indent(lines[start])
    prefix = "if True:\n" if indent else ""
    end = max([start + 1, *(line for _, _, line in code.co_lines() if line is not None)])
    while end < len(lines) and not _ends_block(lines[end], indent):
        end += 1
    tree: ast.Module | None = None
    try:
        tree = parse(prefix + "".join(lines[start:end]))
    except SyntaxError:  # a multi-line string that begins further left
        try:
            tree = parse(prefix + "".join(inspect.getblock(lines[start:])))
        except (SyntaxError, IndentationError):
            return None
    body = tree.body
    if prefix:
        body = body[0].body if isinstance(body[0], ast.If) else []
    return body[0] if body and isinstance(body[0], ast.FunctionDef) else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t\f"))


def _ends_block(line: str, indent: int) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith(("#", ")", "]", "}")) and _indent(line) <= indent


def _not_plain(code: types.CodeType) -> str:
    flags = code.co_flags
    if flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return "a coroutine"
    return "a generator" if flags & inspect.CO_GENERATOR else ""


def _describe(value: object) -> str:
    match value:
        case type():
            return f"the class {value.__name__}"
        case types.BuiltinFunctionType():
            return f"the builtin {value.__name__}"
        case types.MethodType():
            return f"the bound method {value.__name__}"
    return f"a value of type {type(value).__name__}"


def _nowhere() -> Span:
    return Span(SourceFile("<call>"), 1, 0, 1, 0)


def may_come(name: str, span: Span) -> bool:
    """Whether an undefined name may be defined after its module has run: the file binds it at top level or in an
    enclosing function, or the source is a notebook cell."""
    source = span.source
    if source.name.startswith("<") or not os.path.isfile(source.name):
        return True
    try:
        tree = parse(source.text)
    except SyntaxError:
        return True
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                if node.name == name:
                    return True
                last = node.end_lineno or node.lineno
                around = isinstance(node, ast.ClassDef) is False and node.lineno < span.line <= last
                inner = [n for n in ast.walk(node) if isinstance(n, ast.Global) and name in n.names]
                if inner:
                    return True
                if around:
                    pending += node.body
                continue
            case ast.Name(id=found, ctx=ast.Store()) if found == name:
                return True
            case ast.alias(name=path, asname=written):
                if path == "*" or (written or path.partition(".")[0]) == name:
                    return True
            case ast.ExceptHandler(name=found) | ast.MatchAs(name=found) | ast.MatchStar(name=found) if found == name:
                return True
        pending += ast.iter_child_nodes(node)
    return False
