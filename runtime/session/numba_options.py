"""Options of Numba's ``@njit`` that ``@script`` is given: those that change nothing are taken, others are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tscript.diagnostics.suggest import close_matches

_ALWAYS: Mapping[str, frozenset[object]] = {
    "nopython": frozenset({True}),
    "forceobj": frozenset({False}),
    "looplift": frozenset({False}),
    "error_model": frozenset({"numpy"}),
}
"""Options with the values that say what is so anyway."""

_ANY = frozenset(
    {
        *("boundscheck", "cache", "debug", "forceinline", "inline", "no_cfunc_wrapper"),
        *("no_cpython_wrapper", "no_rewrites", "nogil"),
    }
)
"""Options that allow something, or that are about how the code is made: results are the same without."""

_REFUSED: Mapping[str, str] = {
    "nopython": "functions are compiled entirely; leave it out",
    "forceobj": "functions are compiled entirely: mark what has to stay in Python with @tscript.ignore",
    "looplift": "functions are compiled entirely; leave it out",
    "error_model": "numbers raise ZeroDivisionError, elements of arrays give inf or nan, as in NumPy; leave it out",
    "locals": "declare types in the function: 'x: float = 0.0'",
    "target": "code is made for processors; leave it out",
    "pipeline_class": "leave it out",
    "signature": "leave it out: types come from the call",
}

_OURS = ("source", "optimize", "parallel", "fastmath")
_SIGNATURE = re.compile(r"\s*\(?\s*[\w.\[\]:, ]*\([^()]*(\([^()]*\)[^()]*)*\)\s*")


def check_options(options: Mapping[str, object]) -> None:
    """Refuse what ``@script`` cannot do.

    Raises:
        TypeError: An option is unknown, or asks for something that is not so; says what to write.

    Example:
        >>> check_options({"nogil": True, "cache": True})
        >>> check_options({"forceobj": True})
        Traceback (most recent call last):
        TypeError: script() does not take forceobj=True: functions are compiled entirely: mark what has to stay in ...
    """
    for name, value in options.items():
        if name in _ANY or (name in _ALWAYS and value in _ALWAYS[name]):
            continue
        if name in _REFUSED:
            raise TypeError(f"script() does not take {name}={value!r}: {_REFUSED[name]}")
        close = close_matches(name, [*_OURS, *_ANY, *_ALWAYS])
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise TypeError(f"script() got an unexpected keyword argument '{name}'{hint}")


def refuse_signature(given: object) -> None:
    """Refuse the signatures that ``@njit`` takes in place of the function.

    Raises:
        TypeError: It is one: a string such as ``"f8(f8[:])"``, or a list or tuple.
    """
    if isinstance(given, list | tuple) or (isinstance(given, str) and _SIGNATURE.fullmatch(given)):
        first = given if isinstance(given, str) else next((s for s in given if isinstance(s, str)), "…")
        raise TypeError(
            f"script() takes no signature ({first}): leave it out, so that types come from the call, or annotate the "
            "parameters: 'def f(x: NDArray[np.float64], n: int) -> float'; f.compile_for(...) compiles ahead"
        )


__all__ = ["check_options", "refuse_signature"]
