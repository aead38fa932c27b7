"""`OpDef`: the single definition of an operator, and the kinds of implementation it may have.

One object carries everything the compiler knows of an operator: its schema (names, defaults, overload), its effects,
its type rule, its meaning on values (`semantics`, over Python scalars and NumPy arrays; used by constant folding, the
reference interpreter and the differential tests) and one implementation. Passes, printer, backend, docs and fuzzers
read this object; nothing else is written per operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from tscript.definitions.names import NO_NAMES, Names
from tscript.definitions.schema import Schema
from tscript.late import dataclass, field
from tscript.types import Type


class Arg(Protocol):
    """What a type rule sees of an argument. An IR value is one."""

    @property
    def type(self) -> Type:
        """Type of the argument."""

    @property
    def constant(self) -> object:
        """Its value when it is a compile-time constant, else `MISSING`."""


class OperatorTypeError(TypeError):
    """Raised by a type rule for arguments the operator does not take; the frontend adds the span."""


class OperatorRuntimeError(OperatorTypeError, RuntimeError):
    """Raised by a type rule for argument types that PyTorch refuses with `RuntimeError` when the operator runs.

    Eager calls let it through; specialised code may raise it where the operator stands.
    """


class OperatorNotImplementedError(OperatorRuntimeError, NotImplementedError):
    """The same where PyTorch says `NotImplementedError`: there is no such operator for a dtype."""


class OperatorIndexError(OperatorTypeError, IndexError):
    """The same where PyTorch says `IndexError`: a dimension is out of range."""


class OperatorValueError(OperatorTypeError, ValueError):
    """The same where PyTorch says `ValueError`: rows of a literal differ in length."""


def natural(error: Exception) -> Exception:
    """What a type rule raised, as the exception that the operator raises when it runs: of that class and no other."""
    classes = [c for c in type(error).__mro__ if c.__module__ == "builtins" and issubclass(c, Exception)]
    own = [c for c in classes if c not in (TypeError, Exception)]
    return (own or [TypeError])[0](str(error))


TypeRule = Callable[[Sequence[Arg]], Type]


@dataclass(frozen=True, slots=True)
class Effects:
    """What an operator does besides computing its result.

    Attributes:
        writes: Positions of the tensor (or pointer) arguments whose elements it changes.
        view_of: Position of the argument whose storage the result shares, or None.
        raises: Whether it can raise for arguments of the right types. Such an operator is not removed when unused.
        overflows: Whether all it raises is an `OverflowError` for a result that no int can hold: when nobody uses the
            result, it is removed all the same.
        world: Whether it touches anything else (allocation counters, I/O): never moved, merged or removed.
    """

    writes: tuple[int, ...] = ()
    view_of: int | None = None
    raises: bool = False
    overflows: bool = False
    world: bool = False

    @property
    def is_pure(self) -> bool:
        """Whether two equal calls may be merged and an unused call removed."""
        return not (self.writes or self.raises or self.world) and self.view_of is None


PURE = Effects()
RAISES = Effects(raises=True)
OVERFLOWS = Effects(raises=True, overflows=True)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf intrinsic: the backend has an instruction for this very `OpDef` object."""


@dataclass(frozen=True, slots=True)
class Extern:
    """A C function called by symbol with machine arguments (``exp`` of libm …).

    Attributes:
        symbol: The name the linker resolves.
    """

    symbol: str


@dataclass(frozen=True, slots=True)
class CCall:
    """A call in C's calling convention, by symbol or through an address.

    Attributes:
        symbol: The name the linker resolves; empty where the first operand is the address of the function.
        parameters: Types of the declared parameters, the address not among them.
        result: A machine type, a pointer, or None's.
        variadic: Whether further arguments may follow.
    """

    symbol: str
    parameters: tuple[Type, ...]
    result: Type
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A body in the low-level dialect over machine scalars, inlined where the operator stands.

    Attributes:
        body: The dialect function, leaf operator or C function; its parameters are the operator's, `int` as i64,
            `float` as f64, `bool` as b8, and ``T`` is the type of the first.
    """

    body: Callable[..., object]


@dataclass(frozen=True, slots=True)
class Pointwise:
    """A scalar expression applied to each element; fusible.

    Attributes:
        body: A straight-line dialect function generic over the compute dtype ``T``, a leaf operator of operands of it,
            or a `ByType` of those; one parameter per tensor-or-scalar argument of the operator that takes part
            (`operands` of the rule says which).
        rule: Gives (compute dtype, result dtype) for the operands; see `tscript.definitions.promotion`.
    """

    body: Callable[..., object]
    rule: Callable[..., object]


@dataclass(frozen=True, slots=True)
class Made:
    """A kernel that the native library makes of dialect functions: a reduction of its four parts.

    Attributes:
        name: Its name.
        maker: What makes it, ``module.function`` of `tscript.runtime.kernels`.
        parts: Arguments of `maker`.
    """

    name: str
    maker: str
    parts: tuple[object, ...]


KernelBody = Callable[..., object] | str | Made
"""The dialect function of an operator of the native library: itself, as ``module.function`` of
`tscript.runtime.kernels`, or what makes it there. What is named is imported only to compile it. Code calls a kernel by
the name of the function."""


def kernel_name(body: KernelBody) -> str:
    """The name of the function, which no other kernel has."""
    match body:
        case str():
            return body.rpartition(".")[2]
        case Made():
            return body.name
    return body.__name__


@dataclass(frozen=True, slots=True)
class Reduces:
    """That a kernel reduces dimensions of its first argument, and how: fusion and generated loops do the same.

    Attributes:
        fold: What is done with one element: a `tscript.operators.python.folds.Fold`.
        as_bool: Whether the results are computed as bools.
        centre: Of a variance, the fold whose result is the shift of `fold`. Both are computed in float64.
    """

    fold: object
    as_bool: bool = False
    centre: object = None


@dataclass(frozen=True, slots=True)
class ForArrays:
    """A kernel as it is called for arrays.

    Attributes:
        body: The dialect function, which is not generic.
        check: Raises, given the values, what it raises and the operator does not.
    """

    body: str
    check: Callable[..., None]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function of the native library, called by symbol.

    Arguments are marshalled by their schema type: see `tscript.backend.nodes.marshal`. A kernel that is generic over
    element types is instantiated per dtype of the argument at position `generic`.

    Attributes:
        body: The dialect function.
        generic: Positions of the tensor arguments (or -1: the result) whose dtypes instantiate it; () if not generic.
        reduces: Set for reductions that may become part of fused groups. Their parameters ``dim``, ``keepdim`` and
            ``dtype`` are the usual ones.
        for_arrays: What is called for arrays, with NumPy's errors; None if that is the same.
    """

    body: KernelBody
    generic: tuple[int, ...] = ()
    reduces: Reduces | None = None
    for_arrays: ForArrays | None = None

    @property
    def symbol(self) -> str:
        """See `kernel_name`."""
        return kernel_name(self.body)


@dataclass(frozen=True, slots=True)
class Native:
    """A function of the native library over values of any type: strings, containers, objects.

    Arguments by the kind the schema gives them: ``int`` i64, ``int?`` i64 (None: `NONE_INT`), ``float`` f64, ``bool``
    b8; ``str bytes list dict set self object Tensor`` the address, null for None; ``T K V`` a pointer to the value's
    cells; ``Any`` a pointer to its `TypeInfo`, then one to its cells. A result that is a number, a bool or one heap
    object is the function's result; any other goes to the cells that the last argument points to. Arguments are
    borrowed, results are the caller's, and the function retains what it keeps.

    Attributes:
        body: The dialect function; None where the backend writes code in place of a call.
        typed: Whether the first argument is the `TypeInfo` of the result.
    """

    body: KernelBody | None
    typed: bool = False

    @property
    def symbol(self) -> str:
        """See `kernel_name`."""
        assert self.body is not None, "the backend writes code in place of a call"
        return kernel_name(self.body)


@dataclass(frozen=True, slots=True)
class Composite:
    """A body in the language itself over other operators, inlined where the operator stands, then fused.

    The body is all there is to know: `specialise` finds the type of the result in it, the interpreter its meaning.
    Whoever asks is handed what lowers bodies (`tscript.ir.bodies.LowerBody`).

    Attributes:
        body: The source function; it takes the operator's parameters.
    """

    body: Callable[..., object]


@dataclass(frozen=True, slots=True)
class Structural:
    """Has no code of its own: tuples, constants. The backend handles it by class of value."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Waits for a forked call; the backend has code for it."""


@dataclass(frozen=True, slots=True)
class PythonCall:
    """A plain Python function, called with the GIL through the runtime's dispatch, by the operator's name.

    Attributes:
        function: Takes one value per parameter of the schema (tensors, numbers, tuples …) and gives the result, checked
            against the schema.
    """

    function: Callable[..., object]


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A C function of somebody else, called by symbol in the convention of ``tscript_ops.h``, without the GIL.

    Attributes:
        symbol: The name the linker resolves; the address belongs to the process and is never part of code.
        releases_gil: Whether the GIL is released before it runs.
    """

    symbol: str
    releases_gil: bool = True


@dataclass(frozen=True, slots=True)
class OperatorLibrary:
    """Where an operator that is not built in comes from: what an archive says when it is missing.

    Attributes:
        name: Its namespace, ``mylib``.
        module: The Python module that defined the operator.
        install: How to get it (``pip install mylib``); empty when nobody said.
    """

    name: str
    module: str = ""
    install: str = ""


def in_body(*values: object) -> object:
    """The `semantics` of a `Composite`, which its body has."""
    raise NotImplementedError("the meaning of a composite operator is what the interpreter makes of its body")


Implementation = (
    Wait
    | Native
    | Leaf
    | Extern
    | CCall
    | Scalar
    | Pointwise
    | Kernel
    | Composite
    | PythonCall
    | NativeCall
    | Structural
)


REFUSES_EMPTY = "refuses-empty"
"""Tag of reductions that raise when there is nothing to reduce."""

READS_ELEMENTS = "reads-elements"
"""Tag of operators whose result is a number taken from a tensor's elements."""

SAME_DTYPE_IS_SELF = "same-dtype-is-self"
"""Tag of casts that give back their argument itself, not a copy, when it has the dtype already; specialisation removes
them."""

NUMBERS_AS_TENSORS = "numbers-as-tensors"
"""Tag of a composite whose ``Tensor`` parameters also take numbers, as those of pointwise operators do."""

FACTORY = "factory"
"""Tag of operators that make tensors: they take the keywords of `tscript.definitions.factory` besides their own."""

SEVERAL = "several"
"""Tag of operators whose first parameter is ``Tensor[]`` and also takes the tensors one by one, as arguments."""

DRAWS = "draws"
"""Tag of operators that read or change a generator of random tensors: iterations that do depend on each other."""

MAY_BE_SELF = "may-be-self"
"""Tag of views that give back their argument itself when it has the form already."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class OpDef:
    """One operator. Compared by identity.

    Attributes:
        schema: Name, overload, parameters and result in aten syntax.
        type_rule: Result type from argument types and constants; raises `OperatorTypeError`.
        semantics: The operator on values: Python scalars, tuples, `DType`s, and NumPy arrays for tensors (views share
            memory, writes go to the array). Takes one positional argument per schema parameter. `in_body` for a
            `Composite`: ask `tscript.ir.interpreter.meaning`.
        implementation: How native code does it.
        effects: See `Effects`.
        doc: What users read of it: one line, or a docstring.
        exact: Whether `semantics` gives the same bits as native code (False for math functions on tensors).
        variadic: The last parameter may be repeated (structural operators only).
        library: Where it comes from; None when it is built in.
        portable: Whether IR of a file may name it. Such an operator is total: whatever its type rule accepts, it gives
            a value or raises, and reads and writes nothing but its arguments. False for what passes and backend make
            for themselves.
        earlier: The operators, by name, that its earlier versions are read as, the first version first: programs that
            were written down before an operator changed its meaning keep theirs.
        names: The names by which users reach it.
        gradient: Its derivative, a function in the language: the gradients of its arguments from that of its result.
            None where it has none.
        name: ``add.int``: the name with its overload; unique, and what IR text prints.
    """

    schema: Schema
    type_rule: TypeRule
    semantics: Callable[..., object]
    implementation: Implementation
    effects: Effects = PURE
    doc: str = ""
    exact: bool = True
    variadic: bool = False
    tags: frozenset[str] = field(default=frozenset())
    library: OperatorLibrary | None = None
    portable: bool = False
    earlier: tuple[str, ...] = ()
    names: Names = NO_NAMES
    gradient: Callable[..., object] | None = None
    name: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.schema.qualified_name)

    @property
    def version(self) -> int:
        """Which version of its meaning this is, from 1."""
        return len(self.earlier) + 1

    @property
    def takes_epilogue(self) -> bool:
        """Whether it is a kernel that may run the loop of a fused group over its result (`tscript.abi.epilogues`): its
        last parameter is ``epilogue``, an int that is 0 in IR."""
        parameters = self.schema.parameters
        return bool(parameters) and parameters[-1].name == "epilogue"

    @property
    def is_observed(self) -> bool:
        """Whether operator callbacks see it: it makes a tensor, reads or writes elements, or calls a function of the
        user's. Questions such as the size of a tensor are not seen."""
        if isinstance(self.implementation, PythonCall | NativeCall):
            return True
        if not isinstance(self.implementation, Kernel | Pointwise | Composite):
            return False
        return "Tensor" in self.schema.result or READS_ELEMENTS in self.tags or bool(self.effects.writes)

    def __repr__(self) -> str:
        return f"<OpDef {self.name}>"
