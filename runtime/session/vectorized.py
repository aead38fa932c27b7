"""`Vectorized`: what ``@tscript.vectorize`` makes, a ufunc of a function of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tscript.diagnostics import CompileError
from tscript.runtime.session.scripted import Scripted, ScriptFunctions, scripted_of
from tscript.runtime.values.elementwise import Elementwise
from tscript.types import dtype_of

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction
    from tscript.ir.graph import Program
    from tscript.types import DType, Type


def _dtype(type: Type) -> DType | None:
    """The dtype of an array or a number."""
    found = getattr(type, "dtype", None)
    return dtype_of(type) if found is None else found


def _code(dtype: DType) -> str:
    """NumPy's character of a dtype."""
    return np.dtype(dtype.name).char


class Vectorized:
    """A function of numbers that is called for each element of arrays, with NumPy's broadcasting.

    It is called with arrays, NumPy scalars, numbers, lists of these, and tensors, and compiled for each combination of
    their types. The result is an array, or a NumPy scalar where no argument has dimensions; a tensor where an argument
    is one. Scripted functions call it as any other function.

    Attributes:
        nin, nout, nargs: The numbers of arguments, of results, and of both.
        identity: What `reduce` begins with; None, so it needs an element or `initial`.
        signature: None: it takes elements.

    Args:
        source: The function, vectorized.
        owner: The scripted functions of the process.
        tensor: The tensor type.
        over: Makes a tensor over an array.
        is_deferred: Whether it is checked at its first call.
    """

    def __init__(
        self,
        source: PythonFunction,
        owner: ScriptFunctions,
        tensor: type,
        over: Callable[[Any], Any],
        is_deferred: bool = False,
    ) -> None:
        assert source.elements is not None
        function: Any = source.callable
        self._elements = source.elements
        self._owner = owner
        self._tensor = tensor
        self._over = over
        self._is_deferred = is_deferred
        self._python = Elementwise(function, function.__annotations__)
        self._functions: dict[tuple[object, ...], Any] = {}
        self._call = self._made(source, self._python)
        self.nin = len(source.tree.args.args)
        self.nout = 1
        self.nargs = self.nin + 1
        self.identity = None
        self.signature = None
        self.__name__: str = function.__name__
        self.__qualname__: str = function.__qualname__
        self.__module__: str = function.__module__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    @property
    def _scripted(self) -> Scripted:
        return scripted_of(self._call)

    @property
    def __tscript_function__(self) -> PythonFunction:
        source = self._scripted.source
        assert source is not None
        return source

    @property
    def signatures(self) -> tuple[tuple[DType, ...], ...]:
        """The dtypes of the result and of the arguments that were declared for it."""
        return self._elements.signatures

    @property
    def types(self) -> list[str]:
        """The dtypes of arguments and result (``["dd->d"]``): those declared, then those of calls."""
        found = ["".join(map(_code, s[1:])) + "->" + _code(s[0]) for s in self.signatures]
        for version in list(self._scripted.versions or ()):
            with suppress(CompileError):
                entry = version.program.entry
                given = [d for d in (_dtype(p.type) for p in entry.params) if d is not None]
                result = _dtype(entry.result)
                if result is not None and len(given) == self.nin:
                    found.append("".join(map(_code, given)) + "->" + _code(result))
        return list(dict.fromkeys(found))

    def _made(self, source: PythonFunction, python: Callable[..., Any]) -> Any:
        scripted = Scripted(self._owner, source.name, source)
        if self._is_deferred:
            scripted.is_deferred = True
        return self._owner.function(scripted, source.callable, python)

    def __call__(self, *args: Any, out: Any = None, where: Any = True) -> Any:
        """The function of each element.

        Args:
            args: Arrays, tensors, NumPy scalars or numbers, which are broadcast.
            out: The array or tensor for the result, also as a tuple of one. Its dtype is of the same kind, or wider.
            where: A mask: only where it holds, the function is called. Other elements of `out` stay what they are;
                without `out` they are 0.
        """
        tensor = self._tensor
        for x in args:
            if type(x) is tensor:
                return self._of_tensors(args, out, where)
        if out is None and where is True:
            return self._call(*args)
        return self._with(args, out[0] if type(out) is tuple else out, where)

    def reduce(
        self,
        a: Any,
        axis: int | tuple[int, ...] | None = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """The function of what was reduced so far and the next element, along axes.

        Args:
            a: An array.
            axis: The axis, several, or None for all.
            dtype: That of the result.
            out: The array for the result.
            keepdims: Whether reduced dimensions stay, of size 1.
            initial: What to begin with; the first element if it is left out.
            where: A mask of the elements that count; it needs `initial`.

        Raises:
            ValueError: There are no elements, and no `initial`.
        """
        keywords: dict[str, object] = {"axis": axis, "keepdims": bool(keepdims)}
        given = {"initial": initial, "out": out}
        return self._reduced("reduce", a, keywords, dtype, given, where)

    def accumulate(self, a: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """What `reduce` has after each element along an axis."""
        return self._reduced("accumulate", a, {"axis": axis}, dtype, {"out": out}, True)

    def outer(self, a: Any, b: Any, *, out: Any = None, where: Any = True) -> Any:
        """The function of each pair of elements: ``f.outer(a, b)[i, j] == f(a[i], b[j])``."""
        return self._method("outer", (a, b), {}, {"out": out} if where is True else {"out": out, "where": where})

    def at(self, a: Any, indices: Any, *b: Any) -> None:
        """``a[indices] = f(a[indices], b)`` for one index after the other, so repeated ones count each time."""
        places = indices if type(indices) is tuple else (indices,)
        self._method(
            "at", (a, *places, *b), {}, {}, ["x", *(f"index{i}" for i in range(len(places))), *("y" for _ in b)]
        )

    def _reduced(
        self, method: str, a: Any, keywords: dict[str, object], dtype: Any, given: dict[str, Any], where: Any
    ) -> Any:
        if dtype is not None:
            keywords["dtype"] = np.dtype(dtype).name
        if where is not True:
            given["where"] = where
        return self._method(method, (a,), keywords, given)

    def _method(
        self,
        method: str,
        args: Sequence[Any],
        keywords: dict[str, object],
        given: dict[str, Any],
        names: Sequence[str] = ("x0", "x1"),
    ) -> Any:
        """Call a method, with arguments that are constants, and others by name unless they are None."""
        if any(type(x) is self._tensor for x in (*args, *given.values())):
            out = given.get("out")
            arrays = {name: self._array(x) for name, x in given.items()}
            found = self._method(method, [self._array(x) for x in args], keywords, arrays, names)
            return out if out is not None or found is None else self._over(np.asarray(found))
        given = {name: x for name, x in given.items() if x is not None}
        if type(given.get("out")) is tuple:
            (given["out"],) = given["out"]
        count, more = len(args), list(given)

        def python(*values: Any) -> Any:
            known = dict(zip(more, values[count:], strict=True))
            places = [x for x, name in zip(values, names, strict=False) if name.startswith("index")]
            if places:
                return self._python.at(values[0], tuple(places), *values[len(places) + 1 :])
            return getattr(self._python, method)(*values[:count], **keywords, **known)

        return self._function(method, [*names[:count], *more], keywords, python)(*args, *given.values())

    def graph_for(self, *args: Any) -> Program:
        """The optimised IR for a call with these arguments; nothing runs."""
        return cast("Program", self._call.graph_for(*args))

    def llvm_for(self, *args: Any) -> str:
        """The LLVM text for a call with these arguments, before LLVM's own optimisation."""
        return str(self._call.llvm_for(*args))

    def asm_for(self, *args: Any) -> str:
        """The assembly for a call with these arguments."""
        return str(self._call.asm_for(*args))

    def compile_for(self, *types: Type | str) -> None:
        """Compile ahead for argument types: ``f.compile_for("ndarray[float64, 1]", "float")``.

        Raises:
            CompileError: The function does not take them.
        """
        self._call.compile_for(*types)

    def _with(self, args: Sequence[Any], out: Any, where: Any) -> Any:
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, {len(args)} given")
        given = {} if out is None else {"out": out}
        if where is not True:
            given["where"] = where
        more = list(given)

        def python(*values: Any) -> Any:
            return self._python(*values[: self.nin], **dict(zip(more, values[self.nin :], strict=True)))

        return self._function("", [*self._names, *more], {}, python)(*args, *given.values())

    def _of_tensors(self, args: Sequence[Any], out: Any, where: Any) -> Any:
        """The same of tensors, as arrays over their memory."""
        result = out[0] if type(out) is tuple else out
        found = self(*map(self._array, args), out=self._array(result), where=self._array(where))
        if result is not None:
            return result
        return self._over(np.asarray(found))

    def _array(self, value: Any) -> Any:
        return np.asarray(value) if type(value) is self._tensor else value

    @property
    def _names(self) -> list[str]:
        return [f"x{i}" for i in range(self.nin)]

    def _function(
        self, method: str, names: Sequence[str], keywords: dict[str, object], python: Callable[..., Any]
    ) -> Any:
        """The scripted function that calls the ufunc, or a method of it, in one way."""
        key = (method, *names, *keywords.items())
        found = self._functions.get(key)
        if found is None:
            from tscript.frontend.source.vectorized import driver

            source = driver(self._elements, method, names, keywords)
            found = self._functions[key] = self._made(source, python)
        return found

    def __copy__(self) -> Vectorized:
        return self

    def __deepcopy__(self, memo: object) -> Vectorized:
        return self

    def __repr__(self) -> str:
        return f"<tscript.vectorize {self.__qualname__}>"
