"""``np.iinfo(dtype)`` and ``np.finfo(dtype)``: what the dtypes hold, as constants."""

from __future__ import annotations

from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values.array_calls import Call, dtype_argument
from tscript.frontend.values.array_promotion import as_scalar
from tscript.ir.graph import Value
from tscript.types import DType, NamedTupleInfo, TupleType, dtypes

IINFO = NamedTupleInfo("numpy.iinfo", ("min", "max", "bits"))
_OF_FLOATS = ("eps", "epsneg", "max", "min", "tiny", "smallest_normal", "smallest_subnormal", "resolution")
FINFO = NamedTupleInfo("numpy.finfo", (*_OF_FLOATS, "bits", "precision"))
_FLOAT32 = (2.0**-23, 2.0**-24, (2 - 2.0**-23) * 2.0**127, -(2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-126, 2.0**-149)
_FLOAT64 = (
    2.0**-52, 2.0**-53, (2 - 2.0**-52) * 2.0**1023, -(2 - 2.0**-52) * 2.0**1023, 2.0**-1022, 2.0**-1022, 2.0**-1074,
)  # fmt: skip


def integers(call: Call) -> Value:
    """``np.iinfo(type)``"""
    dtype = dtype_argument(call.lowering, call.given["type"])
    if not dtype.is_integer:
        raise call.refuse(f"{dtype.name} is no dtype of integers", "write np.finfo", "type")
    bits = 8 * dtype.itemsize
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.signed else (0, (1 << bits) - 1)
    return _named(call, IINFO, [call.const(n) for n in (low, high, bits)])


def floats(call: Call) -> Value:
    """``np.finfo(dtype)``"""
    dtype = dtype_argument(call.lowering, call.given["dtype"])
    if not dtype.is_floating_point:
        raise call.refuse(f"{dtype.name} is no dtype of floats", "write np.iinfo", "dtype")
    is_single = dtype is dtypes.float32
    numbers = (*(_FLOAT32 if is_single else _FLOAT64), 1e-6 if is_single else 1e-15)
    last = [call.const(n) for n in ((32, 6) if is_single else (64, 15))]
    return _named(call, FINFO, [*(_scalar(call, n, dtype) for n in numbers), *last])


def _scalar(call: Call, number: float, dtype: DType) -> Value:
    return as_scalar(call.lowering, call.const(number), dtype, call.span)


def _named(call: Call, info: NamedTupleInfo, values: list[Value]) -> Value:
    made = make_tuple(call.lowering, values, call.span)
    assert isinstance(made.type, TupleType)
    made.type = TupleType(made.type.elements, info)
    return made
