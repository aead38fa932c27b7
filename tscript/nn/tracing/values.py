"""Values that stand for others while a program is traced: each has the value of this run, and a name in the trace."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from tscript import Tensor
from tscript.nn.tracing.errors import TracingError

_LEAVING = frozenset(
    {"numpy", "__array__", "__dlpack__", "data_ptr", "storage", "untyped_storage", "__array_interface__"}
)
"""Attributes by which elements leave tensors unseen."""

_NUMBERS = frozenset({"item", "tolist", "__complex__"})
"""Methods that give numbers, which a trace has as they are in this run."""


class StandIn:
    """What stands for a value of the program while it is recorded.

    Args:
        recorder: The `Recorder` of what is done with it.
        value: The value in this run.
        text: The expression for it in the trace.
    """

    __slots__ = ("_recorder", "_text", "_value")

    def __init__(self, recorder: Any, value: Any, text: str) -> None:
        self._recorder, self._value, self._text = recorder, value, text

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """That of what it stands for: programs ask for it."""
        return type(self._value)

    def __tscript_record__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Answers calls of native functions with it."""
        return self._recorder.call(function, args, kwargs)

    def __repr__(self) -> str:
        return repr(self._value)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec)

    def __hash__(self) -> int:
        return hash(self._value)


class Traced(StandIn):
    """What stands for a tensor."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in _LEAVING:
            raise TracingError(
                f"'{name}' takes a tensor out of what can be traced: leave it out, or script the function"
            )
        value = getattr(self._value, name)
        recorder = self._recorder
        if isinstance(value, Tensor):
            return recorder.attribute(self, name, value)
        if name == "shape":
            return self._sizes()
        if not callable(value) or isinstance(value, type):
            return value
        if name in ("size", "numel", "nelement"):
            return self._sizes if name == "size" else self._count
        if name in _NUMBERS:
            recorder.warn(f"'{name}' makes a number of a tensor, which the trace has as it is in this run")
            return value
        return lambda *args, **kwargs: recorder.method(self, name, args, kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in StandIn.__slots__:
            object.__setattr__(self, name, value)
        elif isinstance(getattr(type(self._value), name, None), property) or name in ("data", "real", "imag"):
            self._recorder.store_attribute(self, name, value)
        else:
            raise TracingError(f"the attribute '{name}' of a tensor cannot be traced: keep it elsewhere")

    def _sizes(self, dim: int | None = None) -> Any:
        value = self._value
        if dim is None:
            return tuple(self._recorder.number(value.size(i), f"{self._text}.size({i})") for i in range(value.dim()))
        return self._recorder.number(value.size(dim), f"{self._text}.size({int(dim)})")

    def _count(self) -> Any:
        return self._recorder.number(self._value.numel(), f"{self._text}.numel()")

    def __getitem__(self, index: Any) -> Any:
        return self._recorder.item(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._recorder.set_item(self, index, value)

    def __iter__(self) -> Iterator[Any]:
        self._recorder.warn("a loop over a tensor has as many rounds in the trace as in this run")
        return iter([self[i] for i in range(len(self._value))])

    def __len__(self) -> int:
        self._recorder.warn("'len' of a tensor is a number, which the trace has as it is in this run: take 'x.size(0)'")
        return len(self._value)

    def __bool__(self) -> bool:
        self._recorder.warn("a tensor decides which way the program goes: the trace goes the way of this run")
        return bool(self._value)

    def __int__(self) -> int:
        return int(self._number("int"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __index__(self) -> int:
        return operator.index(self._number("int"))

    def _number(self, name: str) -> Any:
        self._recorder.warn(f"'{name}' of a tensor is a number, which the trace has as it is in this run")
        return self._value

    def __contains__(self, value: object) -> bool:
        self._recorder.warn("a tensor decides which way the program goes: the trace goes the way of this run")
        return self._recorder.plain(value) in self._value


class TracedNumber(StandIn):
    """What stands for a size, or for what was computed of sizes."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self._told("decides which way the program goes: the trace goes the way of this run"))

    def __index__(self) -> int:
        return operator.index(self._told("becomes a number, which the trace has as it is in this run"))

    def __int__(self) -> int:
        return int(self._told("becomes a number, which the trace has as it is in this run"))

    def __float__(self) -> float:
        return float(self._told("becomes a number, which the trace has as it is in this run"))

    def _told(self, what: str) -> Any:
        self._recorder.warn(f"a size of a tensor {what}")
        return self._value


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}


def _define() -> None:
    """Give both classes Python's operators."""
    for name, sign in {**_BINARY, **_COMPARISONS}.items():
        method = getattr(operator, f"__{name}__")
        for cls in (Traced, TracedNumber):
            setattr(cls, f"__{name}__", _binary(cls, method, sign))
            if name in _BINARY:
                setattr(cls, f"__r{name}__", _reflected(cls, method, sign))
    for name, sign in _BINARY.items():
        setattr(Traced, f"__i{name}__", _in_place(getattr(operator, f"__i{name}__"), sign))
    for name, sign in _UNARY.items():
        for cls in (Traced, TracedNumber):
            setattr(cls, f"__{name}__", _unary(getattr(operator, f"__{name}__"), sign))
    for cls in (Traced, TracedNumber):
        setattr(cls, "__abs__", _unary(abs, "abs"))  # noqa: B010 - as above


def _is_later(cls: type, other: Any) -> bool:
    """Whether the other operand answers: a tensor where this is a number."""
    return cls is TracedNumber and (type(other) is Traced or isinstance(other, Tensor))


def _binary(cls: type, method: Callable[..., Any], sign: str) -> Callable[[Any, Any], Any]:
    def answer(self: Any, other: Any) -> Any:
        if _is_later(cls, other) and type(other) is Traced:
            return NotImplemented
        return self._recorder.expression(method, [self, other], f"{{0}} {sign} {{1}}")

    return answer


def _reflected(cls: type, method: Callable[..., Any], sign: str) -> Callable[[Any, Any], Any]:
    def answer(self: Any, other: Any) -> Any:
        return self._recorder.expression(method, [other, self], f"{{0}} {sign} {{1}}")

    return answer


def _in_place(method: Callable[..., Any], sign: str) -> Callable[[Any, Any], Any]:
    def answer(self: Any, other: Any) -> Any:
        return self._recorder.change(self, method, sign, other)

    return answer


def _unary(method: Callable[..., Any], sign: str) -> Callable[[Any], Any]:
    def answer(self: Any) -> Any:
        return self._recorder.expression(method, [self], f"{sign}({{0}})")

    return answer


_define()
