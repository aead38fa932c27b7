"""Libraries: imported modules that are not meant to be compiled. Each use is one error at its place in the program.

`refused` tests whether a Python object belongs to a library for a function that uses it. Modules of the standard
library and installed modules are libraries for all modules but themselves; their scripted functions can be called.
`instead` is the help for frequent names of libraries.
"""

from __future__ import annotations

import ast
import sys
import types
from contextlib import suppress
from pathlib import Path

from tscript.definitions.table import OperatorTable
from tscript.diagnostics import CompileError
from tscript.frontend.diagnostics import elsewhere
from tscript.frontend.source import numpy_names
from tscript.frontend.source.classes import ClassSymbol
from tscript.frontend.source.functions import Environment, PythonFunction
from tscript.frontend.source.marks import mark_of
from tscript.frontend.source.modules import ROOTS
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import ImportedSymbol, UnknownSymbol
from tscript.frontend.source.written_library import HANDLED, WRITTEN

_IGNORE = "call it in a function marked @tscript.ignore, which stays in Python"
OUTSIDE = f"pass its result as an argument, or {_IGNORE}"
_FILES = f"read and write files outside, and pass their content; or {_IGNORE}"

INSTEAD: dict[str, str] = {
    "collections": "write it with list, dict and set",
    "collections.Counter": "count in a dict: d[x] = d.get(x, 0) + 1",
    "collections.defaultdict": "use a dict: d[k] = d.get(k, 0) + 1, or d.setdefault(k, []).append(x)",
    "collections.deque": "use a list: xs.append(x), xs.insert(0, x), xs.pop(0)",
    "copy": "copy a list with list(xs), a dict with dict(d), a tensor with x.clone()",
    "datetime": f"pass dates and times as numbers or strings, or {_IGNORE}",
    "functools.partial": "write a lambda, or a function inside the function",
    "functools.reduce": "write the loop",
    "heapq.merge": "join the lists and sort them",
    "itertools": "write the loops",
    "json": f"pass the parsed data as dicts and lists of one type, or {_IGNORE}",
    "logging": "use print, or return the message",
    "numpy.append": "make the array with its final size and fill it, or append to a list",
    **{f"numpy.uint{n}": "use np.int64; unsigned integers have 8 bits here" for n in (16, 32, 64)},
    **{f"numpy.{name}": "use np.float32 or np.float64" for name in ("float16", "half", "longdouble", "float128")},
    **{f"numpy.complex{n}": "keep the real and the imaginary parts in arrays of floats" for n in (64, 128)},
    "numpy.random": "use np.random.default_rng(seed) and the methods of generators",
    **elsewhere.LIBRARY,
    "operator": "write a lambda: lambda a, b: a + b",
    "os.path.join": "join strings: f'{folder}/{name}'",
    "os": _FILES,
    "pandas": "pass columns as arrays, frame['x'].to_numpy(), or as lists",
    "pathlib": f"pass paths as strings; {_FILES}",
    "pickle": _FILES,
    "random": f"pass random numbers as arguments, as a list or a tensor; or {_IGNORE}",
    "re": f"use the methods of str (find, split, replace, startswith ...), or {_IGNORE}",
    "statistics.mean": "write sum(xs) / len(xs)",
    "statistics.fmean": "write sum(xs) / len(xs)",
    "statistics": f"write it with 'sum', 'len' and 'sorted', or {_IGNORE}",
    "sys": "print writes to sys.stdout; pass anything else as an argument",
    "string": "write the constant as a literal",
    "time": f"measure time outside of the function, or {_IGNORE}",
}
"""The help by dotted name; that of a module applies to everything in it."""


_KNOWN = frozenset({"matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn"})
"""Libraries that are recognised by name in files that are not run, too."""


def instead(path: str, table: OperatorTable) -> str:
    """The help for a dotted name of a library."""
    root, _, rest = path.partition(".")
    name = rest.rpartition(".")[2]
    prefix = path
    while prefix and prefix not in INSTEAD:
        prefix = prefix.rpartition(".")[0]
    if prefix:
        return INSTEAD[prefix]
    if root == "numpy":
        if name in table.functions:
            return f"use 'tscript.{name}', which takes arrays as tensors; or {_IGNORE}"
        return OUTSIDE
    if root in sys.stdlib_module_names:
        return OUTSIDE
    return f"{OUTSIDE}; if the library is your own, decorate the function with @tscript.script"


def is_library(module: str) -> bool:
    """Whether a module, by its dotted name, belongs to Python or is installed."""
    root = module.partition(".")[0]
    if root in ROOTS or root == "__main__":
        return False
    if root in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def refused(value: object, function: PythonFunction, resolver: Resolver, path: str = "") -> UnknownSymbol | None:
    """Why a function cannot use a Python object of a library; None if it can, or if the object belongs to no library.

    Args:
        value: The object.
        function: Uses it.
        resolver: Says what objects mean.
        path: The object's dotted name; its own when left out.
    """
    if isinstance(value, ImportedSymbol):
        named = path or value.path
        known = named.partition(".")[0]
        if known in sys.stdlib_module_names or known in _KNOWN:
            return UnknownSymbol(value.what, instead(named, resolver.table))
        return UnknownSymbol(value.what, value.instead)
    if path.startswith("numpy.") or numpy_names.path_of(value) is not None:
        return None
    if isinstance(value, types.ModuleType | int | float | str | tuple | list | dict | set | None):
        return None
    kind = value if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type) else type(value)
    module = (value.__module__ if isinstance(value, types.FunctionType | type) else None) or path.rpartition(".")[0]
    module = module or getattr(value, "__module__", None) or kind.__module__ or ""
    if not is_library(module) or hasattr(value, "__tscript_function__"):
        return None
    user = getattr(function.callable, "__module__", None) or ""
    if user.partition(".")[0] == module.partition(".")[0]:
        return None
    named = path or f"{module}.{getattr(value, '__name__', kind.__name__)}"
    library = named.partition(".")[0]
    if isinstance(value, types.FunctionType):
        if mark_of(value) or value in WRITTEN or value in HANDLED:
            return None
        return UnknownSymbol(f"a function of the library '{library}'", instead(named, resolver.table))
    try:
        symbol = resolver.symbol(value)
    except CompileError:
        symbol = UnknownSymbol("", "")
    if not isinstance(symbol, UnknownSymbol | ClassSymbol):
        return None
    what = "class" if isinstance(value, type) else "function" if callable(value) else "value"
    return UnknownSymbol(f"a {what} of the library '{library}'", instead(named, resolver.table))


def dotted(node: ast.expr, environment: Environment) -> tuple[object, str]:
    """The object of a dotted name, and its dotted name with the real names of modules; raises KeyError. Names after an
    object that is not a module are ignored.
    """
    match node:
        case ast.Name(id=name):
            found = environment.lookup(name)
            return found, found.__name__ if isinstance(found, types.ModuleType) else ""
        case ast.Attribute(value=value, attr=name):
            owner, path = dotted(value, environment)
            if isinstance(owner, ImportedSymbol):
                return owner, f"{path or owner.path}.{name}"
            if isinstance(owner, types.ModuleType) and (name in vars(owner) or is_library(owner.__name__)):
                with suppress(AttributeError):
                    return getattr(owner, name), f"{path}.{name}"
    raise KeyError(ast.unparse(node))


def at(function: PythonFunction, node: ast.expr, resolver: Resolver) -> UnknownSymbol | None:
    """See `refused`: what a name or dotted name in a function, which is none of its local names, stands for."""
    try:
        found, path = dotted(node, function.environment)
    except KeyError:
        return None
    return refused(found, function, resolver, path)
