from tscript.dialect import Context, Ptr, T, TensorImpl, ByType, address, atomic_add, context, f32, f64, i32, i64, pointer_cast, select, stack
from tscript.types import dtypes


def half(x: f32) -> f32:
    return x * 0.5


def f(x: f64) -> f32:
    return half(x)
