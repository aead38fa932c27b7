"""`Functions`: scripted functions by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tscript.once import LateTable


class Functions(Mapping[str, Any]):
    """Scripted functions by name: ``functions["f"](x)`` or ``functions.f(x)``; callable itself if there is only one.

    Args:
        functions: The functions.

    Raises:
        AttributeError: There is no function of that name.
        TypeError: It is called and has several functions.

    Example:
        >>> import tscript
        >>> functions = tscript.script("def double(n: int) -> int: return 2 * n")
        >>> functions.double(4), functions["double"](5), functions(6), list(functions)
        (8, 10, 12, ['double'])
    """

    def __init__(self, functions: Mapping[str, Any]) -> None:
        self._functions = functions if isinstance(functions, LateTable) else dict(functions)

    @property
    def __tscript_functions__(self) -> Mapping[str, Any]:
        """What compiled code finds as attributes."""
        return self._functions

    def __getitem__(self, name: str) -> Any:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __len__(self) -> int:
        return len(self._functions)

    def __getattr__(self, name: str) -> Any:
        functions = self.__dict__.get("_functions", {})
        if name in functions:
            return functions[name]
        raise AttributeError(f"there is no function {name!r}, only {', '.join(functions)}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the only function.

        Raises:
            TypeError: There are several.
        """
        return self.entry()(*args, **kwargs)

    def entry(self, name: str | None = None) -> Any:
        """The function `name`, or the only one.

        Raises:
            TypeError: No name was given and there are several.
        """
        if name is not None:
            return self._functions[name]
        if len(self._functions) > 1:
            raise TypeError(f"there are several functions, name one: {', '.join(self._functions)}")
        return next(iter(self._functions.values()))

    def __repr__(self) -> str:
        return f"<tscript functions: {', '.join(self._functions)}>"
