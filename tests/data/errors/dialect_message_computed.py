from tscript.dialect import Context, Ptr, T, TensorImpl, ByType, address, atomic_add, context, f32, f64, i32, i64, pointer_cast, select, stack
from tscript.types import dtypes


def f(n: i64) -> i64:
    if n < 0:
        raise ValueError(n)
    return n
