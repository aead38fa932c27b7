"""Sums of products over any dimensions of two tensors. All are composites."""

# mypy: disable-error-code="no-any-return,no-untyped-def,operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.late import replace
from tscript.operators.tensor.rearranged import wrapped
from tscript.types import INT, SIZE, ListType, TupleType, Type


@generic
def placed(x, given) -> list[int]:
    """Dimensions from the front; an int is one of them."""
    out = [0 for _i in range(len(given))]
    if len(given) > 0:
        for i in range(len(given)):
            out[i] = wrapped(x, given[i])
    return out


@generic
def contracted(a, b, of_a: list[int], of_b: list[int]) -> Tensor:
    """The sum of products over these dimensions, those of the first tensor that are left in front."""
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype != b.dtype:
        raise RuntimeError(f"both inputs should have same dtype, found {a.dtype} and {b.dtype}")
    left, right = a, b
    for k in range(len(of_a)):
        i, j = of_a[k], of_b[k]
        if a.size(i) != b.size(j) and a.size(i) != 1 and b.size(j) != 1:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.size(i)} in dim {i} and second has size "
                f"{b.size(j)} in dim {j}"
            )
        # A size of 1 counts as that of the other: what it is multiplied with is summed.
        if a.size(i) == 1 and b.size(j) != 1:
            right = right.sum(j, True)
        if b.size(j) == 1 and a.size(i) != 1:
            left = left.sum(i, True)
    size: list[int] = []
    rows: list[int] = []
    for d in range(a.dim()):
        if d not in of_a:
            rows.append(d)
            size.append(a.size(d))
    columns: list[int] = []
    for d in range(b.dim()):
        if d not in of_b:
            columns.append(d)
            size.append(b.size(d))
    inner, n, m = 1, 1, 1
    for i in of_a:
        inner *= left.size(i)
    for i in rows:
        n *= left.size(i)
    for j in columns:
        m *= right.size(j)
    product = left.permute(rows + of_a).reshape(n, inner).mm(right.permute(of_b + columns).reshape(inner, m))
    return product.reshape(size)


def tensordot_dims(a: Tensor, b: Tensor, dims: object) -> Tensor:
    """Sums of products over some dimensions of one tensor and as many of another.

    Args:
        a, b: Of one dtype.
        dims: The dimensions of `a`, and those of `b`, in two tuples or lists.

    Raises:
        IndexError: One is out of range.
        RuntimeError: There are more of the ones than of the others, or sizes or dtypes differ.

    Example:
        >>> tscript.tensordot(tscript.ones(2, 3), tscript.ones(2, 4), dims=([0], [0])).shape
        (3, 4)
    """
    return contracted(a, b, placed(a, dims[0]), placed(b, dims[1]))  # type: ignore[index]


_INTS = (ListType(INT), SIZE)


def _pairs(made: OpDef) -> OpDef:
    """The operator, which takes two tuples or lists of dimensions alone."""
    rule = made.type_rule

    def is_ints(type: Type) -> bool:
        return type in _INTS or (isinstance(type, TupleType) and set(type.elements) <= {INT})

    def checked(args: Sequence[Arg]) -> Type:
        found = args[2].type
        both = (
            found.elements
            if isinstance(found, TupleType)
            else (found.element,) * 2
            if isinstance(found, ListType)
            else ()
        )
        if len(both) != 2 or not all(map(is_ints, both)):
            raise OperatorTypeError(f"'dims' must be an int, or two tuples or lists of ints, not {found}")
        return rule(args)

    return replace(made, type_rule=checked)


OPERATORS: tuple[OpDef, ...] = (
    _pairs(
        composite(
            "tensordot.dims(Tensor a, Tensor b, Any dims) -> Tensor", tensordot_dims, names="torch.tensordot out=no"
        )
    ),
)
"""All operators of this module."""
