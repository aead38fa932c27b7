"""`set_printoptions`, `get_printoptions` and `printoptions`: how tensors are shown, in Python and in functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tscript.abi.printing import DEFAULT, PrintOptions
from tscript.runtime.session.process import current
from tscript.runtime.session.usage import log_api_usage_once

_ENDLESS = 2**62
_PROFILES = {
    "default": DEFAULT,
    "short": DEFAULT._replace(precision=2, edgeitems=2),
    "full": DEFAULT._replace(threshold=_ENDLESS),
}
_MOST_DIGITS = 100


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Say how tensors are shown from now on. What is left out stays, but `sci_mode`.

    It applies to all threads, and to what scripted functions print.

    Args:
        precision: Digits behind the point, up to 100: 4 by default.
        threshold: Elements beyond which a tensor is summarised, 1000; ``inf`` for never.
        edgeitems: How many are shown at each end of a dimension then, 3.
        linewidth: Letters of a line, 80.
        profile: ``default``, ``short`` or ``full``: values for all of these.
        sci_mode: Whether floats have exponents; None to decide by their values.

    Raises:
        TypeError: A value is no number.
        ValueError: A value is negative or too large, or there is no such profile.

    Example:
        >>> import tscript
        >>> tscript.set_printoptions(precision=2)
        >>> tscript.tensor([1.12345])
        tensor([1.12])
        >>> tscript.set_printoptions(profile="default")
    """
    log_api_usage_once("tscript.set_printoptions")
    if profile is not None and profile not in _PROFILES:
        raise ValueError(f"there is no profile {profile!r}: expected 'default', 'short' or 'full'")
    printing = current().printing
    found = printing.options if profile is None else _PROFILES[profile]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None:
            found = found._replace(**{name: _number(name, value)})
    printing.set(found._replace(sci_mode=-1 if sci_mode is None else int(bool(sci_mode))))


def _number(name: str, value: float) -> int:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if value != value or value < 0:
        raise ValueError(f"{name} must not be negative, found {value}")
    if name == "precision" and value > _MOST_DIGITS:
        raise ValueError(f"precision must be at most {_MOST_DIGITS}, found {value}")
    return int(min(value, _ENDLESS))


def get_printoptions() -> dict[str, Any]:
    """The options in place, as keywords of `set_printoptions`.

    Example:
        >>> tscript.get_printoptions()["edgeitems"]
        3
    """
    found: PrintOptions = current().printing.options
    threshold = float("inf") if found.threshold == _ENDLESS else float(found.threshold)
    return {**found._asdict(), "threshold": threshold, "sci_mode": None if found.sci_mode < 0 else found.sci_mode == 1}


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Options for what is printed inside ``with``; see `set_printoptions`.

    Example:
        >>> with tscript.printoptions(precision=1):
        ...     print(tscript.tensor([1.25]))
        tensor([1.2])
    """
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


for _function in (set_printoptions, get_printoptions, printoptions):
    _function.__module__ = "tscript"
