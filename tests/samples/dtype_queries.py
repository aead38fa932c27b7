"""Samples of questions about dtypes."""

from __future__ import annotations

from tests.samples.base import Call, Name, Samples, T, Wrong
from tscript.definitions.dtype_limits import float_info, int_info
from tscript.types import dtypes

OBJECTS = "PyTorch's dtypes are other objects"

SAMPLES = (
    Samples(
        "promote_types",
        lambda type1, type2: dtypes.float32,
        Call(Name("float16"), Name("bfloat16")),
        Call(Name("int64"), type2=Name("float32")),
        Call(type1=Name("float32"), type2=Name("uint32")),
        wrong=(Wrong(RuntimeError, "attempted to promote UInt16 and Char", Name("uint16"), Name("int8")),),
        torch=False,
        why=OBJECTS,
    ),
    Samples("can_cast", lambda a, b: False, Call(Name("float32"), Name("int64")), Call(Name("int8"), Name("bool"))),
    Samples(
        "result_type",
        lambda a, b: dtypes.float32,
        Call(T(2, 3, dtype="float32"), T(4, dtype="float16")),
        Call(T(0, dtype="float32"), T(dtype="float64")),
        Call(T(dtype="int64"), T(2, dtype="float32")),
        Call(T(2, dtype="float32"), 2),
        Call(2.5, T(2, dtype="int8")),
        Call(True, 0.5),
        torch=False,
        why=OBJECTS,
    ),
    Samples("get_default_dtype", lambda: dtypes.float32, Call(), torch=False, why=OBJECTS),
    Samples(
        "finfo",
        lambda d: list(float_info(dtypes.bfloat16)),
        Call(Name("bfloat16")),
        wrong=(Wrong(TypeError, "use iinfo", Name("int8"), torch=False),),
        torch=False,
        why=OBJECTS,
    ),
    Samples(
        "iinfo",
        lambda d: list(int_info(dtypes.int16)),
        Call(Name("int16")),
        wrong=(Wrong(TypeError, "use finfo", Name("float32"), torch=False),),
        torch=False,
        why=OBJECTS,
    ),
)
