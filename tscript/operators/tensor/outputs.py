"""Results that are written into tensors which the caller gives: ``torch.add(x, y, out=z)``.

The result is computed first, and then stored, so `out` may be one of the arguments. Tensors are not resized.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tscript.operators.core.define import check_distinct, tensor_of
from tscript.operators.core.opdef import Arg, Composite, Effects, OpDef, OperatorRuntimeError, TypeRule
from tscript.operators.core.promotion import check_cast
from tscript.operators.core.schema import parse_schema
from tscript.operators.core.values import Array, ValueArg
from tscript.types import Type, dtypes

_META_NAMES = {
    dtypes.float32: "float",
    dtypes.float64: "double",
    dtypes.int8: "signed char",
    dtypes.int16: "short int",
    dtypes.int32: "int",
    dtypes.int64: "long int",
    dtypes.uint8: "unsigned char",
    dtypes.bool_: "bool",
}
"""What PyTorch calls dtypes where it compares that of `out`."""


def _cast(args: Sequence[Arg]) -> Type:
    """The rule for results that are converted, as those of pointwise operators are."""
    out, result = tensor_of(args[0]), tensor_of(args[1])
    if out.dtype is not None and result.dtype is not None:
        check_cast(result.dtype, out.dtype)
    return out


def _same(args: Sequence[Arg]) -> Type:
    """The rule for results that are not."""
    out, result = tensor_of(args[0]), tensor_of(args[1])
    if out.dtype is not None and result.dtype is not None and out.dtype is not result.dtype:
        wanted, found = _META_NAMES[result.dtype], _META_NAMES[out.dtype]
        raise OperatorRuntimeError(f"Expected out tensor to have dtype {wanted}, but got {found} instead")
    return out


def store_body(self, result):  # type: ignore[no-untyped-def]
    if self.shape != result.shape:
        raise RuntimeError(
            f"the tensor given as out has shape {list(self.shape)}, the result has shape {list(result.shape)}: "
            "give a tensor of that shape, none is resized"
        )
    return self.copy_(result)


def _store(name: str, rule: TypeRule, doc: str) -> OpDef:
    def semantics(out: Array, result: Any) -> Array:
        rule([ValueArg(out), ValueArg(result)])
        if out.shape != np.shape(result):
            raise RuntimeError(
                f"the tensor given as out has shape {list(out.shape)}, the result has shape {list(np.shape(result))}: "
                "give a tensor of that shape, none is resized"
            )
        check_distinct(out)
        np.copyto(out, result, casting="unsafe")
        return out

    return OpDef(
        parse_schema(f"{name}(Tensor(a!) self, Tensor result) -> Tensor"),
        rule,
        semantics,
        Composite(store_body),
        Effects(writes=(0,), raises=True),
        doc,
        portable=True,
    )


STORE_CAST = _store("store_out.cast", _cast, "A result converted and stored in the tensor given as `out`.")
STORE = _store("store_out", _same, "A result stored in the tensor given as `out`.")

OPERATORS: tuple[OpDef, ...] = (STORE, STORE_CAST)
"""All operators of this module."""
