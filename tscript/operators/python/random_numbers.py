"""Random numbers of NumPy's generators, one at a time, and calls of NumPy; nobody calls them by name.

What draws numbers changes a generator, so none of these is moved, merged or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

from tscript.arrays import np
from tscript.definitions.define import native
from tscript.definitions.opdef import Arg, Effects, KernelBody, OpDef, OperatorTypeError, PythonCall
from tscript.definitions.schema import parse_schema
from tscript.definitions.values import numpy_dtype
from tscript.operators.python.numpy_paths import PATHS
from tscript.types import GENERATOR, NONE, ArrayType, TupleType, Type, parse_type

DRAWS = Effects(raises=True, world=True)

# ---- calls of NumPy


def _called(args: Sequence[Arg]) -> Type:
    name, found = args[0].constant, args[1].constant
    if not isinstance(name, str) or name.partition(" ")[0] not in PATHS:
        raise OperatorTypeError("the first operand is the constant name of a function of NumPy that may be called")
    if not isinstance(found, str):
        raise OperatorTypeError("the second operand is the type of the result, as a text")
    return parse_type(found)


def _call(name: str, result: str, *args: object) -> object:
    """Call a function of NumPy with arguments by position, then by name: ``random.Generator.normal scale size``."""
    path, function, keywords = _found(name)
    if keywords:
        positional = len(args) - len(keywords)
        found = function(*args[:positional], **dict(zip(keywords, args[positional:], strict=True)))
    else:
        found = function(*args)
    return _plain(found, _declared(result), path)


@cache
def _found(name: str) -> tuple[str, Any, list[str]]:
    path, *keywords = name.split()
    if path not in PATHS:
        raise ValueError(f"'{path}' is no function of NumPy that compiled code may call")
    return path, reduce(getattr, path.split("."), np), keywords


_declared = cache(parse_type)


def _plain(found: object, wanted: Type, path: str) -> object:
    """A result for native code: numbers of Python, tuples, arrays of their own memory."""
    if isinstance(found, np.ndarray):
        if (
            isinstance(wanted, ArrayType)
            and wanted.dtype is not None
            and (found.dtype != numpy_dtype(wanted.dtype) or found.ndim != wanted.rank)
        ):
            raise TypeError(f"np.{path} gave an array of {found.dtype} and {found.ndim} dimensions, not {wanted}")
        return found if found.base is None else found.copy()
    if isinstance(found, np.generic):
        return found.item()
    if isinstance(found, tuple) and isinstance(wanted, TupleType):
        return tuple(_plain(part, of, path) for part, of in zip(found, wanted.elements, strict=True))
    return found


def refuse_result(found: object) -> object:
    """Raise: native code does not take what a function of NumPy gave."""
    raise TypeError(f"a function of NumPy gave {type(found).__name__}, which is not what was declared")


CALL = OpDef(
    parse_schema("numpy.call(str name, str result, Any args) -> Any"),
    _called,
    _call,
    PythonCall(_call),
    DRAWS,
    "Calls a function of NumPy with the GIL; the second operand is the type of the result.",
    variadic=True,
    portable=True,
)

# ---- one number

_WORD = (1 << 64) - 1


def _drawn(schema: str, semantics: Callable[..., object], body: KernelBody, doc: str) -> OpDef:
    return native(schema, semantics, body, doc, effects=DRAWS, exact=False)


def _below(rng: Any, low: int, width: int) -> int:
    return _sum(low, rng.integers(width & _WORD, endpoint=True, dtype=np.uint64))


def _sum(low: int, drawn: Any) -> int:
    found = (low + int(drawn)) & _WORD
    return found - (found >> 63 << 64)


def _legacy_double() -> float:
    return float(np.random.random_sample())


def _legacy_normal() -> float:
    return float(np.random.standard_normal())


def _legacy_exponential() -> float:
    return float(np.random.standard_exponential())


def _legacy_below(low: int, width: int) -> int:
    return _sum(low, np.random.randint((width & _WORD) + 1, dtype=np.uint64))


DOUBLE = _drawn(
    "random.double(Generator rng) -> float", lambda rng: rng.random(), "random.draw_double", "``rng.random()``"
)
NORMAL = _drawn(
    "random.normal(Generator rng) -> float",
    lambda rng: rng.standard_normal(),
    "random.draw_normal",
    "``rng.standard_normal()``",
)
EXPONENTIAL = _drawn(
    "random.exponential(Generator rng) -> float",
    lambda rng: rng.standard_exponential(),
    "random.draw_exponential",
    "``rng.standard_exponential()``",
)
BELOW = _drawn(
    "random.below(Generator rng, int low, int width) -> int",
    _below,
    "random.draw_below",
    "An int from `low` on; `width`, unsigned, is how far it may be from it.",
)
LEGACY_DOUBLE = _drawn(
    "random.legacy_double() -> float",
    _legacy_double,
    "random.legacy_double",
    "``np.random.random()``",
)
LEGACY_NORMAL = _drawn(
    "random.legacy_normal() -> float",
    _legacy_normal,
    "random.legacy_normal",
    "``np.random.standard_normal()``",
)
LEGACY_EXPONENTIAL = _drawn(
    "random.legacy_exponential() -> float",
    _legacy_exponential,
    "random.legacy_exponential",
    "``np.random.standard_exponential()``",
)
LEGACY_BELOW = _drawn(
    "random.legacy_below(int low, int width) -> int",
    _legacy_below,
    "random.legacy_below",
    "`BELOW` of the global generator.",
)

# ---- streams of parallel loops


def _stream() -> Any:
    return np.random.Generator(np.random.Philox(0))


def _begin(rng: Any, low: int, high: int, place: int) -> None:
    rng.bit_generator.state = {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array([0, place & _WORD, 0, 0], dtype=np.uint64),
            "key": np.array([low & _WORD, high & _WORD], dtype=np.uint64),
        },
        "buffer": np.zeros(4, dtype=np.uint64),
        "buffer_pos": 4,
        "has_uint32": 0,
        "uinteger": 0,
    }


STREAM = _drawn("random.stream() -> Generator", _stream, "streams.make_stream", "A generator for iterations of a loop.")
BEGIN = _drawn(
    "random.begin(Generator rng, int low, int high, int place) -> None",
    _begin,
    "streams.begin_stream",
    "Puts a `STREAM` to ``np.random.Philox(counter=place << 64, key=low + (high << 64))``.",
)
NUMPY_STREAM = OpDef(
    parse_schema("random.numpy_stream() -> Generator"),
    lambda args: GENERATOR,
    _stream,
    PythonCall(_stream),
    DRAWS,
    "A `STREAM` that is an object of NumPy.",
    portable=True,
)
NUMPY_BEGIN = OpDef(
    parse_schema("random.numpy_begin(Generator rng, int low, int high, int place) -> None"),
    lambda args: NONE,
    _begin,
    PythonCall(_begin),
    DRAWS,
    "`BEGIN` of a `NUMPY_STREAM`.",
    portable=True,
)

OPERATORS: tuple[OpDef, ...] = (
    CALL,
    DOUBLE,
    NORMAL,
    EXPONENTIAL,
    BELOW,
    LEGACY_DOUBLE,
    LEGACY_NORMAL,
    LEGACY_EXPONENTIAL,
    LEGACY_BELOW,
    STREAM,
    BEGIN,
    NUMPY_STREAM,
    NUMPY_BEGIN,
)

__all__ = [
    "BEGIN",
    "BELOW",
    "CALL",
    "DOUBLE",
    "EXPONENTIAL",
    "LEGACY_BELOW",
    "LEGACY_DOUBLE",
    "LEGACY_EXPONENTIAL",
    "LEGACY_NORMAL",
    "NORMAL",
    "NUMPY_BEGIN",
    "NUMPY_STREAM",
    "OPERATORS",
    "STREAM",
]
