"""Type rules that operators are defined with, and what they ask of their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.definitions.opdef import Arg, OperatorIndexError, OperatorTypeError, TypeRule
from tscript.definitions.schema import OPEN, Schema
from tscript.types import (
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
    NONE,
    NUMBER,
    SIZE,
    STR,
    TENSOR,
    DictType,
    DType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    general,
    has_same_form,
    kept_by_type,
    parse_type,
    passes_as,
)

SCALARS: dict[str, Type] = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": STR,
    "dtype": DTYPE,
    "Device": DEVICE,
    "layout": LAYOUT,
    "memory_format": MEMORY_FORMAT,
    "None": NONE,
    "Size": SIZE,
    "bytes": BYTES,
    "Generator": GENERATOR,
    "complex": COMPLEX,
}
"""Schema kinds that are one type of the language."""


def fixed(result: Type, kinds: Sequence[str] = ()) -> TypeRule:
    """The rule of an operator whose result is always `result`; `kinds` are checked where they name one type."""
    expected = [SCALARS.get(kind) for kind in kinds]

    def rule(args: Sequence[Arg]) -> Type:
        for position, (arg, wanted) in enumerate(zip(args, expected, strict=False)):
            if wanted is not None and arg.type != wanted:
                raise OperatorTypeError(f"argument {position + 1} must be {wanted}, not {arg.type}")
        return result

    return rule


def tensor_of(arg: Arg) -> TensorType:
    """The type of an argument that must be a tensor.

    Raises:
        OperatorTypeError: It is none.
    """
    if not isinstance(arg.type, TensorType):
        raise OperatorTypeError(f"expected a Tensor, not {arg.type}")
    return arg.type


def constant_int(arg: Arg) -> int | None:
    """The constant int behind an argument, or None when it is not known."""
    found = arg.constant
    return found if isinstance(found, int) else None


def constant_dtype(arg: Arg, default: DType | None) -> DType | None:
    """The dtype behind a ``dtype?`` argument: `default` when it is None, and None when it is not known."""
    if arg.type == NONE or arg.constant is None:
        return default
    found = arg.constant
    return found if isinstance(found, DType) else None


def int_count(arg: Arg) -> int | None:
    """How many ints an ``int[]`` argument holds, or None when that is not known."""
    match arg.type:
        case TupleType():
            return len(arg.type.elements)
        case _ if arg.type == INT:
            return 1
        case _:
            found = arg.constant
            return len(found) if isinstance(found, tuple) else None


def constant_ints(arg: Arg) -> tuple[int, ...] | None:
    """The constant ints behind an ``int[]`` argument, or None when they are not known."""
    found = arg.constant
    if isinstance(found, int) and not isinstance(found, bool):
        return (found,)
    if isinstance(found, tuple) and all(isinstance(i, int) for i in found):
        return found
    return None


def check_dim(dim: int | None, rank: int | None) -> int | None:
    """`dim` from the front when both are known.

    Raises:
        OperatorIndexError: It is out of range.
    """
    if dim is None or rank is None:
        return None
    limit = max(rank, 1)
    if not -limit <= dim < limit:
        raise OperatorIndexError(
            f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})"
        )
    return dim + limit if dim < 0 else dim


# ---- of composites


def declared_rule(schema: Schema, numbers: bool) -> TypeRule:
    """What a schema says of the type of the result; of tensors neither dtype nor rank.

    Args:
        schema: Of a composite operator.
        numbers: Whether numbers stand for tensors, as long as there is one tensor.
    """
    result = declared_result(schema.result)
    kinds = [p.kind for p in schema.parameters]
    check = fixed(result, kinds)

    def rule(args: Sequence[Arg]) -> Type:
        tensors = [tensor_of(a) for a, kind in zip(args, kinds, strict=True) if kind == "Tensor" and not is_number(a)]
        if numbers and not tensors:
            raise OperatorTypeError("at least one argument must be a Tensor")
        return check(args)

    def is_number(arg: Arg) -> bool:
        return numbers and arg.type in (BOOL, INT, FLOAT, COMPLEX)

    return rule


def declared_result(text: str) -> Type:
    """The type that the result of a composite operator is declared as.

    Example:
        >>> str(declared_result("(Tensor, int)"))
        'tuple[Tensor, int]'
    """
    if text.startswith("("):
        return TupleType(tuple(declared_result(part.split()[0]) for part in text[1:-1].split(",")))
    found = {
        "Tensor": TENSOR,
        "Tensor?": OptionalType(TENSOR),
        "Scalar": NUMBER,
        "Tensor[]": ListType(TENSOR, frozen=True),
    }
    return found.get(text) or SCALARS[text]


def rule_when(schema: Schema, rule: TypeRule, constants: Mapping[str, object]) -> TypeRule:
    """`rule` for calls in which parameters have some constants; other calls are refused."""
    wanted = [(i, p.name, constants[p.name]) for i, p in enumerate(schema.parameters) if p.name in constants]

    def decide(args: Sequence[Arg]) -> Type:
        for i, name, constant in wanted:
            if args[i].constant is not constant:
                raise OperatorTypeError(f"'{name}' must be the constant {constant}")
        return rule(args)

    return decide


# ---- of native operators


def schema_rule(schema: Schema, *, changes: bool = False) -> TypeRule:
    """The rule that the schema of a native operator says.

    Args:
        schema: What it leaves open is decided by the first argument.
        changes: Whether the operator writes to the first argument, which may then be no tuple.

    Raises:
        ValueError: A parameter behind the first is a container of anything: native code would take its elements for
            those of the first.
    """
    unbound = [p.name for p in schema.parameters[1:] if p.kind in OPEN]
    if unbound:
        raise ValueError(f"{schema}: the schema does not say what '{unbound[0]}' holds, and there is no rule that does")

    def rule(args: Sequence[Arg]) -> Type:
        problem = unbound_argument(schema, args)
        if problem is not None:
            raise OperatorTypeError(problem)
        first = args[0].type if args else NONE
        if changes and isinstance(first, ListType) and first.frozen:
            raise OperatorTypeError(f"a {first} is immutable")
        return _result(schema.result, first)

    return rule


def unbound_argument(schema: Schema, args: Sequence[Arg]) -> str | None:
    """How an argument is not what the first one makes of its parameter's type variables; None when all are."""
    names = receiver_types(general(args[0].type)) if args else {}
    for parameter, arg in zip(schema.parameters, args, strict=True):
        outer, _, inner = parameter.kind.removesuffix("]").partition("[")
        if outer == "list" and inner:
            element = names.get(inner, SCALARS.get(inner))
            if not isinstance(arg.type, ListType) or arg.type.element != element:
                return f"'{parameter.name}' must be list[{element or inner}], not {arg.type}"
        elif parameter.kind in VARIABLES:
            wanted = names.get(parameter.kind)
            if wanted is None or not (passes_as(arg.type, wanted) and has_same_form(arg.type, wanted)):
                return f"'{parameter.name}' must be {wanted or parameter.kind}, not {arg.type}"
    return None


VARIABLES = frozenset({"T", "K", "V", "self"})
"""Kinds that stand for a type which the first argument decides."""


@kept_by_type
def _result(text: str, receiver: Type) -> Type:
    if "list[" in text:  # what may change holds any tensors
        receiver = general(receiver)
    return parse_type(text, receiver_types(receiver))


def receiver_types(receiver: Type) -> dict[str, Type]:
    """What ``T K V self`` stand for where the first argument is a `receiver`."""
    names: dict[str, Type] = {"self": receiver}
    match receiver:
        case ListType():
            names["T"] = receiver.element
        case SetType():
            names |= {"T": receiver.element, "K": receiver.element, "V": NONE}
        case DictType():
            names |= {"K": receiver.key, "V": receiver.value, "T": receiver.key}
    return names
