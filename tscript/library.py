"""Operators of your own, used eagerly, in scripts and in archives like those that are built in.

There are three kinds. `custom_op` makes one of a plain Python function, which compiled code calls with the GIL.
`script_op` makes one of a function in the language: it is compiled, inlined and fused. `native_op` makes one of a C
function, which compiled code calls directly, without the GIL (``tscript_ops.h`` in `get_include`). All are called as
``tscript.ops.mylib.name(…)``, in Python and in scripts, and by the name that the decorator leaves behind.

Example:
    >>> import tscript
    >>> from tscript import Tensor
    >>> @tscript.library.script_op("docs::cube")
    ... def cube(x: Tensor) -> Tensor:
    ...     return x * x * x
    >>> tscript.ops.docs.cube(tscript.tensor([2.0]))
    tensor([8.])
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tscript.abi.places import FOLDER
from tscript.definitions.custom import SchemaError
from tscript.definitions.opdef import OperatorLibrary
from tscript.runtime.session.custom_ops import RedefinitionError
from tscript.runtime.session.plugins import OperatorLibraryError, load_operator_library, operator_libraries
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once

if TYPE_CHECKING:
    from tscript.abi.places import FOLDER
from tscript.definitions.custom import Fake

F = TypeVar("F", bound=Callable[..., Any])


class Library:
    """A namespace of operators, and what an archive says when they are missing.

    Args:
        namespace: ``mylib``.
        install: How to get the library, said when an archive needs it and it is not there: ``pip install mylib``.

    Raises:
        SchemaError: The name cannot be a namespace.

    Example:
        >>> lib = Library("geometry", install="pip install geometry-ops")
        >>> @lib.custom_op("norm", schema="(Tensor x) -> float")
        ... def norm(x):
        ...     return float((x * x).sum()) ** 0.5
        >>> norm(tscript.tensor([3.0, 4.0]))
        5.0
    """

    def __init__(self, namespace: str, *, install: str = "") -> None:
        if not isinstance(namespace, str) or not namespace.isidentifier() or not namespace.isascii():
            raise SchemaError(f"a namespace is an identifier, not {namespace!r}")
        current().operators.namespace(namespace)
        self.namespace = namespace
        self.install = install

    @overload
    def custom_op(self, name: str, function: None = None, /, **options: Any) -> Callable[[F], F]: ...
    @overload
    def custom_op(self, name: str, function: F, /, **options: Any) -> F: ...
    def custom_op(self, name: str, function: Any = None, /, **options: Any) -> Any:
        """`tscript.library.custom_op` for an operator of this namespace."""
        return _python(self._origin(function), self._qualified(name), function, options)

    @overload
    def script_op(self, name: str, function: None = None, /, **options: Any) -> Callable[[F], F]: ...
    @overload
    def script_op(self, name: str, function: F, /, **options: Any) -> F: ...
    def script_op(self, name: str, function: Any = None, /, **options: Any) -> Any:
        """`tscript.library.script_op` for an operator of this namespace."""
        return _scripted(self._origin(function), self._qualified(name), function, options)

    def native_op(self, name: str, schema: str, function: object, /, **options: Any) -> Any:
        """`tscript.library.native_op` for an operator of this namespace."""
        log_api_usage_once("tscript.library.native_op")
        return current().operators.native(
            self._qualified(name), schema, function, self._origin(None)(None), **_options(options)
        )

    def register_fake(self, name: str, fake: Fake | None = None) -> Any:
        """`tscript.library.register_fake` for an operator of this namespace."""
        return register_fake(self._qualified(name), fake)

    def __repr__(self) -> str:
        return f"Library({self.namespace!r})"

    def _qualified(self, name: str) -> str:
        if not isinstance(name, str) or "::" in name:
            raise SchemaError(f"operators of the library {self.namespace} are named without namespace, not {name!r}")
        return f"{self.namespace}::{name}"

    def _origin(self, function: object) -> Origin:
        caller = _caller()
        return lambda found: OperatorLibrary(self.namespace, _module_of(found, caller), self.install)


Origin = Callable[[object], OperatorLibrary]


def _caller() -> str:
    """The module that called the public function."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back  # type: ignore[assignment]
    return str(frame.f_globals.get("__name__", "")) if frame is not None else ""


def _origin_of(name: object) -> Origin:
    caller = _caller()
    namespace = str(name).partition("::")[0]
    return lambda found: OperatorLibrary(namespace, _module_of(found, caller))


def _module_of(function: object, caller: str) -> str:
    """The module to import for an operator; empty for a program's own file, which nobody can import by this name."""
    found = str(getattr(function, "__module__", None) or caller)
    return "" if found == "__main__" else found


_RENAMED = {"mutates_args": "mutates", "result_like": "like"}
_KNOWN = frozenset({"schema", "mutates_args", "result_like", "side_effects", "releases_gil"})


def _options(given: dict[str, Any]) -> dict[str, Any]:
    for key, value in given.items():
        if key not in _KNOWN:
            raise TypeError(f"there is no option '{key}', only {', '.join(sorted(_KNOWN))}")
        if key == "mutates_args" and (isinstance(value, str) or not isinstance(value, Sequence | set | frozenset)):
            raise TypeError(f"mutates_args is a tuple of parameter names, not {value!r}")
    return {_RENAMED.get(key, key): value for key, value in given.items()}


def _python(origin: Origin, name: str, function: Callable[..., Any] | None, options: dict[str, Any]) -> Any:
    log_api_usage_once("tscript.library.custom_op")
    renamed = _options(options)

    def define(found: Callable[..., Any]) -> Any:
        return current().operators.python(name, found, origin(found), **renamed)

    return define if function is None else define(function)


def _scripted(origin: Origin, name: str, function: Callable[..., Any] | None, options: dict[str, Any]) -> Any:
    log_api_usage_once("tscript.library.script_op")
    renamed = _options(options)

    def define(found: Callable[..., Any]) -> Any:
        return current().operators.scripted(name, found, origin(found), **renamed)

    return define if function is None else define(function)


@overload
def custom_op(
    name: str,
    function: None = None,
    /,
    *,
    mutates_args: Sequence[str] = (),
    schema: str | None = None,
    result_like: str | None = None,
    side_effects: bool = False,
) -> Callable[[F], F]: ...
@overload
def custom_op(
    name: str,
    function: F,
    /,
    *,
    mutates_args: Sequence[str] = (),
    schema: str | None = None,
    result_like: str | None = None,
    side_effects: bool = False,
) -> F: ...
def custom_op(
    name: str,
    function: Any = None,
    /,
    *,
    mutates_args: Sequence[str] = (),
    schema: str | None = None,
    result_like: str | None = None,
    side_effects: bool = False,
) -> Any:
    """Make an operator of a plain Python function. As a decorator, or called with the function.

    Compiled code calls it with the GIL. It is given tensors, numbers, texts, dtypes and tuples as its schema says, and
    what it returns is checked. What it raises goes through scripted code, whose lines are in the traceback.

    Args:
        name: ``mylib::name``; an overload is written ``mylib::name.overload``.
        function: The function.
        mutates_args: Names of the tensor parameters that it writes to. Nothing else may be written to.
        schema: ``(Tensor x, float by=1.0) -> Tensor``; left out, the annotations say it.
        result_like: Name of a tensor parameter whose dtype and rank the result has. Without it, and without
            `register_fake`, they are not known to the compiler, and operators behind it are dispatched at run time.
        side_effects: Whether it does anything else (writes files, draws random numbers). Without, equal calls may be
            merged; a call is never left out, since it may raise.

    Returns:
        The operator: callable, with `schema` and `register_fake`.

    Raises:
        SchemaError: The name or the schema is not valid; also a `ValueError`.
        RedefinitionError: There is such an operator already; also a `ValueError`.
        TypeError: `function` cannot be called.

    Example:
        >>> @tscript.library.custom_op("docs::sorted", result_like="x")
        ... def sort(x: tscript.Tensor) -> tscript.Tensor:
        ...     return tscript.tensor(sorted(x.tolist()))
        >>> sort(tscript.tensor([3.0, 1.0]))
        tensor([1., 3.])
    """
    options = {"mutates_args": mutates_args, "schema": schema, "result_like": result_like, "side_effects": side_effects}
    return _python(_origin_of(name), name, function, options)


@overload
def script_op(name: str, function: None = None, /, *, mutates_args: Sequence[str] = ()) -> Callable[[F], F]: ...
@overload
def script_op(name: str, function: F, /, *, mutates_args: Sequence[str] = ()) -> F: ...
def script_op(name: str, function: Any = None, /, *, mutates_args: Sequence[str] = ()) -> Any:
    """Make an operator of a function in the language. As a decorator, or called with the function.

    Where it is used its body is inlined and fused with what is around it. Archives hold the body and do not need the
    library.

    Args:
        name: ``mylib::name``.
        function: The body; its annotations are the schema. It is checked at once.
        mutates_args: Names of the tensor parameters that it writes to.

    Raises:
        CompileError: The body cannot be compiled.
        SchemaError, RedefinitionError: As `custom_op`.

    Example:
        >>> @tscript.library.script_op("docs::gelu_like")
        ... def gelu_like(x: tscript.Tensor, slope: float = 1.702) -> tscript.Tensor:
        ...     return x * tscript.sigmoid(x * slope)
        >>> gelu_like(tscript.tensor([0.0]))
        tensor([0.])
    """
    return _scripted(_origin_of(name), name, function, {"mutates_args": mutates_args})


def native_op(
    name: str,
    schema: str,
    function: object,
    /,
    *,
    mutates_args: Sequence[str] = (),
    result_like: str | None = None,
    side_effects: bool = False,
    releases_gil: bool = True,
) -> Any:
    """Make an operator of a C function in the convention of ``tscript_ops.h`` (see `get_include`).

    Compiled code calls it directly, without the GIL. Its library stays loaded as long as the process.

    Args:
        name: ``mylib::name``.
        schema: ``(Tensor x, float by=1.0) -> Tensor``.
        function: The address, or a function pointer of `ctypes`: of a library that was loaded, or a callback.
        mutates_args, result_like, side_effects: As `custom_op`.
        releases_gil: Release the GIL before. False saves about 50 ns where the function is short; it must not use
            Python in either case.

    Raises:
        ValueError: The pointer is null.
        TypeError: `function` is no pointer.
        SchemaError, RedefinitionError: As `custom_op`.
    """
    log_api_usage_once("tscript.library.native_op")
    options = {"mutates_args": mutates_args, "result_like": result_like, "side_effects": side_effects}
    library = _origin_of(name)(None)
    return current().operators.native(name, schema, function, library, releases_gil=releases_gil, **_options(options))


def register_fake(name: str, fake: Fake | None = None, /) -> Any:
    """Say what dtype and rank the result of a custom operator has. As a decorator, or called with the function.

    `fake` is called when programs are compiled, with one argument per parameter: a tensor's type (`dtype` and `rank`,
    each None while it is not known), the value of anything else that is known, else its type. It returns the type of
    the result, a tuple of them, or None: not known. It may raise to refuse its arguments.

    Args:
        name: ``mylib::name``, with its overload.
        fake: The function.

    Raises:
        KeyError: There is no such operator.
        RuntimeError: It has been used already, or its result is declared.

    Example:
        >>> from tscript.types import TensorType
        >>> @tscript.library.custom_op("docs::outer")
        ... def outer(x: tscript.Tensor, y: tscript.Tensor) -> tscript.Tensor:
        ...     return x.reshape(-1, 1) * y
        >>> @tscript.library.register_fake("docs::outer")
        ... def _(x, y):
        ...     return TensorType(x.dtype, 2)
        >>> outer(tscript.tensor([1.0, 2.0]), tscript.tensor([3.0]))
        tensor([[3.],
                [6.]])
    """

    def register(found: Fake) -> Fake:
        current().operators.register_fake(name, found)
        return found

    return register if fake is None else register(fake)


def get_include() -> str:
    """The folder of the C headers (``tscript_ops.h``, ``tscript_callbacks.h``), for ``cc -I``.

    Example:
        >>> import os, tscript
        >>> sorted(os.listdir(tscript.get_include()))
        ['tscript_callbacks.h', 'tscript_ops.h']
    """
    return str(Path(FOLDER).resolve() / "include")


__all__ = [
    "Library",
    "OperatorLibraryError",
    "RedefinitionError",
    "SchemaError",
    "custom_op",
    "get_include",
    "load_operator_library",
    "native_op",
    "operator_libraries",
    "register_fake",
    "script_op",
]
