"""Symbols: the meaning of names that are not local variables, such as constants, operators, functions, types, modules.

`tscript.frontend.source.names` converts Python objects to symbols. Modules that are not run make some directly.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.late import dataclass, field
from tscript.types import ClassType, DType, Type


@dataclass(frozen=True, slots=True)
class Symbol:
    """Base of all symbols."""


@dataclass(frozen=True, slots=True)
class ConstantSymbol(Symbol):
    """A constant: int, float, bool, str, None, a `DType`, a tuple of those, or a tensor, as a read-only array.

    Attributes:
        value: The constant.
        type: Its type where the value does not tell: that of an ndarray, a NumPy scalar, a named tuple, a tuple with
            one of these.
    """

    value: object
    type: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ObjectSymbol(Symbol):
    """A scripted module, which code that names it shares with Python.

    Attributes:
        value: The module.
        type: Its type.
    """

    value: object
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class ContainerSymbol(Symbol):
    """A list, dict or set, or a tuple with one: what it held when it was read.

    Attributes:
        kind: `list`, `dict`, `set` or `tuple`.
        parts: The elements; keys and values in turn.
    """

    kind: type
    parts: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class OperatorSymbol(Symbol):
    """An operator by its plain name, with overloads: ``torch.add``, ``math.sqrt``.

    Attributes:
        name: In the operator table.
        shown: As the user wrote it.
    """

    name: str
    shown: str


@dataclass(frozen=True, slots=True)
class LeafSymbol(Symbol):
    """One operator itself: an intrinsic of the dialect, an extern, an `OpDef` as a global."""

    op: OpDef


@dataclass(frozen=True, slots=True)
class VariableSymbol(Symbol):
    """A global variable of native code, in the dialect: a pointer to it.

    Attributes:
        name: Its name to the linker.
        type: Of an element.
    """

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class ByTypeSymbol(Symbol):
    """A family of dialect functions, one per dtype of the first argument."""

    by_dtype: Mapping[DType, Callable[..., Any]] = field(hash=False)


@dataclass(frozen=True, slots=True, eq=False)
class LocalFunction:
    """The name of an inner function; compared by identity.

    Attributes:
        node: Its definition.
        span: Where it stands.
    """

    node: ast.FunctionDef | ast.Lambda
    span: Span


@dataclass(frozen=True, slots=True)
class LocalSymbol(Symbol):
    """An inner function.

    Attributes:
        function: The function.
        shown: Its name.
    """

    function: LocalFunction
    shown: str


@dataclass(frozen=True, slots=True)
class TypeSymbol(Symbol):
    """A type: `Tensor`, ``torch.Size``, and in the dialect ``i32``, ``Ptr[f32]`` …"""

    type: Type
    shown: str


@dataclass(frozen=True, slots=True)
class TypeVariableSymbol(Symbol):
    """A type variable of the dialect, bound per instantiation."""

    name: str


@dataclass(frozen=True, slots=True)
class PointerSymbol(Symbol):
    """``Ptr`` of the dialect; with a pointee once it is subscripted."""

    pointee: Symbol | None = None


@dataclass(frozen=True, slots=True)
class FutureSymbol(Symbol):
    """The class ``Future``, which gives a type when subscripted."""


@dataclass(frozen=True, slots=True)
class InterfaceSymbol(Symbol):
    """A class that only says which methods values have: decorated with ``torch.jit.interface``, or a `Protocol`. As a
    type it is that of the value, an instance of any class.

    Attributes:
        name: Its name.
    """

    name: str


@dataclass(frozen=True, slots=True)
class BroadcastingSymbol(Symbol):
    """``BroadcastingList2`` and the like, which take a number for a list of that many. The number is in the name: for
    PyTorch, all are one object."""


@dataclass(frozen=True, slots=True)
class ForkSymbol(Symbol):
    """``fork``: calls a function as a task of its own.

    Attributes:
        shown: Its name.
        is_ready: Whether it takes the result itself.
    """

    shown: str = "fork"
    is_ready: bool = False


@dataclass(frozen=True, slots=True)
class WaitSymbol(Symbol):
    """``wait``: the result of a forked call.

    Attributes:
        shown: Its name.
    """

    shown: str = "wait"


@dataclass(frozen=True, slots=True)
class AnnotateSymbol(Symbol):
    """``annotate``: a value as one of a type."""


class Prange:
    """What `PythonSymbol` holds for ``tscript.prange``, as it holds `range` for that builtin."""


@dataclass(frozen=True, slots=True)
class PythonSymbol(Symbol):
    """A builtin or a member of `typing` that has a table entry of its own: ``len``, ``int``, ``tuple``,
    ``Optional``."""

    value: Any = field(hash=False)


@dataclass(frozen=True, slots=True)
class ExceptionSymbol(Symbol):
    """An exception class; `type` is that of one that is not builtin."""

    name: str
    type: ClassType | None = None


@dataclass(frozen=True, slots=True)
class NamespaceSymbol(Symbol):
    """The module `torch`, `tscript` or `numpy`, or one inside it, by name: ``torch.nn.functional``."""

    path: str


@dataclass(frozen=True, slots=True)
class NumpySymbol(Symbol):
    """A function or class of NumPy.

    Attributes:
        path: Its name inside `numpy`: ``sqrt``, ``random.default_rng``.
    """

    path: str


@dataclass(frozen=True, slots=True)
class NumpyTypeSymbol(Symbol):
    """A class of NumPy scalars, which stands for its dtype too: ``np.float64``."""

    dtype: DType
    shown: str


@dataclass(frozen=True, slots=True)
class ModuleSymbol(Symbol):
    """Any other module, its members by value. `math` is one, too."""

    name: str
    members: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True, slots=True)
class UnknownSymbol(Symbol):
    """Something compiled code cannot use.

    Attributes:
        what: For the message: ``a list``.
        instead: The help.
        module: The path of the module that has it as an attribute, inside of the one that is compiled; of modules that
            share their code the first.
    """

    what: str
    instead: str
    module: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ForeignDtypeSymbol(Symbol):
    """A dtype of PyTorch that no tensor has here; it can only be compared with."""

    shown: str


@dataclass(frozen=True, slots=True, eq=False)
class AliasSymbol(UnknownSymbol):
    """An expression that is the value of a name of a file, which may be a type: ``Pair = tuple[int, int]``.

    Attributes:
        node: The expression.
        environment: The names of its file.
    """

    node: ast.expr
    environment: Any


@dataclass(frozen=True, slots=True)
class ImportedSymbol(UnknownSymbol):
    """A name that a file imports from a module that is not beside it.

    Attributes:
        path: Its dotted name.
    """

    path: str = ""


@dataclass(frozen=True, slots=True)
class ModeSymbol(Symbol):
    """A context manager of PyTorch that changes nothing here: ``torch.no_grad``.

    Attributes:
        shown: Its name.
        is_off: Whether that holds only with ``enabled=False``.
    """

    shown: str
    is_off: bool = False


@dataclass(frozen=True, slots=True)
class AssertSymbol(Symbol):
    """``torch._assert`` or ``torch._check``: a function that raises unless something holds.

    Attributes:
        shown: Its name.
        error: The class of the exception.
    """

    shown: str
    error: str


@dataclass(frozen=True, slots=True)
class KnownSymbol(Symbol):
    """A function with a constant result: ``torch.jit.is_scripting``."""

    result: object
    shown: str
