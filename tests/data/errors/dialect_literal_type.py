from tscript.dialect import Context, Ptr, T, TensorImpl, ByType, address, atomic_add, context, f32, f64, i32, i64, pointer_cast, select, stack
from tscript.types import dtypes


def f(a: i32, p: Ptr[f32]) -> i32:
    b = p == 0
    c = a + 1.5
    return a + 4294967296
