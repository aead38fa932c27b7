"""`Recorder`: writes what a program does to tensors as the text of a function, one statement for each operator.

The text is a program in the language, so what was traced is checked, typed, shown and saved as any scripted function.
"""

from __future__ import annotations

import keyword
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import tscript
from tscript import Tensor
from tscript.definitions.opdef import DRAWS
from tscript.nn.scripting.script_module import ScriptModule
from tscript.nn.tracing.errors import TracerWarning, TracingError
from tscript.nn.tracing.values import Traced, TracedNumber
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import is_scripted
from tscript.types import DType
from tscript.types.options import Option

_FACTS = frozenset({
    "dim", "ndimension", "element_size", "get_device", "type", "is_contiguous", "is_floating_point", "is_complex",
    "is_signed", "is_inference", "is_same_size", "is_conj", "is_neg", "is_shared", "stride", "storage_offset",
})  # fmt: skip
"""Methods that ask what a tensor is: the trace has the answer of this run, which decides what may follow."""

_CONTEXTLIB = contextmanager.__code__.co_filename
_OURS = os.path.join(os.path.dirname(os.path.abspath(tscript.__file__)), "")


class Recorder:
    """Records one run.

    Attributes:
        lines: The statements.
        names: What names in them mean besides those of tscript.
        draws: Operators that draw random numbers, with the places in the program.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        self.draws: list[tuple[str, str]] = []
        self._tensors: dict[int, Traced] = {}
        self._modules: dict[int, tuple[Any, str]] = {}
        self._scopes: list[str] = []
        self._taken: dict[str, int] = {}
        self._kept: list[Any] = []
        self._is_running = False

    # -- what is known -----------------------------------------------------------------------------------------------

    def know(self, tensor: Any, text: str) -> Traced:
        """What stands for a tensor; one tensor has one name."""
        found = self._tensors.get(id(tensor))
        if found is None:
            found = self._tensors[id(tensor)] = Traced(self, tensor, text)
            self._kept.append(tensor)
        return found

    def know_module(self, module: Any, text: str) -> None:
        """A scripted module that the trace may call."""
        self._modules.setdefault(id(module), (module, text))

    def enter(self, path: str) -> None:
        """What follows belongs to the module of a path."""
        self._scopes.append(path)

    def leave(self) -> None:
        """End of that."""
        self._scopes.pop()

    def number(self, value: Any, text: str) -> TracedNumber:
        """What stands for a number, which has a name of its own."""
        name = self._name("n")
        self.lines.append(f"{name} = {text}")
        return TracedNumber(self, value, name)

    def plain(self, value: Any) -> Any:
        """The value of this run."""
        kind = type(value)
        if kind is Traced or kind is TracedNumber:
            return value._value
        if kind is slice:
            return slice(*map(self.plain, (value.start, value.stop, value.step)))
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            return tuple(map(self.plain, value))
        if isinstance(value, list):
            return [*map(self.plain, value)]
        if isinstance(value, dict):
            return {key: self.plain(v) for key, v in value.items()}
        return value

    def recording(self, function: Any) -> Any:
        """See `Tracer`: operators that draw random numbers do so anew in each call of the trace."""
        name = getattr(function, "__tscript_operator__", None)
        return self.call if name is not None and not self._is_running and _draws(name) else None

    # -- what is done ------------------------------------------------------------------------------------------------

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call of an operator or of a scripted function."""
        if is_scripted(function):
            module = self._modules.get(id(args[0])) if args else None
            if module is not None:
                return self._run(function, module[1], args, kwargs, args[1:])
            if args and isinstance(args[0], ScriptModule):
                raise TracingError(
                    f"a trace cannot call the scripted {args[0].original_name}, which is no part of the traced module"
                )
            return self._run(function, self._global(function, function.__name__), args, kwargs, args)
        name = function.__tscript_operator__
        path = _path_of(name)
        with self._noting_draws(name):
            if path is not None:
                return self._run(function, path, args, kwargs, args)
            return self._run(function, f"{self._text(args[0])}.{name}", args, kwargs, args[1:])

    def method(self, tensor: Traced, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call of a method of a tensor."""
        function = getattr(tensor._value, name)
        if name in _FACTS:
            return function(*map(self.plain, args), **kwargs)
        with self._noting_draws(current().eager.names.methods.get(name, name)):
            return self._run(function, f"{tensor._text}.{name}", args, kwargs, args)

    def attribute(self, tensor: Traced, name: str, value: Any) -> Any:
        """An attribute of a tensor that is a tensor."""
        return self._named(value, f"{tensor._text}.{name}")

    def store_attribute(self, tensor: Traced, name: str, value: Any) -> None:
        """An assignment to an attribute of a tensor."""
        text = self._text(value)
        setattr(tensor._value, name, self.plain(value))
        self.lines.append(f"{tensor._text}.{name} = {text}")

    def item(self, tensor: Traced, index: Any) -> Any:
        """``tensor[index]``."""
        text = self._index(index)
        return self._named(tensor._value[self.plain(index)], f"{tensor._text}[{text}]")

    def set_item(self, tensor: Traced, index: Any, value: Any) -> None:
        """``tensor[index] = value``."""
        at, text = self._index(index), self._text(value)
        tensor._value[self.plain(index)] = self.plain(value)
        self.lines.append(f"{tensor._text}[{at}] = {text}")

    def change(self, tensor: Traced, method: Any, sign: str, other: Any) -> Any:
        """``tensor += other`` and the like, in place."""
        text = self._text(other)
        found = method(tensor._value, self.plain(other))
        if found is not tensor._value:
            return self._named(found, f"{tensor._text} {sign} {text}")
        name = self._name("v")
        self.lines += [f"{name} = {tensor._text}", f"{name} {sign}= {text}"]
        return tensor

    def expression(self, method: Any, operands: Sequence[Any], form: str) -> Any:
        """Python's operators; numbers that sizes are compared with decide nothing yet."""
        if any(not _is_operand(v) for v in operands):
            return NotImplemented
        texts = [self._text(v) for v in operands]
        found = method(*map(self.plain, operands))
        if isinstance(found, bool):
            self.warn("a size of a tensor is compared: the trace has the answer of this run")
            return found
        return self._named(found, form.format(*texts))

    def _run(
        self, function: Any, callee: str, args: Sequence[Any], kwargs: Mapping[str, Any], shown: Sequence[Any]
    ) -> Any:
        """Run a call and write it; `shown` are the arguments between its parentheses."""
        written = [self._text(v) for v in shown] + [f"{key}={self._text(v)}" for key, v in kwargs.items()]
        self._is_running = True
        try:
            found = function(*map(self.plain, args), **{key: self.plain(v) for key, v in kwargs.items()})
        finally:
            self._is_running = False
        return self._named(found, f"{callee}({', '.join(written)})")

    def _named(self, value: Any, text: str) -> Any:
        """What stands for a result, which has a name."""
        if isinstance(value, Tensor):
            name = self._name("v")
            self.lines.append(f"{name} = {text}")
            # An operator, or a scripted function, that gave back its argument may give another tensor next time.
            self._tensors.pop(id(value), None)
            return self.know(value, name)
        if isinstance(value, bool | str | DType | None):
            return value
        name = self._name("n" if isinstance(value, int | float) else "v")
        self.lines.append(f"{name} = {text}")
        return self._parts(value, name)

    def _parts(self, value: Any, text: str) -> Any:
        """What stands for the parts of a result."""
        if isinstance(value, Tensor):
            return self.know(value, text)
        if isinstance(value, tuple):
            parts = [self._parts(v, f"{text}[{i}]") for i, v in enumerate(value)]
            return getattr(type(value), "_make", type(value))(parts)
        if isinstance(value, list):
            return [self._parts(v, f"{text}[{i}]") for i, v in enumerate(value)]
        if isinstance(value, dict):
            return {key: self._parts(v, f"{text}[{key!r}]") for key, v in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            return TracedNumber(self, value, text)
        return value

    @contextmanager
    def _noting_draws(self, name: str) -> Iterator[None]:
        """Notes an operator that draws random numbers in this run."""
        before = tscript.get_rng_state() if _draws(name) else None
        yield
        if before is not None and not tscript.equal(before, tscript.get_rng_state()):
            self.draws.append((name, "{}:{}".format(*place()[:2])))

    # -- text --------------------------------------------------------------------------------------------------------

    def _name(self, kind: str) -> str:
        scope = self._scopes[-1] if self._scopes else ""
        stem = re.sub(r"\W", "_", scope)
        stem = f"{stem}_{kind}" if stem else kind
        if stem[0].isdigit():
            stem = f"m{stem}"
        number = self._taken[stem] = self._taken.get(stem, -1) + 1
        return f"{stem}{number}"

    def _global(self, value: Any, wanted: str) -> str:
        """A name for something of the program."""
        for name, known in self.names.items():
            if known is value:
                return name
        stem = re.sub(r"\W", "_", wanted) or "f"
        stem = f"_{stem}" if keyword.iskeyword(stem) or stem[0].isdigit() or stem == "tscript" else stem
        name, number = stem, 0
        while name in self.names:
            number += 1
            name = f"{stem}_{number}"
        self.names[name] = value
        return name

    def text(self, value: Any) -> str:
        """The expression for a value."""
        return self._text(value)

    def _text(self, value: Any) -> str:
        kind = type(value)
        if kind is Traced or kind is TracedNumber:
            return str(value._text)
        if isinstance(value, Tensor):
            known = self._tensors.get(id(value))
            return known._text if known is not None else self._constant(value)
        if value is None or kind in (bool, int, str, bytes):
            return repr(value)
        if kind is float:
            return repr(value) if abs(value) < float("inf") else f"float({str(value)!r})"
        if kind is complex:
            return f"complex({value.real!r}, {value.imag!r})"
        if kind is tuple or isinstance(value, tuple):
            inner = ", ".join(map(self._text, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if kind is list:
            return f"[{', '.join(map(self._text, value))}]"
        if kind is dict:
            return "{" + ", ".join(f"{self._text(k)}: {self._text(v)}" for k, v in value.items()) + "}"
        if isinstance(value, DType):
            return f"tscript.{value.name}"
        if isinstance(value, Option):
            return repr(value).replace("torch.", "tscript.") if "torch." in repr(value) else f"tscript.{value}"
        raise TracingError(f"a trace cannot record an argument of type {kind.__name__}: script the function instead")

    def _constant(self, tensor: Any) -> str:
        """A tensor that the program made without traced ones: the trace has its elements as they are now."""
        name = self._global(tensor, f"constant{sum(isinstance(v, Tensor) for v in self.names.values())}")
        local = self._name("v")
        self.lines.append(f"{local} = {name}.clone()")
        self.know(tensor, local)
        self.names[name] = tensor.clone()
        return local

    def _index(self, index: Any) -> str:
        if type(index) is tuple:
            return ", ".join(map(self._index, index)) + ("," if len(index) == 1 else "")
        if isinstance(index, slice):
            start, stop, step = ("" if v is None else self._text(v) for v in (index.start, index.stop, index.step))
            return f"{start}:{stop}" + (f":{step}" if step else "")
        return "..." if index is Ellipsis else self._text(index)

    # -- warnings ----------------------------------------------------------------------------------------------------

    def warn(self, what: str) -> None:
        """Warn at the line of the program that runs."""
        file, line, module, registry = place()
        warnings.warn_explicit(f"{what}; it may not hold for other inputs", TracerWarning, file, line, module, registry)


@cache
def _draws(name: str) -> bool:
    """Whether an operator may draw random numbers."""
    return any(DRAWS in op.tags for op in current().compiler.table.overloads(name))


def _is_operand(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex | Tensor) or value is None


def _path_of(name: str) -> str | None:
    """``tscript.<path>`` of an operator, by its plain name; None if it is a method only."""
    names = current().eager.names
    if names.function(f"tscript.{name}") == name:
        return f"tscript.{name}"
    found = [p for p, op in names.paths.items() if op == name and p.startswith(("torch.", "tscript."))]
    return None if not found else f"tscript.{min(found, key=len).partition('.')[2]}"


def place() -> tuple[str, int, str, Any]:
    """File, line, module and registry of warnings of the program that runs."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_OURS, _CONTEXTLIB)):
        frame = frame.f_back
    return (
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )
