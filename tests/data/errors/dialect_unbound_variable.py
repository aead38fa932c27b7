from tscript.dialect import Context, Ptr, T, TensorImpl, ByType, address, atomic_add, context, f32, f64, i32, i64, pointer_cast, select, stack
from tscript.types import dtypes


def zero() -> T:
    return T(0)


def f(a: i32) -> i32:
    return zero()
