"""Questions about dtypes: which one holds two others, what one can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.definitions.define import composite
from tscript.definitions.dtype_limits import FLOAT_INFO, INT_INFO, float_info, int_info
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.names import parse_names
from tscript.definitions.opdef import RAISES, Arg, OpDef, Structural, TypeRule
from tscript.definitions.promotion import promoted
from tscript.definitions.rules import constant_dtype, fixed
from tscript.definitions.schema import parse_schema
from tscript.types import BOOL, DTYPE
from tscript.types.dtypes import can_cast, default_float


def _checked(rule: TypeRule, semantics: Callable[..., object]) -> TypeRule:
    """`rule`, which refuses the dtypes that `semantics` refuses, once they are known."""

    def found(args: Sequence[Arg]) -> object:
        result, known = rule(args), [constant_dtype(arg, None) for arg in args]
        if None not in known:
            semantics(*known)
        return result

    return found  # type: ignore[return-value]


def _query(schema: str, rule: TypeRule, semantics: Callable[..., object], doc: str) -> OpDef:
    parsed = parse_schema(schema)
    names = parse_names(parsed, parsed.name)
    return OpDef(parsed, _checked(rule, semantics), semantics, Structural(), RAISES, doc, portable=True, names=names)


@generic
def typical(x):  # type: ignore[no-untyped-def]
    """A tensor that is promoted as `x` is, with no elements unless it is a number."""
    return x if x.dim() == 0 else x.flatten()[:0]


def result_type(tensor1: Tensor, tensor2: Tensor):  # type: ignore[no-untyped-def]
    """The dtype of what arithmetic on two tensors, or on a tensor and a number, gives."""
    return (typical(tensor1) + typical(tensor2)).dtype


def result_type_number(tensor: Tensor, other: float):  # type: ignore[no-untyped-def]
    """The dtype of what arithmetic on a tensor and a number gives."""
    return (typical(tensor) + other).dtype


def number_result_type(scalar: float, tensor: Tensor):  # type: ignore[no-untyped-def]
    """The dtype of what arithmetic on a number and a tensor gives."""
    return (typical(tensor) + scalar).dtype


def numbers_result_type(scalar1: float, scalar2: float):  # type: ignore[no-untyped-def]
    """The dtype of what arithmetic on two numbers gives, as tensors."""
    return (torch.full((), scalar1) + torch.full((), scalar2)).dtype


OPERATORS: tuple[OpDef, ...] = (
    _query(
        "promote_types(dtype type1, dtype type2) -> dtype",
        fixed(DTYPE, ["dtype", "dtype"]),
        promoted,
        "The dtype that holds both.",
    ),
    _query(
        "can_cast(dtype from_, dtype to) -> bool",
        fixed(BOOL, ["dtype", "dtype"]),
        can_cast,
        "Whether the result of an operator of one dtype may be stored in another.",
    ),
    _query(
        "get_default_dtype() -> dtype",
        fixed(DTYPE, []),
        default_float,
        "The dtype of new tensors of Python's floats: float32, unless `tscript.set_default_dtype` says another one. "
        "Compiled code has the one that it was compiled for.",
    ),
    _query("finfo(dtype type) -> Any", fixed(FLOAT_INFO, ["dtype"]), float_info, "What a dtype of floats can hold."),
    _query("iinfo(dtype type) -> Any", fixed(INT_INFO, ["dtype"]), int_info, "What a dtype of integers can hold."),
    composite("result_type(Tensor tensor1, Tensor tensor2) -> dtype", result_type, names="torch.result_type"),
    composite(
        "result_type.Scalar(Tensor tensor, Scalar other) -> dtype", result_type_number, names="torch.result_type"
    ),
    composite(
        "result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> dtype",
        number_result_type,
        names="torch.result_type",
    ),
    composite(
        "result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> dtype",
        numbers_result_type,
        names="torch.result_type",
    ),
)
"""All operators of this module."""
