"""`OwnerOf`: the class of a decorated method, which does not exist yet when the decorator runs."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tscript.diagnostics import compile_error

if TYPE_CHECKING:
    from tscript.frontend import PythonFunction


class OwnerOf:
    """Finds the class that a method was defined in.

    Python tells the class to the attributes of its body (``__set_name__``). A method inside of another object, such as
    a property, is told nothing: then the class is found by the qualified name, in the module or among the classes of
    the first argument.

    Args:
        function: The method.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._path = function.__qualname__.split(".")[:-1]
        self._module = function.__module__
        self._globals = function.__globals__
        self._known: weakref.ref[type] | None = None
        self._name = function.__name__

    def tell(self, owner: type, name: str) -> None:
        """Remember the class, and the name of the method in it."""
        self._known, self._name = weakref.ref(owner), name

    def find(self, args: Sequence[object] = ()) -> tuple[type, str] | None:
        """The class and the name of the method in it; None while it cannot be found.

        Args:
            args: The arguments of the first call, if there was one.
        """
        found = None if self._known is None else self._known()
        if found is None and "<locals>" not in self._path:
            try:
                reached: Any = functools.reduce(getattr, self._path[1:], self._globals[self._path[0]])
            except (AttributeError, KeyError):
                reached = None
            found = reached if isinstance(reached, type) else None
        if found is None and args:
            around = (c for c in type(args[0]).__mro__ if c.__module__ == self._module)
            found = next((c for c in around if c.__qualname__ == ".".join(self._path)), None)
        if found is None or self._name not in vars(found):
            return None
        return found, self._name


def is_method(function: PythonFunction) -> bool:
    """Whether a function is a method that takes its instance: it stands in a class, and its first parameter has no
    annotation."""
    owner = function.qualname.rpartition(".")[0]
    arguments = [*function.tree.args.posonlyargs, *function.tree.args.args]
    if not owner or owner.endswith("<locals>") or not arguments or arguments[0].annotation is not None:
        return False
    return not any(getattr(d, "id", "") == "staticmethod" for d in function.tree.decorator_list)


def refuse_class_method(function: PythonFunction) -> None:
    """Refuse a function that is decorated with ``@classmethod``.

    Raises:
        CompileError: It is (TS106).
    """
    if any(getattr(d, "id", "") == "classmethod" for d in function.tree.decorator_list):
        from tscript.frontend.diagnostics.errors import UnsupportedFunction

        raise compile_error([UnsupportedFunction(function.header, function.name, "a class method")])
