"""Helpers that make an `OpDef` of each kind from little more than its schema and its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.operators.core.names import in_place_names, parse_names
from tscript.operators.core.opdef import (
    MISSING,
    PURE,
    RAISES,
    Arg,
    Composite,
    Effects,
    Kernel,
    KernelBody,
    Native,
    OpDef,
    OperatorIndexError,
    OperatorTypeError,
    Pointwise,
    Scalar,
    TypeRule,
    in_body,
)
from tscript.operators.core.promotion import PointwiseRule
from tscript.operators.core.schema import OPEN, Parameter, Schema, parse_schema
from tscript.operators.core.values import Array, ValueArg, broadcast_shape, cast
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    SIZE,
    STR,
    TENSOR,
    DictType,
    DType,
    ListType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtypes,
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
    "None": NONE,
    "Size": SIZE,
    "bytes": BYTES,
    "complex": COMPLEX,
}
"""Schema kinds that are one type of the language."""

NUMBERS_AS_TENSORS = "numbers-as-tensors"
"""Tag of a composite whose ``Tensor`` parameters also take numbers, as those of pointwise operators do."""

# ---- type rules


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


# ---- scalar operators


def scalar(
    schema: str,
    body: Callable[..., Any],
    doc: str,
    *,
    meaning: Callable[..., object] | None = None,
    raises: bool = False,
    names: str = "",
) -> OpDef:
    """An operator of the language's scalars.

    Args:
        schema: Of ints, floats, bools and dtypes.
        body: A dialect function, a leaf operator or a C function of `libm`; ``T`` is the type of the first operand.
        doc: One line.
        meaning: The same on Python values; the body itself when left out.
        raises: Whether it can raise.
        names: See `parse_names`.
    """
    parsed = parse_schema(schema)
    rule = fixed(SCALARS[parsed.result], [p.kind for p in parsed.parameters])
    effects, found = RAISES if raises else PURE, parse_names(parsed, names)
    return OpDef(parsed, rule, meaning or body, Scalar(body), effects, doc, portable=True, names=found)


# ---- pointwise operators


def pointwise(
    schema: str,
    rule: PointwiseRule,
    body: Callable[..., Any],
    doc: str,
    *,
    exact: bool = True,
    guard: Callable[..., None] | None = None,
    tags: Iterable[str] = (),
    names: str | None = None,
) -> OpDef:
    """A pointwise operator.

    Args:
        schema: A ``Tensor`` parameter also takes a number, as long as one argument is a tensor.
        rule: Its promotion.
        body: Straight-line dialect function over one element of each operand, a leaf operator, or a `ByType` of those.
            It runs over NumPy arrays as it stands, and so is the operator's meaning.
        doc: One line.
        exact: Whether it gives the same bits there; functions of `vector_math` do not.
        guard: Raises, given the arrays, what another operator raises before this one in native code.
        tags: See `OpDef`.
        names: See `parse_names`.
    """
    parsed = parse_schema(schema)
    tensors = sum(parsed.parameters[i].kind == "Tensor" for i in rule.operands)
    effects = Effects(writes=(rule.operands[0],), raises=True) if rule.in_place else RAISES if tensors > 1 else PURE
    return OpDef(
        parsed,
        rule.result,
        _on_arrays(rule, body, guard),
        Pointwise(body, rule),
        effects,
        doc,
        exact,
        tags=frozenset(tags),
        portable=True,
        names=parse_names(parsed, names),
    )


def pointwise_pair(
    schema: str,
    rule: PointwiseRule,
    body: Callable[..., Any],
    doc: str,
    *,
    exact: bool = True,
    guard: Callable[..., None] | None = None,
    names: str | None = None,
) -> tuple[OpDef, OpDef]:
    """A pointwise operator and its in-place variant ``name_``, which writes its first operand and gives it back. Of the
    `names` those that end in ``_`` are further names of the variant."""
    own, further = names, ""
    if names is not None:
        own = " ".join(name for name in names.split() if not name.endswith("_"))
        further = " ".join(name for name in names.split() if name.endswith("_"))
    op = pointwise(schema, rule, body, doc, exact=exact, guard=guard, names=own)
    written = rule.operands[0]
    parameters = tuple(replace(p, written=i == written) for i, p in enumerate(op.schema.parameters))
    stored = Schema(f"{op.schema.name}_", op.schema.overload, parameters, op.schema.result)
    text = f"In-place `{op.schema.name}`."
    variant = pointwise(str(stored), rule.stored(), body, text, exact=exact, guard=guard)
    unary = sum(p.kind == "Tensor" for p in parameters) == 1
    return op, replace(variant, names=in_place_names(op.names, stored, further, unary=unary))


def _on_arrays(
    rule: PointwiseRule, body: Callable[..., Any], guard: Callable[..., None] | None
) -> Callable[..., object]:
    def semantics(*values: object) -> Array:
        computation = rule([ValueArg(v) for v in values])
        assert computation is not None
        target = values[rule.operands[0]]
        if rule.in_place:
            check_distinct(target)
        operands = [
            cast(values[i], dtypes.bool_ if i in rule.conditions else computation.compute) for i in rule.operands
        ]
        shape = broadcast_shape([o.shape for o in operands])
        if guard is not None:
            guard(*operands)
        with np.errstate(all="ignore"):
            # What NumPy makes of 0-d arrays are scalars, with other rules.
            found = cast(np.asarray(body(*map(np.atleast_1d, operands))), computation.result)
        found = np.broadcast_to(found, shape or (1,)).reshape(shape)
        if not rule.in_place:
            return np.array(found, order="C")
        assert isinstance(target, np.ndarray)
        store(target, found, shape)
        return target

    return semantics


def check_distinct(target: object) -> None:
    """Raise RuntimeError when the elements of `target` may not be written one by one: the memory is read-only, or a
    dimension was expanded."""
    assert isinstance(target, np.ndarray)
    if not target.flags.writeable:
        raise RuntimeError("the memory of this tensor is read-only: clone() it before writing to it")
    repeats = any(stride == 0 and size > 1 for stride, size in zip(target.strides, target.shape, strict=True))
    if repeats and target.size:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def store(target: Array, value: Array, shape: tuple[int, ...]) -> None:
    """Write `value` into `target`; `shape` is what the operands broadcast to.

    Raises:
        RuntimeError: It is not the shape of `target`.
    """
    if shape != target.shape:
        if len(shape) + target.ndim > MAX_ERROR_ARGS:
            raise RuntimeError("the shape of the output doesn't match the shape that the operands broadcast to")
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}")
    np.copyto(target, value, casting="unsafe")


# ---- kernels and composites


def kernel(
    schema: str,
    rule: TypeRule,
    semantics: Callable[..., object],
    body: KernelBody,
    doc: str,
    *,
    generic: tuple[int, ...] = (),
    effects: Effects = RAISES,
    exact: bool = True,
    tags: Iterable[str] = (),
    names: str | None = None,
) -> OpDef:
    """An operator that the native library does: `body` is its dialect function, `names` are what `parse_names` reads.
    What it makes is contiguous."""
    if effects.view_of is None:
        semantics = _checked(rule, semantics)
    parsed = parse_schema(schema)
    found = parse_names(parsed, names)
    return OpDef(
        parsed,
        rule,
        semantics,
        Kernel(body, generic),
        effects,
        doc,
        exact,
        tags=frozenset(tags),
        portable=True,
        names=found if effects.view_of is None else replace(found, out=False),
    )


def _checked(rule: TypeRule, semantics: Callable[..., object]) -> Callable[..., object]:
    """`semantics` with the refusals of the rule, which know more than a program whose dtypes are not known yet, and
    contiguous results."""

    def laid_out(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(laid_out, value))
        return np.asarray(value, order="C") if isinstance(value, np.ndarray) else value

    def checked(*values: object) -> object:
        rule([ValueArg(v) for v in values])
        return laid_out(semantics(*values))

    return checked


def native(
    schema: str,
    semantics: Callable[..., object],
    body: KernelBody | None,
    doc: str,
    *,
    rule: TypeRule | None = None,
    effects: Effects = RAISES,
    typed: bool = False,
    exact: bool = True,
    tags: Iterable[str] = (),
    portable: bool = True,
) -> OpDef:
    """An operator over strings, containers or objects that the native library does; see `Native`.

    Args:
        schema: Its result is a type, in which ``T K V self`` stand for what they are of the first argument.
        semantics: The same on Python values.
        body: The dialect function.
        doc: One line.
        rule: The type rule; read off the schema when left out.
        effects: What reads or changes a list, a dict, a set or an object may not be `PURE`: two equal calls differ.
        typed: See `Native`.
        exact: False keeps it from being evaluated at compile time.
        tags, portable: See `OpDef`.

    Example:
        >>> from tscript.operators.core.values import ValueArg
        >>> op = native("upper.str(str self) -> str", str.upper, "strings_case.str_upper", "Upper case.", effects=PURE)
        >>> str(op.type_rule([ValueArg("a")]))
        'str'
    """
    parsed = parse_schema(schema)
    found = schema_rule(parsed, changes=effects.world) if rule is None else rule
    implementation = Native(body, typed)
    return OpDef(parsed, found, semantics, implementation, effects, doc, exact, tags=frozenset(tags), portable=portable)


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
            raise OperatorTypeError(f"a {first} does not change")
        return _result(schema.result, first)

    return rule


def unbound_argument(schema: Schema, args: Sequence[Arg]) -> str | None:
    """How an argument is not what the first one makes of its parameter's type variables; None when all are."""
    names = receiver_types(args[0].type) if args else {}
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


def view(
    schema: str,
    rule: TypeRule,
    semantics: Callable[..., object],
    body: KernelBody,
    doc: str,
    tags: Iterable[str] = (),
    *,
    names: str | None = None,
) -> OpDef:
    """A kernel whose result shares the storage of its first argument."""
    return kernel(schema, rule, semantics, body, doc, effects=Effects(view_of=0, raises=True), tags=tags, names=names)


def composite(
    schema: str,
    body: Callable[..., Any],
    doc: str,
    *,
    exact: bool = False,
    tags: Iterable[str] = (),
    names: str | None = None,
) -> OpDef:
    """An operator that is a function in the language over other operators.

    Args:
        schema: Its result is ``Tensor``, ``Scalar``, a type of `SCALARS`, or a tuple of those.
        body: The function. It takes the parameters of the schema, each of the type of its argument; a parameter that
            may be None, or an int as well as a tuple, is asked with ``if`` as anywhere.
        doc: One line.
        exact: Whether its body gives the same bits in the interpreter and in native code.
        tags: See `OpDef`.
        names: See `parse_names`.
    """
    parsed, tagged = parse_schema(schema), frozenset(tags)
    rule = declared_rule(parsed, NUMBERS_AS_TENSORS in tagged)
    return OpDef(
        parsed,
        rule,
        in_body,
        Composite(body),
        RAISES,
        doc,
        exact,
        tags=tagged,
        portable=True,
        names=parse_names(parsed, names),
    )


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
        return numbers and arg.type in (BOOL, INT, FLOAT)

    return rule


def declared_result(text: str) -> Type:
    """The type that the result of a composite operator is declared as.

    Example:
        >>> str(declared_result("(Tensor, int)"))
        'tuple[Tensor, int]'
    """
    if text.startswith("("):
        return TupleType(tuple(declared_result(part.strip()) for part in text[1:-1].split(",")))
    return {"Tensor": TENSOR, "Scalar": NUMBER}.get(text) or SCALARS[text]


__all__ = [
    "MISSING",
    "SCALARS",
    "Parameter",
    "SizeType",
    "check_dim",
    "composite",
    "constant_dtype",
    "constant_int",
    "constant_ints",
    "fixed",
    "int_count",
    "kernel",
    "native",
    "pointwise",
    "pointwise_pair",
    "scalar",
    "store",
    "tensor_of",
    "view",
]
