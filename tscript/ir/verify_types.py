"""Checks of the types and constants of a graph, for `tscript.ir.verifier`."""

from __future__ import annotations

from typing import NoReturn

from tscript.abi.layout import MAX_RANK, STRUCTS
from tscript.arrays import is_array, np
from tscript.definitions.resolve import CONTAINERS
from tscript.definitions.shared import Shared
from tscript.definitions.values import dtype_of_array, is_bfloat16
from tscript.ir.graph import (
    Block,
    Graph,
    Label,
    Node,
    Program,
    Value,
)
from tscript.ir.portable import PortableTypes
from tscript.ir.printer import Names, print_node
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DEVICE,
    DTYPE,
    FLOAT,
    GENERATOR,
    INT,
    LAYOUT,
    MEMORY_FORMAT,
    NEVER,
    NONE,
    OPTIONS,
    SIZE,
    STR,
    TYPE,
    CallableType,
    ClassType,
    DictType,
    DType,
    EnumMember,
    EnumType,
    FutureType,
    ListType,
    MachineType,
    OptionalType,
    PtrType,
    ScalarType,
    SetType,
    SimpleType,
    SizeType,
    StructType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    dtype_of,
    is_subtype,
    members_of,
)
from tscript.types.options import Option


class VerifyError(Exception):
    """IR is not well-formed.

    Attributes:
        graph: Name of the graph.
        node: First line of the invalid node as IR text; empty if it is the graph itself.
        rule: What is broken.
    """

    def __init__(self, graph: str, node: str, rule: str) -> None:
        super().__init__(f"@{graph}: {node}: {rule}" if node else f"@{graph}: {rule}")
        self.graph = graph
        self.node = node
        self.rule = rule

    def __reduce__(self) -> tuple[object, ...]:
        return (VerifyError, (self.graph, self.node, self.rule))


class Context:
    """The shared state of the graphs of one program."""

    __slots__ = (
        "checked_types", "from_file", "portable", "program", "seen_blocks", "seen_labels", "seen_nodes", "seen_values"
    )  # fmt: skip

    def __init__(self, program: Program | None, from_file: bool) -> None:
        self.program = program
        self.from_file = from_file
        self.seen_nodes: set[Node] = set()
        self.seen_blocks: set[Block] = set()
        self.seen_labels: set[Label] = set()
        self.seen_values: set[Value] = set()
        self.checked_types: set[Type] = set()
        self.portable = PortableTypes()


_CONSTANTS: dict[Type, type] = {
    STR: str, BYTES: bytes, COMPLEX: complex, NONE: type(None), DTYPE: DType, TYPE: Type, **OPTIONS
}  # fmt: skip


class TypeChecks:
    """Checks of types and constants in one graph, and the errors of all checks."""

    __slots__ = ("_names", "context", "graph", "node")

    def __init__(self, context: Context, graph: Graph) -> None:
        self.context = context
        self.graph = graph
        self.node: Node | None = None
        self._names: Names | None = None

    def names(self) -> Names:
        if self._names is None:
            self._names = Names(self.graph)
        return self._names

    def error(self, rule: str) -> VerifyError:
        node = "" if self.node is None else print_node(self.node, self.names())
        return VerifyError(self.graph.name, node, rule)

    def fail(self, rule: str) -> NoReturn:
        raise self.error(rule)

    def show(self, value: Value) -> str:
        return self.names().value(value)

    def check_portable(self, type: Type) -> None:
        reason = self.context.portable.refusal(type)
        if reason is not None:
            self.fail(reason)

    def check_type(self, type: Type) -> None:
        if type in self.context.checked_types:
            return
        match type:
            case TensorType():
                if type.rank is not None and not 0 <= type.rank <= MAX_RANK:
                    self.fail(f"the rank of a tensor is between 0 and {MAX_RANK}, found {type}")
            case TupleType():
                for element in type.elements:
                    self.check_type(element)
            case FutureType() | OptionalType():
                self.check_type(type.value)
            case ListType() | SetType():
                self.check_type(type.element)
            case DictType():
                self.check_type(type.key)
                self.check_type(type.value)
            case UnionType():
                for member in type.members:
                    self.check_type(member)
            case CallableType():
                for part in (*type.parameters, type.result):
                    self.check_type(part)
            case ClassType() | EnumType():
                pass
            case PtrType() | StructType() if self.context.from_file:
                self.fail(f"machine memory is not allowed here, found a {type}")
            case PtrType():
                if not isinstance(type.pointee, StructType):
                    self.check_type(type.pointee)
                elif type.pointee.name not in STRUCTS:
                    self.fail(f"there is no struct {type.pointee}")
            case StructType():
                self.fail(f"a struct only stands behind a pointer, found {type}")
            case SimpleType() | MachineType() | ScalarType() | SizeType():
                pass
            case _:
                self.fail(f"not a type: {type!r}")
        self.context.checked_types.add(type)

    def holds(self, type: Type, value: object) -> bool:
        """Whether the constant `value` is one of `type`."""
        if isinstance(value, Shared):
            return Shared.holds(type)
        match type:
            case TupleType():
                return (
                    isinstance(value, tuple)
                    and len(value) == len(type.elements)
                    and all(map(self.holds, type.elements, value))
                )
            case SizeType():  # native code has none
                return (
                    not self.context.from_file and isinstance(value, tuple) and all(self.holds(INT, v) for v in value)
                )
            case TensorType():
                return _is_tensor(type, value)
            case OptionalType():
                return value is None
            case UnionType():
                return value is None and NONE in type.members
            case EnumType():
                return isinstance(value, str) and value in type.info.members
        if type == ANY:
            return value is None
        dtype = dtype_of(type)
        if dtype is not None:
            if dtype.name == "bool":
                return isinstance(value, bool)
            if dtype.is_floating_point:
                return isinstance(value, float)
            bits = dtype.itemsize * 8
            low, high = (-(1 << bits - 1), 1 << bits - 1) if dtype.signed else (0, 1 << bits)
            return isinstance(value, int) and not isinstance(value, bool) and low <= value < high
        wanted = _CONSTANTS.get(type)
        if wanted is None or not isinstance(value, wanted):
            return False
        if isinstance(value, Type):
            self.check_type_constant(value)
        return True

    def holds_default(self, type: Type, value: object) -> bool:
        """Whether `value` may be the default of a parameter of `type`."""
        match type:
            case OptionalType() | UnionType():
                return any(self.holds_default(m, value) for m in members_of(type))
            case ListType(frozen=True):
                return isinstance(value, tuple) and all(self.holds_default(type.element, v) for v in value)
            case TupleType() if isinstance(value, tuple) and len(value) == len(type.elements):
                return all(map(self.holds_default, type.elements, value))
            case ScalarType(dtype=dtype):
                return isinstance(value, np.generic) and value.dtype.name == dtype.name
            case EnumType():
                return isinstance(value, EnumMember) and value.type == type and value.name in type.info.members
        return type == ANY or self.holds(type, value)

    def check_type_constant(self, type: Type) -> None:
        """A type as a constant may also be a struct, what a pointer is cast to."""
        if isinstance(type, StructType) and not self.context.from_file and type.name in STRUCTS:
            return
        self.check_type(type)
        if self.context.from_file:
            self.check_portable(type)


def _is_tensor(type: TensorType, value: object) -> bool:
    """Whether `value`, a tensor or an array, has the dtype and rank that `type` knows."""
    if value is None or isinstance(value, (bool, int, float, str, tuple, DType, Type, Option)):
        return False
    dtype = dtype_of_array(value) if is_array(value) and is_bfloat16(value) else getattr(value, "dtype", None)
    return (type.dtype is None or dtype is type.dtype or getattr(dtype, "name", None) == type.dtype.name) and (
        type.rank is None or getattr(value, "ndim", None) == type.rank
    )


KINDS: dict[str, tuple[Type, ...]] = {
    "int": (INT,),
    "float": (FLOAT,),
    "bool": (BOOL,),
    "str": (STR,),
    "dtype": (DTYPE,),
    "Device": (DEVICE,),
    "layout": (LAYOUT,),
    "memory_format": (MEMORY_FORMAT,),
    "type": (TYPE,),
    "None": (NONE,),
    "Scalar": (INT, FLOAT, BOOL),
    "bytes": (BYTES,),
    "Generator": (GENERATOR,),
    "complex": (COMPLEX,),
}


def is_number(type: Type) -> bool:
    """Whether values of a type are numbers that may stand for a 0-d tensor."""
    return type in KINDS["Scalar"] or isinstance(type, ScalarType)


def accepts(kind: str, type: Type) -> bool:
    """Whether a value of `type` may be the argument for a parameter of `kind` in an operator's schema.

    A plain int for ``int[1]`` is made a tuple by overload resolution, so IR has none. (Some operators also take
    numbers for the tensors they do not write: `tscript.definitions.resolve.takes_numbers`; their rules say which.)

    Example:
        >>> accepts("int[1]", TupleType((INT, INT)))
        True
    """
    if kind in ("Any", "T", "K", "V", "self") or type == NEVER:
        return True
    if kind.endswith("?"):
        inner = type.value if isinstance(type, OptionalType) else type
        return type == NONE or accepts(kind[:-1], inner)
    if kind in CONTAINERS:
        return isinstance(type, CONTAINERS[kind])
    if kind == "Tensor":
        return isinstance(type, TensorType)
    if kind == "Tensor[]":
        return isinstance(type, TupleType) and all(isinstance(e, TensorType) for e in type.elements)
    if kind in ("int[]", "int[1]"):
        return is_subtype(type, SIZE)
    if kind == "float[]":
        return isinstance(type, TupleType) and all(e == FLOAT for e in type.elements)
    if kind.startswith("list["):
        return isinstance(type, ListType)
    return type in KINDS.get(kind, ())


def holds_never(type: Type) -> bool:
    """Whether a type has a part that has no values."""
    return type == NEVER or (isinstance(type, TupleType) and any(map(holds_never, type.elements)))
