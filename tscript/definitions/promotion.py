"""Dtypes and ranks of pointwise operators: PyTorch's promotion rules, one `PointwiseRule` per operator.

A rule knows which parameters of the schema are operands and decides two dtypes: the *compute* dtype, to which every
operand is converted before the body runs (it binds ``T``), and the dtype of the *result*, to which the body's value is
converted. Promotion has three kinds of operand: tensors with dimensions, 0-d tensors, and Python numbers. A kind
changes the result of the kinds before it only by a higher category (bool < integer < float):

    float32[3] + 1.5 -> float32      int64[3] + 0.5 -> float32      int32[3] + int64[] -> int32
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import product
from typing import NamedTuple

from tscript.definitions.opdef import Arg, OperatorNotImplementedError, OperatorRuntimeError, OperatorTypeError
from tscript.late import dataclass, replace
from tscript.types import BOOL, COMPLEX, FLOAT, INT, NONE, DType, ScalarType, TensorType, Type, dtypes
from tscript.types.dtypes import Category, PromotionError, can_cast, complex_dtype, promote_dtypes


class Kind(IntEnum):
    """What an operand is to promotion, the strongest first."""

    DIMENSIONED = 0
    ZERO_DIM = 1
    NUMBER = 2


class Operand(NamedTuple):
    """An operand of known dtype; a number has dtype int64, bool or the default float."""

    dtype: DType
    kind: Kind


class Computation(NamedTuple):
    """The two dtypes of a pointwise operator: operands are converted to `compute`, the body's value to `result`."""

    compute: DType
    result: DType


Decision = Callable[[Sequence[Operand]], Computation]
Refusal = Callable[[Sequence[Operand], Computation], str | None]

NUMBERS = frozenset({INT, FLOAT, BOOL, COMPLEX})
"""The types of numbers."""


def number_dtype(type: Type) -> DType:
    """The dtype that a number of one of these types suggests."""
    if type == INT:
        return dtypes.int64
    if type == BOOL:
        return dtypes.bool_
    return dtypes.default_float() if type == FLOAT else complex_dtype(dtypes.default_float())


def promoted(a: DType, b: DType) -> DType:
    """`promote_dtypes` in an operator.

    Raises:
        OperatorRuntimeError: There is no such dtype.
    """
    try:
        return promote_dtypes(a, b)
    except PromotionError as error:
        raise OperatorRuntimeError(str(error)) from None


def _combine(stronger: DType | None, weaker: DType | None) -> DType | None:
    if stronger is None or weaker is None:
        return stronger or weaker
    if stronger.category >= Category.FLOAT:
        is_raised = weaker.is_complex and not stronger.is_complex
        return complex_dtype(stronger) if is_raised else stronger
    if stronger.category is Category.BOOL or weaker.category >= Category.FLOAT:
        return promoted(stronger, weaker)
    return stronger


def result_type(operands: Sequence[Operand]) -> DType:
    """`torch.result_type` of any number of operands.

    Example:
        >>> result_type([Operand(dtypes.int32, Kind.DIMENSIONED), Operand(dtypes.int64, Kind.ZERO_DIM)])
        tscript.int32
    """
    by_kind: list[DType | None] = [None, None, None]
    for dtype, kind in operands:
        so_far = by_kind[kind]
        by_kind[kind] = dtype if so_far is None else promoted(so_far, dtype)
    found = _combine(by_kind[0], _combine(by_kind[1], by_kind[2]))
    assert found is not None
    return found


# ---- decisions: from the dtypes of the operands to the two dtypes of the operator


def _carrier(dtype: DType) -> DType:
    """What elements of `dtype` are computed in: bools as the bytes 0 and 1, so that arithmetic has a meaning; floats of
    16 bits as float32."""
    return dtypes.uint8 if dtype is dtypes.bool_ else dtype.computed_in


def promote(operands: Sequence[Operand]) -> Computation:
    """The common dtype; also for one operand, whose dtype is kept. bool + bool counts in bytes and is then bool
    again."""
    found = result_type(operands)
    return Computation(_carrier(found), found)


def keep(operands: Sequence[Operand]) -> Computation:
    """The common dtype, in which bools stay bools: casts, `bitwise_not`."""
    found = result_type(operands)
    return Computation(found, found)


def promote_float(operands: Sequence[Operand]) -> Computation:
    """The common dtype if it is a float, else the default float: `sqrt` of int64 is float32."""
    found = result_type(operands)
    result = found if found.is_floating_point or found.is_complex else dtypes.default_float()
    return Computation(result.computed_in, result)


def comparison(operands: Sequence[Operand]) -> Computation:
    """Computed in the common dtype, gives bool."""
    return Computation(_carrier(result_type(operands)), dtypes.bool_)


def classify(operands: Sequence[Operand]) -> Computation:
    """Computed in a float, gives bool: `isnan` …"""
    return Computation(promote_float(operands).compute, dtypes.bool_)


logical = comparison
"""`logical_and` …: whether an operand is zero survives the conversion to the common dtype."""


def first(operands: Sequence[Operand]) -> Computation:
    """The dtype of the first operand, to which the others are converted: `fill_`, `copy_`."""
    return Computation(operands[0].dtype, operands[0].dtype)


def refusing(decision: Decision, refuse: Refusal) -> Decision:
    """`decision`, but a text from `refuse` is raised as `OperatorRuntimeError`."""

    def decide(operands: Sequence[Operand]) -> Computation:
        found = decision(operands)
        if text := refuse(operands, found):
            raise OperatorRuntimeError(text)
        return found

    return decide


def not_implemented(decision: Decision, name: str, refused: Callable[[DType], bool]) -> Decision:
    """`decision`, but the result dtypes that `refused` says are refused for the kernel `name` in PyTorch's words."""

    def decide(operands: Sequence[Operand]) -> Computation:
        found = decision(operands)
        if refused(found.result):
            raise OperatorNotImplementedError(f"\"{name}\" not implemented for '{torch_name(found.result)}'")
        return found

    return decide


def is_bool(dtype: DType) -> bool:
    """Whether it is bool."""
    return dtype is dtypes.bool_


def is_float(dtype: DType) -> bool:
    """Whether it is a floating-point dtype."""
    return dtype.is_floating_point


def is_no_float(dtype: DType) -> bool:
    """Whether it is none."""
    return not dtype.is_floating_point


def is_exact(dtype: DType) -> bool:
    """Whether it is an integer dtype or bool."""
    return not dtype.is_floating_point and not dtype.is_complex


def torch_name(dtype: DType) -> str:
    """The name PyTorch's messages use: float32 is ``Float``, int64 is ``Long``."""
    return dtype.title


def check_cast(source: DType, target: DType) -> None:
    """An in-place result may not go to a lower category.

    Raises:
        OperatorRuntimeError: It would.
    """
    if not can_cast(source, target):
        raise OperatorRuntimeError(
            f"result type {torch_name(source)} can't be cast to the desired output type {torch_name(target)}"
        )


# ---- rules


@dataclass(frozen=True, slots=True)
class PointwiseRule:
    """Promotion of one pointwise operator. NumPy scalars count as 0-d tensors; of these alone the result is one.

    Attributes:
        operands: Positions in the schema of the body's parameters, in the body's order.
        decision: Gives the two dtypes from the operands that take part in promotion.
        silent: The operands that take no part in promotion. They are still converted to the type of their parameter of
            the body (`alpha` to ``T``).
        conditions: The operands whose parameter of the body is ``b8`` (`where`); silent too.
        in_place: Whether the result is stored into operand 0 and has its dtype and rank.
        same_shape: Whether the other operands must then have its shape; otherwise they are broadcast to it.
        assigns: Whether it does nothing else than to store operand 1, or a number.
        fixed: The result dtype where it does not depend on the operands.
        target: For casts: the result dtype from the arguments (None: not known); the compute dtype is the decision's.
        check: Further refusals, over the arguments; raises.
        refuses_complex: How PyTorch names the kernel that complex operands are refused for; empty if they are taken.
    """

    operands: tuple[int, ...]
    decision: Decision
    silent: tuple[int, ...] = ()
    conditions: tuple[int, ...] = ()
    in_place: bool = False
    same_shape: bool = False
    assigns: bool = False
    fixed: DType | None = None
    target: Callable[[Sequence[Arg]], DType | None] | None = None
    check: Callable[[Sequence[Arg], Computation], None] | None = None
    refuses_complex: str = ""

    def __call__(self, args: Sequence[Arg]) -> Computation | None:
        """The dtypes for `args` (one per parameter of the schema), or None while a dtype or rank that matters is
        unknown.

        Raises:
            OperatorTypeError: An argument is no tensor and no number, or there is no tensor at all.
            OperatorRuntimeError: PyTorch refuses these dtypes.
        """
        self._refuse_kinds(args)
        choices: list[list[Operand]] = []
        for i in self.operands:
            if i in self.silent or i in self.conditions:
                continue
            found = args[i].type
            if isinstance(found, TensorType):
                if found.dtype is None:
                    return None
                kinds = [Kind.DIMENSIONED, Kind.ZERO_DIM] if found.rank is None else [Kind(found.rank == 0)]
                choices.append([Operand(found.dtype, kind) for kind in kinds])
            elif isinstance(found, ScalarType):
                choices.append([Operand(found.dtype, Kind.ZERO_DIM)])
            elif found != NONE:
                choices.append([Operand(number_dtype(found), Kind.NUMBER)])
        decided = set[Computation]()
        refusals: list[OperatorRuntimeError] = []
        for operands in product(*choices):
            try:
                decided.add(self.decision(operands))
            except OperatorRuntimeError as error:  # with these ranks; others may be taken
                refusals.append(error)
        if refusals and not decided:
            raise refusals[0]
        if refusals or len(decided) != 1:
            return None
        computation = decided.pop()
        if self.refuses_complex and computation.compute.is_complex:
            name = torch_name(computation.compute)
            raise OperatorNotImplementedError(f"\"{self.refuses_complex}\" not implemented for '{name}'")
        if self.target is not None:
            if (dtype := self.target(args)) is None:
                return None
            computation = computation._replace(result=dtype)
        if self.in_place:
            target = args[self.operands[0]].type
            assert isinstance(target, TensorType) and target.dtype is not None
            check_cast(computation.result, target.dtype)
            computation = computation._replace(result=target.dtype)
        if self.check is not None:
            self.check(args, computation)
        return computation

    def is_decided(self, args: Sequence[Arg]) -> bool:
        """Whether the dtypes for `args` are known, so that code can be made; ranks need not be, unless one says what
        the dtypes are."""
        known = all(a.type.dtype is not None for a in args if isinstance(a.type, TensorType))
        return known and self(args) is not None

    def result(self, args: Sequence[Arg]) -> Type:
        """The type rule: dtype of the result and the rank that the operands broadcast to."""
        computation = self(args)
        if self.in_place:
            return args[self.operands[0]].type
        dtype = computation.result if computation is not None else self.fixed
        if dtype is None and self.target is not None:
            dtype = self.target(args)
        rank: int | None = 0
        tensors = False
        for i in self.operands:
            found = args[i].type
            if isinstance(found, TensorType):
                rank = None if rank is None or found.rank is None else max(rank, found.rank)
                tensors = True
        if not tensors:
            assert dtype is not None
            return ScalarType(dtype)
        return TensorType(dtype, rank)

    def _refuse_kinds(self, args: Sequence[Arg]) -> None:
        tensors = 0
        for i in self.operands:
            found = args[i].type
            has_dtype = isinstance(found, TensorType | ScalarType)
            tensors += has_dtype
            if not has_dtype and found not in NUMBERS and found != NONE:
                raise OperatorTypeError(f"argument {i + 1} must be a Tensor or a number, not {found}")
            if i in self.conditions:
                dtype = found.dtype if isinstance(found, TensorType | ScalarType) else number_dtype(found)
                if dtype not in (None, dtypes.bool_, dtypes.uint8):
                    raise OperatorRuntimeError(
                        f"expected condition to be a boolean tensor, but got a tensor with dtype {torch_name(dtype)}"
                    )
        if self.in_place and not isinstance(args[self.operands[0]].type, TensorType):
            raise OperatorTypeError("argument 1 must be a Tensor: the result is written to it")
        if not tensors:
            raise OperatorTypeError("at least one argument must be a Tensor")

    def stored(self) -> PointwiseRule:
        """The rule of the in-place variant, which writes operand 0."""
        return replace(self, in_place=True)


__all__ = [
    "NUMBERS",
    "Computation",
    "Decision",
    "Kind",
    "Operand",
    "PointwiseRule",
    "Refusal",
    "check_cast",
    "classify",
    "comparison",
    "first",
    "is_bool",
    "is_float",
    "is_no_float",
    "keep",
    "logical",
    "not_implemented",
    "number_dtype",
    "promote",
    "promote_float",
    "refusing",
    "result_type",
    "torch_name",
]
