"""`repr` of tensors, as PyTorch users know it: four digits, one width for all elements, long tensors summarised."""

from __future__ import annotations

import math
from typing import Any

from tscript.abi.printing import DEFAULT, PrintOptions
from tscript.arrays import Array, np
from tscript.definitions.values import dtype_of_array, widen
from tscript.types import DType, dtypes

_PREFIX = "tensor("


def _shown_without_dtype() -> tuple[DType, ...]:
    """The dtypes that literals give."""
    default = dtypes.default_float()
    return default, dtypes.int64, dtypes.bool_, dtypes.complex_dtype(default)


class _Formatter:
    """One format for all elements of a tensor."""

    def __init__(self, values: Array, options: PrintOptions) -> None:
        self.precision = options.precision
        self.floating = values.dtype.kind == "f"
        self.whole = True
        self.scientific = False
        self.width = 1
        flat = values.reshape(-1)
        if not self.floating:
            self.width = max((len(str(v)) for v in flat.tolist()), default=1)
            return
        finite = flat[np.isfinite(flat) & (flat != 0)].astype(np.float64)
        if finite.size == 0:
            return
        largest, smallest = float(np.abs(finite).max()), float(np.abs(finite).min())
        self.whole = bool((finite == np.ceil(finite)).all())
        far = largest / smallest > 1000.0 or largest > 1.0e8 or (not self.whole and smallest < 1.0e-4)
        self.scientific = far if options.sci_mode < 0 else options.sci_mode == 1
        shown = (self._number(v) for v in finite.tolist())
        self.width = max(len(text) for text in shown)

    def _number(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{self.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{self.precision}f}"

    def format(self, value: Any) -> str:
        """`value`, filled up to the common width."""
        text = self._number(value) if self.floating else str(value)
        return text.rjust(self.width)


class _ComplexFormatter:
    """Formats of the real and of the imaginary parts of all elements."""

    def __init__(self, values: Array, options: PrintOptions) -> None:
        self.real = _Formatter(np.ascontiguousarray(values.real), options)
        self.imag = _Formatter(np.ascontiguousarray(values.imag), options)
        self.width = self.real.width + self.imag.width + 1

    def format(self, value: Any) -> str:
        """`value`, each part filled up to the common width of those parts."""
        number = complex(value)
        imaginary = self.imag.format(number.imag).lstrip()
        sign = "" if imaginary[0] in "+-" else "+"
        return f"{self.real.format(number.real)}{sign}{imaginary}j"


def format_tensor(values: Array, dtype: DType, options: PrintOptions = DEFAULT) -> str:
    """The string form of a tensor.

    Args:
        values: Its elements, of any shape.
        dtype: Its dtype, shown when it is not what a literal would give.
        options: How numbers and lines are written.

    Example:
        >>> print(format_tensor(np.array([1.0, 2.5], np.float32), dtypes.float32))
        tensor([1.0000, 2.5000])
    """
    suffixes: list[str] = []
    values = widen(values)
    if values.size == 0:
        text = "[]"
        if values.ndim != 1:
            suffixes.append(f"size={values.shape}")
        if dtype is not dtypes.default_float():
            suffixes.append(f"dtype={dtype!r}")
    else:
        if not options.edgeitems:
            suffixes.append(f"size={values.shape}")
        if dtype not in _shown_without_dtype():
            suffixes.append(f"dtype={dtype!r}")
        summarise = values.size > options.threshold
        kind = _ComplexFormatter if values.dtype.kind == "c" else _Formatter
        formatter = kind(_edges(values, options.edgeitems) if summarise else values, options)
        text = _nested(values, len(_PREFIX), summarise, formatter, options)
    out = [_PREFIX + text]
    last_line = len(out[0]) - out[0].rfind("\n") + 1
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > options.linewidth:
            out.append(",\n" + " " * len(_PREFIX) + suffix)
            last_line = len(_PREFIX) + len(suffix)
        else:
            out.append(", " + suffix)
            last_line += len(suffix) + 2
    return "".join(out) + ")"


def _edges(values: Array, edge: int) -> Array:
    """Only what a summary shows."""
    for axis in range(values.ndim):
        if values.shape[axis] > 2 * edge:
            ends = [*range(edge), *range(values.shape[axis] - edge, values.shape[axis])]
            values = values.take(ends, axis)
    return values


def _nested(
    values: Array, indent: int, summarise: bool, formatter: _Formatter | _ComplexFormatter, options: PrintOptions
) -> str:
    if values.ndim == 0:
        return formatter.format(values.item())
    edge = options.edgeitems
    long = summarise and len(values) > 2 * edge
    last = values[len(values) - edge :]
    if values.ndim == 1:
        shown = [formatter.format(v) for v in (values[:edge] if long else values).tolist()]
        if long:
            shown += [" ..." if edge else "...", *(formatter.format(v) for v in last.tolist())]
        per_line = max(1, (options.linewidth - indent) // (formatter.width + 2))
        lines = [", ".join(shown[i : i + per_line]) for i in range(0, len(shown), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = [_nested(v, indent + 1, summarise, formatter, options) for v in (values[:edge] if long else values)]
    if long:
        parts += ["...", *(_nested(v, indent + 1, summarise, formatter, options) for v in last)]
    return "[" + ("," + "\n" * (values.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def array_repr(array: Array) -> str:
    """The string form of a tensor, given as an array of its dtype."""
    return format_tensor(array, dtype_of_array(array))


def value_repr(value: object) -> str:
    """``repr(value)``, with arrays in it as the tensors that they stand for."""
    if isinstance(value, np.ndarray):
        return array_repr(value)
    if isinstance(value, np.generic):
        return array_repr(np.asarray(value))
    with np.printoptions(override_repr=array_repr):
        return repr(value)


def shown(value: object) -> str:
    """``str(value)``, with arrays in it as the tensors that they stand for."""
    if isinstance(value, np.ndarray | np.generic):
        return value_repr(value)
    with np.printoptions(override_repr=array_repr):
        return str(value)


def format_value(value: object, spec: str) -> str:
    """``format(tensor, spec)``: of one without dimensions its element, of others their string form."""
    if isinstance(value, np.ndarray | np.generic):
        return format(_item(value) if spec and value.ndim == 0 else array_repr(np.asarray(value)), spec)
    return format(value, spec)


def element_repr(value: object) -> str:
    """``str(tensor.item())``."""
    return str(_item(value) if isinstance(value, np.ndarray | np.generic) else value)


def _item(value: Any) -> object:
    return widen(np.asarray(value)).item()
